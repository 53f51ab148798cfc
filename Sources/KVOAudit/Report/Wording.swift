import KVORules

/// Counts and lists as reports spell them.
enum Wording {
  /// `Seen in 12 processes of 3 runs`; nil where that is one of one.
  static func seen(_ finding: Finding) -> String? {
    guard finding.crashFacts == nil, finding.processCount > 1 || finding.runCount > 1 else {
      return nil
    }
    return "Seen in \(count(finding.processCount, "process", "processes")) of "
      + count(finding.runCount, "run")
  }

  /// `number` with its digits in groups of three: `1,204`.
  static func grouped(_ number: some BinaryInteger) -> String {
    let digits = String(number.magnitude)
    var text = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return text
  }

  /// `1 event`, `1,204 events`; `plural` for what does not end in a plain s.
  static func count(
    _ number: some BinaryInteger,
    _ singular: String,
    _ plural: String? = nil
  ) -> String {
    "\(grouped(number)) \(number == 1 ? singular : plural ?? singular + "s")"
  }

  /// The members of `known` that `text` may be a slip of, nearest first, three at the most.
  ///
  /// A slip is up to a third of the letters wrong, missing or too many; case does not count.
  ///
  /// Complexity: O(known × length²).
  static func near(_ text: String, in known: [String]) -> [String] {
    let limit = max(1, text.count / 3)
    return
      known
      .map { (name: $0, distance: distance(text.lowercased(), $0.lowercased())) }
      .filter { $0.distance <= limit }
      .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
      .prefix(3)
      .map(\.name)
  }

  /// The Levenshtein distance.
  private static func distance(_ left: String, _ right: String) -> Int {
    let right = Array(right)
    var row = Array(0...right.count)
    for (index, character) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for place in right.indices {
        let substituted = diagonal + (character == right[place] ? 0 : 1)
        diagonal = row[place + 1]
        row[place + 1] = min(substituted, row[place] + 1, diagonal + 1)
      }
    }
    return row[right.count]
  }
}
