import KVORules
import KVOTrace

/// Verdicts on missing notifications (KVO013 or KVO032) that a later callback can refute.
///
/// A KVO implementation delivers a change on its thread, before that thread continues. But two things look as if the
/// thread had continued:
///
/// - An implementation may read the new value before it delivers the change. If the getter changes something, those
///   changes are made and delivered first, even if they are of the same key.
/// - The callbacks of a program that passes its notifications to another thread or to a queue come late.
///
/// So a verdict waits for its callback until the log ends. What proves it otherwise depends on the rule: see
/// ``follow(_:)`` and ``end(_:)``.
///
/// Complexity: O(verdicts that wait) for an input that may concern one of them, else O(1); their number is bounded.
struct RefutableMisses: Sendable {
  /// The change that a verdict is about.
  private struct Missed: Sendable {
    var event: Int
    var change: ChangeID?
  }

  private struct Waiting: Sendable {
    var verdict: Verdict
    var change: ChangeID?
  }

  private static let capacity = 256

  private let code: RuleCode
  /// The changes of the verdicts that are not here yet.
  private var announced: [Missed] = []
  private var waiting: [Waiting] = []
  /// Those on changes with a number whose registrations were notified of a later change: only a getter's change comes
  /// before that.
  private var followed: [Waiting] = []
  /// Those from before a loss, which may have included their callbacks.
  private var lost: [Waiting] = []

  /// Whether verdicts of the current event are to be added.
  var isAnnounced: Bool { !announced.isEmpty }
  var isEmpty: Bool { waiting.isEmpty && followed.isEmpty && lost.isEmpty }
  /// Whether a callback for a change that is in progress concerns a verdict: see ``follow(_:)``.
  var isFollowable: Bool { !waiting.isEmpty }
  /// Whether a callback came late: the program has a queue, another thread for its callbacks, or a getter that changes
  /// something.
  private(set) var hasRefuted = false
  /// Whether a verdict waited on a change without a number, which a callback with one may refute.
  private(set) var hasUnnumbered = false
  /// A bit for each registration that may have a verdict here, so that the callbacks of most others look for none.
  private var registrations: UInt64 = 0

  /// - Parameter code: the rule of the verdicts.
  init(of code: RuleCode) { self.code = code }

  /// A verdict on `change`, which was made at `event`, is about to be found.
  mutating func announce(_ change: ChangeID?, madeAt event: Int) {
    announced.append(Missed(event: event, change: change))
  }

  /// Takes the announced verdicts out of `verdicts`.
  ///
  /// - Returns: the oldest ones, if too many wait.
  mutating func take(from verdicts: inout [Verdict]) -> [Verdict] {
    var others: [Verdict] = []
    for verdict in verdicts {
      let event = verdict.evidence.first?.event
      if verdict.code == code, let missed = announced.first(where: { $0.event == event }) {
        waiting.append(Waiting(verdict: verdict, change: missed.change))
        registrations |= Self.bit(of: verdict.registration)
        if missed.change == nil { hasUnnumbered = true }
      } else {
        others.append(verdict)
      }
    }
    verdicts = others
    announced = []
    let surplus = waiting.count + followed.count - Self.capacity
    if surplus <= 0 { return [] }
    let followedSurplus = min(surplus, followed.count)
    let waitingSurplus = surplus - followedSurplus
    let oldest = followed.prefix(followedSurplus) + waiting.prefix(waitingSurplus)
    followed.removeFirst(followedSurplus)
    waiting.removeFirst(waitingSurplus)
    return oldest.map(\.verdict)
  }

  /// A callback of `registration` for `change` belongs to no change that waits for one.
  ///
  /// - Returns: whether it refutes a verdict: that on `change`, or the latest one if one of the two has no number.
  mutating func refute(_ registration: RegistrationID?, _ change: ChangeID?) -> Bool {
    if registrations & Self.bit(of: registration) == 0 { return false }
    let isOf = { (entry: Waiting) in change != nil && entry.change == change }
    let mayBeOf = { (entry: Waiting) in change == nil || entry.change == nil }
    guard
      Self.refute(registration, in: &waiting, where: isOf)
        || Self.refute(registration, in: &followed, where: isOf)
        || Self.refute(registration, in: &lost, where: isOf)
        || Self.refute(registration, in: &waiting, where: mayBeOf)
        || Self.refute(registration, in: &followed, where: mayBeOf)
        || Self.refute(registration, in: &lost, where: mayBeOf)
    else { return false }
    hasRefuted = true
    return true
  }

  private static func bit(of registration: RegistrationID?) -> UInt64 {
    guard let registration else { return 1 }
    return 1 << (registration.rawValue & 63)
  }

  private static func refute(
    _ registration: RegistrationID?,
    in misses: inout [Waiting],
    where isRefuted: (Waiting) -> Bool
  ) -> Bool {
    let found = misses.lastIndex { $0.verdict.registration == registration && isRefuted($0) }
    guard let found else { return false }
    misses.remove(at: found)
    return true
  }

  /// Events are missing: a callback among them would refute a verdict, if the program's callbacks come late.
  ///
  /// - Returns: the verdicts on changes of unknown threads, those that were followed, and the oldest ones, if too many
  ///   wait.
  mutating func lose() -> [Verdict] {
    var over = followed.map(\.verdict)
    over += waiting.filter { $0.verdict.evidence.first?.thread == nil }.map(\.verdict)
    lost += waiting.filter { $0.verdict.evidence.first?.thread != nil }
    followed = []
    waiting = []
    let surplus = lost.count - Self.capacity
    if surplus <= 0 { return over }
    if !hasRefuted { over += lost.prefix(surplus).map(\.verdict) }
    lost.removeFirst(surplus)
    return over
  }

  /// `registration` was notified of a change with a number: a queue will not notify it of earlier ones that have one.
  ///
  /// A change that a getter made is notified before the one around it, which still may be: nothing in a log tells them
  /// from changes that follow each other. So verdicts on changes of known threads wait on, but are reported even if
  /// callbacks come late and the log is cut.
  mutating func follow(_ registration: RegistrationID?) {
    if waiting.isEmpty || registrations & Self.bit(of: registration) == 0 { return }
    let isFollowed = { (entry: Waiting) in
      entry.verdict.registration == registration && entry.change != nil
        && entry.verdict.evidence.first?.thread != nil
    }
    followed += waiting.filter(isFollowed)
    waiting.removeAll(where: isFollowed)
  }

  /// `registration` ended: it is not notified any more, unless by a queue.
  ///
  /// - Returns: its verdicts that were followed.
  mutating func end(_ registration: RegistrationID?) -> [Verdict] {
    if followed.isEmpty || registrations & Self.bit(of: registration) == 0 { return [] }
    let isOver = { (entry: Waiting) in entry.verdict.registration == registration }
    defer { followed.removeAll(where: isOver) }
    return followed.filter(isOver).map(\.verdict)
  }

  /// `registration` ended: if the thread of a change is unknown, it may have been that of the end.
  ///
  /// - Returns: whether that refutes a verdict.
  mutating func excuse(_ registration: RegistrationID?) -> Bool {
    let count = waiting.count
    waiting.removeAll {
      $0.verdict.registration == registration && $0.verdict.evidence.first?.thread == nil
    }
    return waiting.count < count
  }

  /// Nothing refutes the verdicts any more, unless callbacks come late and the process may have gone on.
  ///
  /// - Parameter isOrderly: whether the process ended.
  /// - Returns: the verdicts, whether others may have been refuted in a loss, and whether others may be refuted after
  ///   the log's end.
  mutating func finish(
    isOrderly: Bool
  ) -> (verdicts: [Verdict], areLost: Bool, areCut: Bool) {
    defer { (waiting, followed, lost, registrations) = ([], [], [], 0) }
    let areLost = hasRefuted && !lost.isEmpty
    let areCut = hasRefuted && !isOrderly && !(waiting.isEmpty && lost.isEmpty)
    let held = (areLost ? [] : lost) + followed + (areCut ? [] : waiting)
    return (held.map(\.verdict), areLost, areCut)
  }
}

extension ReplayState {
  /// Adds verdicts that waited, except for those of unknown threads of which any may still notify, and those that
  /// events without a thread may refute.
  mutating func addMisses(_ waited: [Verdict]) {
    let isMixed = unsaid.thread != nil && namesSomeThreads
    for verdict in waited {
      if !isMixed, hasEnded || verdict.evidence.first?.thread != nil {
        verdicts.append(verdict)
      } else {
        unsaid.threadRules.insert(verdict.code)
      }
    }
  }

  /// Adds what `RefutableMisses.finish(isOrderly:)` returned, and why other verdicts are withheld.
  mutating func addMisses(
    of code: RuleCode,
    _ rest: (verdicts: [Verdict], areLost: Bool, areCut: Bool)
  ) {
    if rest.areLost { losses.rules.insert(code) }
    if rest.areCut { cutRules.insert(code) }
    addMisses(rest.verdicts)
  }
}
