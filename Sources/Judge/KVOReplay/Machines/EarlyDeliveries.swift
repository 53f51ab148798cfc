import KVORules
import KVOTrace

/// The callbacks for a change of one thread that are in the log before the change ended (KVO032).
///
/// A writer that hooks `didChangeValueForKey:` from outside writes `didChange` after the deliveries. Memory is bounded
/// by the open changes and the registrations of their objects.
///
/// Complexity: O(open changes with early callbacks) for every input.
struct EarlyDeliveries: Sendable {
  private struct Early: Sendable {
    var change: Change
    var slots: Set<Int32>
  }

  private static let capacity = 256

  private var early: [Early] = []

  var isEmpty: Bool { early.isEmpty }

  /// `change`, which is open, is delivered to the registration at `slot`.
  mutating func deliver(_ slot: Int, _ change: Change) {
    let slot = Int32(truncatingIfNeeded: slot)
    if let index = early.lastIndex(where: { $0.change == change }) {
      early[index].slots.insert(slot)
      return
    }
    if early.count == Self.capacity { early.removeFirst() }
    early.append(Early(change: change, slots: [slot]))
  }

  /// Whether an observer was notified of `change`, which is open: its value is set.
  func contains(_ change: Change) -> Bool { early.contains { $0.change == change } }

  /// `change` ends.
  ///
  /// - Returns: the slots that it was already delivered to.
  mutating func end(_ change: Change) -> Set<Int32> {
    guard let index = early.lastIndex(where: { ChangeBrackets.belong($0.change, change) })
    else { return [] }
    return early.remove(at: index).slots
  }
}
