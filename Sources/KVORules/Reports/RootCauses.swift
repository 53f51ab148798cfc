/// Which findings follow from which others: one bug is one finding, with what it leads to under it.
///
/// A finding follows from another where each time that it happened it was about the same event, or the
/// same registration, as the other. It is never worse than what it follows from: what decides about
/// an exit status stays in sight.
///
/// Complexity: O(1) for each occurrence; memory is bounded by the occurrences, as that of
/// ``FindingFolder`` is.
struct RootCauses: Sendable {
  /// What two findings have in common.
  private enum Tie: Hashable, Sendable {
    /// The failed event of both.
    case event
    /// A registration that both are about.
    case registration
  }

  private struct Root {
    var code: RuleCode
    var tie: Tie
  }

  /// What each rule may follow from, the most telling first.
  private static func roots(of code: RuleCode) -> [Root] {
    switch code {
    // The second of two removals at once finds nothing.
    case .doubleRemove: [Root(code: .concurrentRemoval, tie: .event)]
    // Nobody is told the end of a change that never ends.
    case .priorWithoutAfter: [Root(code: .unbalancedChange, tie: .event)]
    // What was meant by a removal under a wrong context stays, as does what a cycle keeps alive.
    case .leakedRegistration: ofKept
    case .observedDeinitWhileObserved, .observerDeinitWhileRegistered: ofKept + [ofLeaked]
    case .deliveryToDead, .registrationGrowth:
      ofKept + [
        ofLeaked, Root(code: .observedDeinitWhileObserved, tie: .registration),
        Root(code: .observerDeinitWhileRegistered, tie: .registration),
      ]
    default: []
    }
  }

  private static let ofKept = [
    Root(code: .removeWrongContext, tie: .registration),
    Root(code: .observationRetainCycle, tie: .registration),
  ]
  private static let ofLeaked = Root(code: .leakedRegistration, tie: .registration)

  /// The rules that anything may follow from, or that may follow from anything.
  private static let related: Set<RuleCode> = Set(
    RuleCode.allCases.flatMap { code in
      let roots = roots(of: code)
      return roots.isEmpty ? [] : [code] + roots.map(\.code)
    }
  )

  private struct Occurrence: Sendable {
    var failed: Int
    var registered: [Int]

    func events(_ tie: Tie) -> [Int] { tie == .event ? [failed] : registered }
  }

  private struct Key: Hashable {
    var code: RuleCode
    var tie: Tie
    var input: Int
    var event: Int
  }

  private var occurrences: [Int: [Occurrence]] = [:]

  /// The finding that is told of at `place` happened, as `finding` says.
  mutating func note(_ finding: Finding, at place: Int) {
    // Where events are not numbered nobody knows which are the same.
    guard Self.related.contains(finding.code), let failed = finding.events.first else { return }
    let registered = finding.stacks.filter { $0.role == .registered }.map(\.event)
    occurrences[place, default: []].append(Occurrence(failed: failed, registered: registered))
  }

  /// Puts each of `findings`, told of at their places, under what it follows from.
  ///
  /// Complexity: O(occurrences).
  func arranged(_ findings: [Finding]) -> [Finding] {
    if occurrences.count < 2 { return findings }
    let index = index(of: findings)
    let parents = findings.indices.map { parent(of: $0, findings, index) }
    var arranged = findings
    for place in findings.indices where parents[place] != nil {
      arranged[Self.root(of: place, parents)].consequences.append(findings[place])
    }
    return arranged.indices.filter { parents[$0] == nil }.map { arranged[$0] }
  }

  /// The places of the findings that are about an event.
  private func index(of findings: [Finding]) -> [Key: [Int]] {
    var index: [Key: [Int]] = [:]
    for place in findings.indices {
      let finding = findings[place]
      for occurrence in occurrences[place] ?? [] {
        for tie in [Tie.event, .registration] {
          for event in occurrence.events(tie) {
            let key = Key(code: finding.code, tie: tie, input: finding.input, event: event)
            if index[key]?.last != place { index[key, default: []].append(place) }
          }
        }
      }
    }
    return index
  }

  private func parent(of place: Int, _ findings: [Finding], _ index: [Key: [Int]]) -> Int? {
    let finding = findings[place]
    guard let all = occurrences[place] else { return nil }
    for root in Self.roots(of: finding.code) {
      var common: Set<Int>?
      for occurrence in all {
        let explaining = occurrence.events(root.tie).flatMap { event in
          index[Key(code: root.code, tie: root.tie, input: finding.input, event: event)] ?? []
        }
        common = common?.intersection(explaining) ?? Set(explaining)
      }
      let first = common?.filter { findings[$0].severity >= finding.severity }.min()
      if let first { return first }
    }
    return nil
  }

  /// The rules that follow from each other are in an order, so that no way leads back.
  private static func root(of place: Int, _ parents: [Int?]) -> Int {
    var at = place
    while let parent = parents[at] { at = parent }
    return at
  }
}

extension Finding {
  /// The finding, and all that follows from it.
  package var withConsequences: [Finding] {
    var alone = self
    alone.consequences = []
    return [alone] + consequences.flatMap(\.withConsequences)
  }
}
