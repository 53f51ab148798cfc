/// What the headings of a page, a comment on a pull request and a difference say alike.
enum Headline {
  /// In place of counts of findings.
  static let nothing = "nothing found"

  /// The same if no rule was judged.
  static let nothingJudged = "nothing judged"

  /// What precedes the counts; `mayLackFindings` if there may be more findings than were found.
  static func gap(_ mayLackFindings: Bool) -> String { mayLackFindings ? "incomplete input, " : "" }
}
