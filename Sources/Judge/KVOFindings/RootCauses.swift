package import KVORules

/// Which findings follow from which others: one bug is one finding, with its consequences listed under it.
///
/// A finding follows from another if each of its occurrences concerns the same event or the same registration as the
/// other, or one of them the same change. If its occurrences have different causes, such as the cycles of two screens
/// through one call site, it is listed under that of the first. It is never more severe than its cause, so that a finding
/// that decides the exit status stays visible.
///
/// Complexity: O(1) for each occurrence; memory is bounded by the occurrences, as that of
/// ``FindingFolder`` is.
struct RootCauses: Sendable {
  /// The link between two findings.
  private enum Tie: Hashable, Sendable {
    /// The failed event of both.
    case event
    /// A registration that both concern.
    case registration
    /// A change that both concern, by its beginning.
    case change
    /// The failed event of the root, if it is the beginning of the change that another one crossed.
    case crossed
    /// The failed event of the root, if it is the beginning of the change that another thread's seems to overlap with.
    case unended
    /// The failed event of the root, if it is the end of the callback that an exception left.
    case raised
  }

  private struct Root {
    var code: RuleCode
    var tie: Tie
  }

  /// The rules that each rule may follow from, the most likely cause first.
  private static func roots(of code: RuleCode) -> [Root] {
    switch code {
    // The second of two concurrent removals finds nothing, and so does one after a deallocation that ended the
    // observation.
    case .doubleRemove:
      [
        Root(code: .concurrentRemoval, tie: .event),
        Root(code: .observerDeinitWhileRegistered, tie: .registration),
        Root(code: .observedDeinitWhileObserved, tie: .registration),
      ]
    // No observer is notified of the end of a change that never ends. A runtime that takes changes of two threads for
    // nested ones, as GNUstep 1.28 does, notifies of one of them.
    case .priorWithoutAfter:
      [
        Root(code: .unbalancedChange, tie: .event), Root(code: .concurrentChange, tie: .change),
      ]
    case .missedDelivery: [Root(code: .concurrentChange, tie: .change)]
    // A change that never ends is still open when one ends that it began in. One that an exception left, out of a callback
    // before it, is not made.
    case .unbalancedChange:
      [
        Root(code: .unbalancedChange, tie: .crossed), Root(code: .callbackRaised, tie: .raised),
        Root(code: .unhandledNotification, tie: .raised),
      ]
    case .concurrentChange: [Root(code: .unbalancedChange, tie: .unended)]
    // A registration that a removal under a wrong context was meant for remains, as does one that a cycle keeps alive.
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

  /// All rules that cause others, or follow from others.
  private static let related: Set<RuleCode> = Set(
    RuleCode.allCases.flatMap { code in
      let roots = roots(of: code)
      return roots.isEmpty ? [] : [code] + roots.map(\.code)
    }
  )

  private struct Occurrence: Sendable {
    var failed: Int
    var registered: [Int]
    var changed: [Int]
    var raised: [Int]

    func events(_ tie: Tie) -> [Int] {
      switch tie {
      case .event: [failed]
      case .registration: registered
      // What fails of a change that overlaps with another is its beginning.
      case .change: [failed] + changed
      // The first one is the change that ended.
      case .crossed: Array(changed.dropFirst())
      case .unended: changed
      case .raised: raised
      }
    }
  }

  private struct Key: Hashable {
    var code: RuleCode
    var tie: Tie
    var input: Int
    var event: Int
  }

  private var occurrences: [Int: [Occurrence]] = [:]

  /// Notes an occurrence of the finding reported at `position`, described by `finding`.
  mutating func note(_ finding: Finding, at position: Int) {
    // If events are not numbered, equal events cannot be recognized.
    guard let failed = finding.events.first else { return }
    let events = finding.stacks.lazy.map { (role: $0.role, event: $0.event) }
    note(failed, events, as: finding.code, at: position)
  }

  /// The finding at `position` happened again, as `verdict` says; `code` is the finding's.
  mutating func note(_ verdict: Verdict, as code: RuleCode, at position: Int) {
    guard let failed = verdict.evidence.first?.event, failed > 0 else { return }
    let events = verdict.evidence.lazy.map { (role: $0.role, event: $0.event) }
    note(failed, events, as: code, at: position)
  }

  /// Notes an occurrence that failed at the event `failed`, and concerns `events` in their roles.
  private mutating func note(
    _ failed: Int,
    _ events: some Sequence<(role: Evidence.Role, event: Int)>,
    as code: RuleCode,
    at position: Int
  ) {
    guard Self.related.contains(code) else { return }
    var occurrence = Occurrence(failed: failed, registered: [], changed: [], raised: [])
    for (role, event) in events {
      switch role {
      case .registered: occurrence.registered.append(event)
      case .changed: occurrence.changed.append(event)
      case .raised: occurrence.raised.append(event)
      default: break
      }
    }
    occurrences[position, default: []].append(occurrence)
  }

  /// Puts each of `findings`, reported at their positions, under its cause.
  ///
  /// Complexity: O(occurrences).
  func arranged(_ findings: [Finding]) -> [Finding] {
    if occurrences.count < 2 { return findings }
    let index = index(of: findings)
    let parents = findings.indices.map { parent(of: $0, findings, index) }
    var arranged = findings
    for position in findings.indices where parents[position] != nil {
      arranged[Self.root(of: position, parents)].consequences.append(findings[position])
    }
    return arranged.indices.filter { parents[$0] == nil }.map { arranged[$0] }
  }

  /// The indices of the findings that are about an event.
  private func index(of findings: [Finding]) -> [Key: [Int]] {
    var index: [Key: [Int]] = [:]
    for position in findings.indices {
      let finding = findings[position]
      for occurrence in occurrences[position] ?? [] {
        for tie in [Tie.event, .registration, .change] {
          for event in occurrence.events(tie) {
            let key = Key(code: finding.code, tie: tie, input: finding.input, event: event)
            if index[key]?.last != position { index[key, default: []].append(position) }
          }
        }
      }
    }
    return index
  }

  private func parent(of position: Int, _ findings: [Finding], _ index: [Key: [Int]]) -> Int? {
    let finding = findings[position]
    guard let all = occurrences[position] else { return nil }
    let roots = Self.roots(of: finding.code)
    func explaining(_ occurrence: Occurrence, _ root: Root) -> Set<Int> {
      let tie =
        switch root.tie {
        case .crossed, .unended, .raised: Tie.event
        case .event, .registration, .change: root.tie
        }
      let related = occurrence.events(root.tie).flatMap { event in
        index[Key(code: root.code, tie: tie, input: finding.input, event: event)] ?? []
      }
      return Set(related.filter { findings[$0].severity >= finding.severity })
    }
    for root in roots {
      var common: Set<Int>?
      for occurrence in all {
        let explaining = explaining(occurrence, root)
        // A thread may still be inside the end of a change that the log has already: not every change that it disturbs
        // overlaps with another one there.
        common =
          common.map { root.tie == .change ? $0.union(explaining) : $0.intersection(explaining) }
          ?? explaining
      }
      if let first = common?.min() { return first }
    }
    var first: Int?
    for occurrence in all {
      let cause = roots.lazy.compactMap { explaining(occurrence, $0).min() }.first
      guard let cause else { return nil }
      first = first ?? cause
    }
    return first
  }

  /// The relation between rules is ordered, so that there is no cycle.
  private static func root(of position: Int, _ parents: [Int?]) -> Int {
    var at = position
    while let parent = parents[at] { at = parent }
    return at
  }
}

extension Finding {
  /// The finding, and all its consequences.
  package var withConsequences: [Finding] {
    var alone = self
    alone.consequences = []
    return [alone] + consequences.flatMap(\.withConsequences)
  }
}
