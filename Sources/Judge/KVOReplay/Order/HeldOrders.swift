import KVORules

/// The held events of one subject, the one with the smallest `order` first.
///
/// A heap: input in any order costs the same. An event that leaves before its turn stays in it until it reaches the
/// front, or until such events are half of all.
///
/// Complexity: O(log n) for each event, n events being held.
struct HeldOrders: Sendable {
  typealias Held = (index: Int, order: UInt64)

  private var heap: [Held] = []
  /// How many of them have left.
  private var goneCount = 0

  var first: Held? { heap.first }
  var count: Int { heap.count }

  mutating func insert(_ index: Int, order: UInt64) {
    heap.append((index, order))
    rise(from: heap.count - 1)
  }

  /// Removes the first event.
  ///
  /// - Parameter isGone: whether ``noteGone(isHeld:)`` was called for it.
  mutating func removeFirst(isGone: Bool) {
    if isGone { goneCount -= 1 }
    let last = heap.removeLast()
    guard !heap.isEmpty else { return }
    heap[0] = last
    sink(from: 0)
  }

  /// One of the events has left.
  ///
  /// - Parameter isHeld: whether the event at a position has not left.
  mutating func noteGone(isHeld: (Int) -> Bool) {
    goneCount += 1
    guard goneCount > 32, goneCount * 2 > heap.count else { return }
    goneCount = 0
    heap.removeAll { !isHeld($0.index) }
    for at in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(from: at) }
  }

  /// Events of equal order keep their input order.
  private func isBefore(_ one: Held, _ other: Held) -> Bool {
    (one.order, one.index) < (other.order, other.index)
  }

  private mutating func rise(from start: Int) {
    var at = start
    while at > 0 {
      let parent = (at - 1) / 2
      guard isBefore(heap[at], heap[parent]) else { return }
      heap.swapAt(at, parent)
      at = parent
    }
  }

  private mutating func sink(from start: Int) {
    var at = start
    while true {
      var least = at
      let children = min(2 * at + 1, heap.count)..<min(2 * at + 3, heap.count)
      for child in children where isBefore(heap[child], heap[least]) { least = child }
      guard least != at else { return }
      heap.swapAt(at, least)
      at = least
    }
  }
}
