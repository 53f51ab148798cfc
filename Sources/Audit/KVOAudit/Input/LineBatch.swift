import KVOTrace

/// Events of consecutive lines, collected to be passed on together.
struct LineBatch {
  private static let limit = 512

  private(set) var events: [Event] = []
  /// The 1-based line of the first event.
  private(set) var firstLine = 0

  /// Whether the event of `line` belongs to the batch: it is not full, and no line is missing between.
  func takes(_ line: Int) -> Bool {
    events.isEmpty || (line == firstLine + events.count && events.count < Self.limit)
  }

  /// Adds the event of `line`, which the batch ``takes(_:)``.
  mutating func append(_ event: Event, line: Int) {
    if events.isEmpty { firstLine = line }
    events.append(event)
  }

  /// Starts again, reusing the memory unless a caller kept the events.
  mutating func removeAll() { events.removeAll(keepingCapacity: true) }
}
