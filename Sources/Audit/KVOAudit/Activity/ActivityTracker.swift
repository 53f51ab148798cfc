import KVOTrace

/// Follows one process while it is replayed.
struct ActivityTracker {
  /// How often the live registrations are sampled, in events: a longer step of the curve has the maximum of several
  /// samples.
  static let glanceCount = 64

  private var curve = LiveCurve()
  private var firstEvent = 0

  /// How many events to replay before the next ``note(_:firstNumber:live:)``, at the most.
  var room: Int { min(curve.room, Self.glanceCount) }

  /// `events` were replayed, which are no more than ``room``.
  mutating func note(_ events: Span<Event>, firstNumber: Int, live: Int) {
    if firstEvent == 0 {
      // The first events of a log only describe the recording: there is no activity yet.
      guard events.indices.contains(where: { !Self.isDescription(events[$0]) }) else { return }
      firstEvent = firstNumber
    }
    var time: UInt64?
    for at in events.indices { time = events[at].time ?? time }
    curve.add(events.count, lastEvent: firstNumber + events.count - 1, live: live, time: time)
  }

  private static func isDescription(_ event: borrowing Event) -> Bool {
    switch event.body {
    case .process, .module, .threadName: true
    default: false
    }
  }

  /// The activity so far.
  var process: Activity.Process { Activity.Process(firstEvent: firstEvent, curve: curve) }
}
