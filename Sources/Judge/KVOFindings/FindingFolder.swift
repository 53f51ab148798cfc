package import KVORules

/// Counts findings that have one root: of equal signature, in one input.
///
/// The first occurrence keeps its sentence and stacks. Occurrences that a test expects do not count beside others.
package struct FindingFolder: Sendable {
  private struct Key: Hashable {
    var signature: String
    var input: Int
  }

  private var indices: [Key: Int] = [:]
  private var folded: [Finding] = []
  /// The failed events that are in `folded` already, for each index.
  private var known: [Set<Int>] = []
  private var causes = RootCauses()

  package init() {}

  /// Adds `finding`.
  ///
  /// Complexity: O(1) amortized.
  ///
  /// - Returns: the position of the finding that counts it, for ``add(againAt:_:)``.
  @discardableResult
  package mutating func add(_ finding: Finding) -> Int {
    let key = Key(signature: finding.signature, input: finding.input)
    guard let index = indices[key] else {
      indices[key] = folded.count
      folded.append(finding)
      known.append(Set(finding.events))
      causes.note(finding, at: folded.count - 1)
      return folded.count - 1
    }
    if finding.isExpected, !folded[index].isExpected { return index }
    causes.note(finding, at: index)
    if folded[index].isExpected, !finding.isExpected {
      folded[index] = finding
      known[index] = Set(finding.events)
      return index
    }
    folded[index].add(lines: finding.lines)
    count(finding.count, of: finding.events, at: index)
    if finding.severity > folded[index].severity {
      // What it leads to is that of the runtime on which it is worst, as in several inputs (`Finding.add`).
      folded[index].severity = finding.severity
      folded[index].consequence = finding.consequence
      folded[index].profile = finding.profile
      folded[index].message = finding.message
    }
    if finding.confidence == .high { folded[index].confidence = .high }
    if let facts = finding.crashFacts {
      folded[index].crashFacts?.add(facts)
      // A report with the stack is more useful than a first one without it.
      if folded[index].stacks.allSatisfy(\.frames.isEmpty) { folded[index].stacks = finding.stacks }
    }
    return index
  }

  /// Counts the occurrence that `verdict` describes, without making its finding.
  ///
  /// Complexity: O(1) amortized; makes no text.
  ///
  /// - Parameters:
  ///   - index: the position of the finding of a verdict with the same ``VerdictShape``, from the same builder.
  ///   - verdict: the verdict.
  package mutating func add(againAt index: Int, _ verdict: Verdict) {
    if verdict.isExpected, !folded[index].isExpected { return }
    let failed = verdict.evidence.first?.event ?? 0
    causes.note(verdict, as: folded[index].code, at: index)
    count(1, of: failed > 0 ? [failed] : [], at: index)
  }

  private mutating func count(_ count: Int, of events: [Int], at index: Int) {
    var isNew = false
    for event in events where known[index].insert(event).inserted {
      folded[index].events.append(event)
      isNew = true
    }
    // An object that observes itself is reported again when a registry retains it.
    if folded[index].code != .selfObservation || isNew || events.isEmpty {
      folded[index].count += count
    }
  }

  /// The folded findings, in the order of their first occurrence.
  ///
  /// Events ascend. A finding that follows from another is listed under it.
  ///
  /// Complexity: O(n log n) in the events.
  package var findings: [Finding] {
    causes.arranged(
      folded.map {
        var copy = $0
        copy.events.sort()
        return copy
      }
    )
  }
}
