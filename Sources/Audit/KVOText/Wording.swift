package import KVORules

/// Counts and lists as reports spell them.
package enum Wording {
  /// `Seen in 12 processes of 3 runs`; nil if that is one of one.
  package static func seen(_ finding: Finding) -> String? {
    guard finding.crashFacts == nil, finding.processCount > 1 || finding.runCount > 1 else {
      return nil
    }
    return "Seen in \(count(finding.processCount, "process", "processes")) of "
      + count(finding.runCount, "run")
  }

  /// `number` with its digits in groups of three: `1,204`.
  package static func grouped(_ number: some BinaryInteger) -> String {
    let digits = String(number.magnitude)
    var text = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return text
  }

  /// `1 event`, `1,204 events`; `plural` for plurals that do not end in a plain s.
  package static func count(
    _ number: some BinaryInteger,
    _ singular: String,
    _ plural: String? = nil
  ) -> String {
    "\(grouped(number)) \(number == 1 ? singular : plural ?? singular + "s")"
  }

  /// A path as one word of a shell's command, quoted if the shell would take it for something else.
  package static func shellWord(_ path: String) -> String {
    let isPlain = path.allSatisfy { $0.isLetter || $0.isNumber || "_./:@%+=,-".contains($0) }
    return isPlain && !path.isEmpty ? path : "'\(path.replacing("'", with: "'\\''"))'"
  }

  /// The members of `known` that `text` may be a misspelling of, nearest first, three at the most.
  ///
  /// A misspelling has up to a third of the letters wrong, missing or added; case is ignored.
  ///
  /// Complexity: O(known × length²).
  package static func near(_ text: String, in known: [String]) -> [String] {
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
      for column in right.indices {
        let substituted = diagonal + (character == right[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(substituted, row[column] + 1, diagonal + 1)
      }
    }
    return row[right.count]
  }

  /// Codes in ascending order, with three and more that follow each other as `KVO022–KVO028`.
  package static func listed(_ codes: [RuleCode]) -> String {
    let all = RuleCode.allCases
    let indices = codes.compactMap(all.firstIndex)
    var runs: [ClosedRange<Int>] = []
    for index in indices {
      if let last = runs.last, last.upperBound + 1 == index {
        runs[runs.count - 1] = last.lowerBound...index
      } else {
        runs.append(index...index)
      }
    }
    let texts = runs.flatMap { run -> [String] in
      guard run.count > 2 else { return run.map { all[$0].rawValue } }
      return ["\(all[run.lowerBound].rawValue)–\(all[run.upperBound].rawValue)"]
    }
    return texts.joined(separator: ", ")
  }
}
