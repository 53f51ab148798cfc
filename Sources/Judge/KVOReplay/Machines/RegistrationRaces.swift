import KVORules
import KVOTrace

/// The registrations that were made while the value which they observe was changing (KVO011).
///
/// Such a registration is notified of the change, or receives the value after it: by a notification of the change, by
/// any later one, or by an initial value that is read after the change was made. Whether one of them comes is known
/// when the registration ends, or at the end of an orderly log.
///
/// Complexity: O(races) for every input; their number is bounded.
struct RegistrationRaces: Sendable {
  struct Race: Sendable {
    /// The registration, in the ledger.
    var slot: Int
    /// The thread of the change.
    var thread: Int
    var change: Change
    var began: Evidence
    /// Where the change was made; nil: it is still open.
    var made: Evidence?
    /// How many callbacks the thread was in when the change was made.
    var depth = 0
    /// Whether all deliveries of the change are done.
    var isOver = false
  }

  private static let capacity = 256

  private var races: [Race] = []

  var isEmpty: Bool { races.isEmpty }

  /// The registration at `slot` was made while `change` was open on `thread`.
  ///
  /// Beyond the capacity the oldest is no longer judged.
  mutating func begin(_ slot: Int, during change: Change, on thread: Int, began: Evidence) {
    if races.count == Self.capacity { races.removeFirst() }
    races.append(Race(slot: slot, thread: thread, change: change, began: began.as(.changed)))
  }

  mutating func made(_ change: Change, on thread: Int, depth: Int, at evidence: Evidence) {
    for index in races.indices
    where races[index].made == nil && races[index].thread == thread
      && ChangeBrackets.belong(races[index].change, change)
    {
      races[index].made = evidence
      races[index].depth = depth
    }
  }

  /// A callback of the registration at `slot` was claimed.
  ///
  /// A callback that does not state its change belongs to the one that is open on `thread`.
  mutating func deliver(_ slot: Int, _ delivery: Delivery, on thread: Int) {
    races.removeAll { race in
      guard race.slot == slot else { return false }
      switch delivery.phase {
      case .initial: return race.made != nil
      case .prior: return false
      case .after:
        if race.made != nil { return true }
        guard let delivered = delivery.change, let id = race.change.id
        else { return race.thread == thread }
        return delivered == id
      }
    }
  }

  /// `thread`, inside `depth` callbacks, continued, or the log ended.
  ///
  /// - Parameters:
  ///   - thread: the thread.
  ///   - depth: how many callbacks it is in.
  ///   - lastAct: the deliveries of changes that were made before this event are over.
  mutating func conclude(
    on thread: Int,
    depth: Int,
    before lastAct: Int = .max
  ) {
    for index in races.indices where races[index].thread == thread && depth <= races[index].depth {
      if let made = races[index].made, made.event < lastAct { races[index].isOver = true }
    }
  }

  /// The registration at `slot` is owed nothing more: only races that it lost already remain.
  mutating func excuse(_ slot: Int) { races.removeAll { $0.slot == slot && !$0.isOver } }

  /// The registration at `slot` ended.
  ///
  /// - Returns: the races that it lost: it was live during all deliveries of the change; and those of which that is not
  ///   known: the thread of the change has done nothing since.
  mutating func end(_ slot: Int) -> (lost: [Race], undecided: [Race]) {
    let ended = races.filter { $0.slot == slot }
    if ended.isEmpty { return ([], []) }
    races.removeAll { $0.slot == slot }
    return (ended.filter(\.isOver), ended.filter { !$0.isOver && $0.made != nil })
  }

  /// The log ends: the races of changes whose deliveries are done and that no observer was notified of.
  mutating func takeLost() -> [Race] {
    defer { races.removeAll(where: \.isOver) }
    return races.filter(\.isOver)
  }

  /// Whether a change was made of which a delivery may be owed.
  var hasMade: Bool { races.contains { $0.made != nil } }
}
