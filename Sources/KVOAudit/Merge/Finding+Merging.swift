import KVORules

extension Finding {
  /// Takes in the same finding of other inputs.
  ///
  /// Numbers add up; the worse severity and the higher confidence stay. What tells of one occurrence
  /// (sentence, events, stacks) stays that of the receiver.
  ///
  /// Complexity: O(consequences²).
  mutating func add(_ other: Finding) {
    count += other.count
    processCount += other.processCount
    runCount += other.runCount
    add(lines: other.lines)
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

  /// Puts what `index` gives for the index of its input in its place, also in what follows from it.
  mutating func setInput(_ index: (Int) -> Int) {
    input = index(input)
    for place in consequences.indices { consequences[place].setInput(index) }
  }
}
