package import KVORules

extension Finding {
  /// Merges the same finding of other inputs.
  ///
  /// Counts are added; the higher severity and the higher confidence are kept. The description of one occurrence
  /// (sentence, events, stacks) remains that of the receiver.
  ///
  /// Complexity: O(consequences²).
  package mutating func add(_ other: Finding) {
    count += other.count
    processCount += other.processCount
    runCount += other.runCount
    add(lines: other.lines)
    add(sightings: other.sightings)
    severity = max(severity, other.severity)
    if other.confidence == .high { confidence = .high }
    isLibrary = isLibrary && other.isLibrary
    isSuppressed = isSuppressed || other.isSuppressed
    if let facts = other.crashFacts { crashFacts?.add(facts) }
    for consequence in other.consequences {
      if let known = consequences.firstIndex(where: { $0.signature == consequence.signature }) {
        consequences[known].add(consequence)
      } else {
        consequences.append(consequence)
      }
    }
  }

  /// Replaces the index of its input by the result of `index` for it, also in its consequences.
  package mutating func setInput(_ index: (Int) -> Int) {
    input = index(input)
    for position in consequences.indices { consequences[position].setInput(index) }
  }

  /// The order of the findings of a report: by severity, then code, then by location.
  package static func isReportedBefore(_ left: Finding, _ right: Finding) -> Bool {
    if left.severity != right.severity { return left.severity > right.severity }
    // Findings that most crash reports show come first.
    if let many = left.crashFacts?.reportCount, let others = right.crashFacts?.reportCount,
      many != others
    {
      return many > others
    }
    if left.code != right.code { return left.code < right.code }
    if left.input != right.input { return left.input < right.input }
    let first = (left.events.first ?? 0, right.events.first ?? 0)
    if first.0 != first.1 { return first.0 < first.1 }
    return left.signature < right.signature
  }
}
