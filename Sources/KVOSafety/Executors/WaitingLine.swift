/// Elements that wait, in the order in which they came.
///
/// Complexity: O(1) amortized for each element, however many wait.
struct WaitingLine<Element> {
  /// The oldest first; nil if it was taken out.
  private var slots: [Element?] = []
  /// The index of the oldest that was not taken out.
  private var next = 0

  mutating func append(_ element: Element) { slots.append(element) }

  mutating func takeNewest() -> Element? { next < slots.count ? slots.removeLast() : nil }

  mutating func takeOldest() -> Element? {
    guard next < slots.count else {
      // Memory for a few elements is kept; a line that grew because they were taken late gives its memory back.
      slots.removeAll(keepingCapacity: slots.count <= 32)
      next = 0
      return nil
    }
    defer {
      slots[next] = nil
      next += 1
      // Moved up only when half of the slots are empty.
      if next > 32, next * 2 > slots.count {
        slots.removeSubrange(..<next)
        next = 0
      }
    }
    return slots[next]
  }
}

extension WaitingLine: Sendable where Element: Sendable {}
