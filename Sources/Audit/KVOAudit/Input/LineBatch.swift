import KVOTrace

/// Events of consecutive lines, collected to be passed on together.
///
/// A class, because two closures add to it: the check whether one does while the other is running would cost as much as
/// reading a tenth of a line. Neither calls the other.
final class LineBatch {
  private static let limit = 512

  @exclusivity(unchecked) private(set) var events: [Event] = []
  /// The 1-based line of the first event.
  @exclusivity(unchecked) private(set) var firstLine = 0

  /// Whether the event of `line` belongs to the batch: it is not full, and no line is missing between.
  func takes(_ line: Int) -> Bool {
    events.isEmpty || (line == firstLine + events.count && events.count < Self.limit)
  }

  /// Moves the event of `line`, which the batch ``takes(_:)``, out of `event`.
  ///
  /// A copy would have to look for what is stored indirectly in each.
  func append(_ event: inout Event, line: Int) {
    if events.isEmpty { firstLine = line }
    events.append(Event(.exit(status: 0)))
    swap(&events[events.count - 1], &event)
  }

  /// Starts again, reusing the memory unless a caller kept the events.
  func removeAll() { events.removeAll(keepingCapacity: true) }
}
