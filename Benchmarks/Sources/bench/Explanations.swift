/// What holds the rows that miss their targets, as far as it is known: for the reports, by row.
///
/// An entry is taken out when its row meets its target.
enum Explanations {
  static let recorder: [String: String] = [:]

  static let replay: [String: String] = [:]
}
