import KVORules
import KVOTrace

/// Missed deliveries (KVO032) that a later callback can refute.
///
/// A KVO implementation delivers a change on its thread, before that thread continues. A program that passes its
/// notifications to another thread or to a queue does not, and its callbacks come after events that show that nothing
/// is delivered any more. So a verdict waits until the registration is notified of a later change, or for the end of
/// the log.
///
/// Complexity: O(verdicts that wait) for every input; their number is bounded.
struct RefutableMisses: Sendable {
  /// The change that a verdict is about.
  private struct Missed: Sendable {
    var event: Int
    var change: ChangeID?
  }

  private static let capacity = 256

  /// The changes of the verdicts that are not here yet.
  private var announced: [Missed] = []
  private var waiting: [(verdict: Verdict, change: ChangeID?)] = []
  /// Those from before a loss, which may have included their callbacks.
  private var lost: [(verdict: Verdict, change: ChangeID?)] = []

  /// Whether verdicts of the current event are to be added.
  var isAnnounced: Bool { !announced.isEmpty }
  var isEmpty: Bool { waiting.isEmpty && lost.isEmpty }
  /// Whether a callback came late: the program has a queue, or another thread for its callbacks.
  private(set) var hasRefuted = false

  /// A verdict on `change`, which was made at `event`, is about to be found.
  mutating func announce(_ change: ChangeID?, madeAt event: Int) {
    announced.append(Missed(event: event, change: change))
  }

  /// Takes the missed deliveries out of `verdicts`.
  ///
  /// - Returns: the oldest ones, if too many wait.
  mutating func take(from verdicts: inout [Verdict]) -> [Verdict] {
    for verdict in verdicts where verdict.code == .missedDelivery {
      let event = verdict.evidence.first?.event
      let change = announced.first { $0.event == event }?.change
      waiting.append((verdict, change))
    }
    verdicts.removeAll { $0.code == .missedDelivery }
    announced = []
    let surplus = waiting.count - Self.capacity
    if surplus <= 0 { return [] }
    defer { waiting.removeFirst(surplus) }
    return waiting.prefix(surplus).map(\.verdict)
  }

  /// A callback of `registration` for `change` belongs to no change that waits for one.
  ///
  /// - Returns: whether it refutes a verdict: that on `change`, or the latest one if one of the two has no number.
  mutating func refute(_ registration: RegistrationID?, _ change: ChangeID?) -> Bool {
    guard
      Self.refute(registration, change, in: &waiting)
        || Self.refute(registration, change, in: &lost)
    else { return false }
    hasRefuted = true
    return true
  }

  private static func refute(
    _ registration: RegistrationID?,
    _ change: ChangeID?,
    in misses: inout [(verdict: Verdict, change: ChangeID?)]
  ) -> Bool {
    let own = misses.indices.filter { misses[$0].verdict.registration == registration }
    let exact = change == nil ? nil : own.last { misses[$0].change == change }
    let found = exact ?? own.last { change == nil || misses[$0].change == nil }
    guard let found else { return false }
    misses.remove(at: found)
    return true
  }

  /// Events are missing: a callback among them would refute a verdict, if the program's callbacks come late.
  ///
  /// - Returns: the verdicts on changes of unknown threads, and the oldest ones, if too many wait.
  mutating func lose() -> [Verdict] {
    var over = waiting.filter { $0.verdict.evidence.first?.thread == nil }.map(\.verdict)
    lost += waiting.filter { $0.verdict.evidence.first?.thread != nil }
    waiting = []
    let surplus = lost.count - Self.capacity
    if surplus <= 0 { return over }
    if !hasRefuted { over += lost.prefix(surplus).map(\.verdict) }
    lost.removeFirst(surplus)
    return over
  }

  /// `registration` was notified of a change with a number: it will not be notified of earlier ones that have one.
  ///
  /// - Returns: the verdicts on those whose thread is known.
  mutating func confirm(_ registration: RegistrationID?) -> [Verdict] {
    let isProven = { (entry: (verdict: Verdict, change: ChangeID?)) in
      entry.verdict.registration == registration && entry.change != nil
        && entry.verdict.evidence.first?.thread != nil
    }
    defer { waiting.removeAll(where: isProven) }
    return waiting.filter(isProven).map(\.verdict)
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

  /// Nothing refutes the verdicts any more.
  ///
  /// - Returns: the verdicts, and whether others may have been refuted in a loss.
  mutating func finish() -> (verdicts: [Verdict], areLost: Bool) {
    defer { (waiting, lost) = ([], []) }
    let areLost = hasRefuted && !lost.isEmpty
    return (((areLost ? [] : lost) + waiting).map(\.verdict), areLost)
  }
}
