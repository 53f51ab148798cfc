/// Counts findings that have one root: of equal signature, in one input.
///
/// The first occurrence keeps its sentence and stacks.
package struct FindingFolder: Sendable {
  private struct Key: Hashable {
    var signature: String
    var input: Int
  }

  private var places: [Key: Int] = [:]
  private var folded: [Finding] = []
  /// The failed events that are in `folded` already, for each place.
  private var known: [Set<Int>] = []
  private var causes = RootCauses()

  package init() {}

  /// Takes in `finding`.
  ///
  /// Complexity: O(1) amortised.
  package mutating func add(_ finding: Finding) {
    let key = Key(signature: finding.signature, input: finding.input)
    guard let place = places[key] else {
      places[key] = folded.count
      folded.append(finding)
      known.append(Set(finding.events))
      causes.note(finding, at: folded.count - 1)
      return
    }
    causes.note(finding, at: place)
    folded[place].add(lines: finding.lines)
    let new = finding.events.filter { !known[place].contains($0) }
    known[place].formUnion(new)
    folded[place].events += new
    // An object that observes itself is told of again when a registry takes hold of it.
    if finding.code != .selfObservation || !new.isEmpty || finding.events.isEmpty {
      folded[place].count += finding.count
    }
    if finding.severity > folded[place].severity {
      folded[place].severity = finding.severity
      folded[place].message = finding.message
    }
    // One that is not meant counts, whatever a test means elsewhere.
    if !finding.isExpected { folded[place].isExpected = false }
    if finding.confidence == .high { folded[place].confidence = .high }
    if let facts = finding.crashFacts {
      folded[place].crashFacts?.add(facts)
      // A report that has the stack tells more than the first one that has none.
      if folded[place].stacks.allSatisfy(\.frames.isEmpty) { folded[place].stacks = finding.stacks }
    }
  }

  /// The folded findings, in the order of their first occurrence.
  ///
  /// Events ascend. What follows from another finding stands under it.
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
