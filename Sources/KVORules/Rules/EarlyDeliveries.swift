import KVOTrace

/// The callbacks for a change of one thread that are in the log before the change ended (KVO032).
///
/// A writer that hooks `didChangeValueForKey:` from outside writes `didChange` when the deliveries are
/// over. Memory is bounded by the open changes and the registrations of their objects.
///
/// Complexity: O(open changes with early callbacks) for every input.
struct EarlyDeliveries: Sendable {
  private struct Told: Sendable {
    var change: Change
    var slots: Set<Int32>
  }

  private static let capacity = 256

  private var told: [Told] = []

  var isEmpty: Bool { told.isEmpty }

  /// `change`, which is open, is delivered to the registration at `slot`.
  mutating func deliver(_ slot: Int, _ change: Change) {
    let slot = Int32(truncatingIfNeeded: slot)
    if let place = told.lastIndex(where: { $0.change == change }) {
      told[place].slots.insert(slot)
      return
    }
    if told.count == Self.capacity { told.removeFirst() }
    told.append(Told(change: change, slots: [slot]))
  }

  /// `change` ends.
  ///
  /// - Returns: the slots that it was already delivered to.
  mutating func end(_ change: Change) -> Set<Int32> {
    guard let place = told.lastIndex(where: { ChangeBrackets.belong($0.change, change) })
    else { return [] }
    return told.remove(at: place).slots
  }
}
