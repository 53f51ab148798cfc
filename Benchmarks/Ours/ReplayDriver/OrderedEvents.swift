import BenchmarkDriver
import Glibc
import KVOReplay
import KVORules
import KVOTrace

/// Events whose order differs from that of their lines, sorted and judged from memory.
enum OrderedEvents {
  /// The shape of the orders.
  enum Shape: String {
    /// One subject, forward: no event is held back.
    case forward
    /// One subject, backward, as if eight threads had written it.
    case backward
    /// A subject for every four events, each backward on one thread, so that lines and orders
    /// contradict each other.
    case separate
  }

  /// Measures `run`'s number of events.
  static func measure(_ run: MeasuredRun, _ shape: Shape) {
    var names = TraceNames()
    let (type, key) = (names.id(of: "Account"), names.id(of: "balance"))
    let count = run.operationCount
    let events = (0..<count).map { number in
      let order: Int
      switch shape {
      case .forward: order = number + 1
      case .backward: order = count - number
      case .separate: order = 4 - number % 4
      }
      let subject = shape == .separate ? number / 4 : 0
      return Event(
        .write(
          subject: ObjectRef(id: ObjectID(UInt64(subject)), className: type),
          key: key,
          fingerprint: key
        ),
        thread: ThreadID(UInt64(shape == .backward ? number % 8 : 0)),
        order: UInt64(order)
      )
    }
    var replay = OrderedReplay()
    var verdictCount = 0
    run.measure {
      for (index, event) in events.enumerated() {
        replay.take(event, number: index + 1) { _ in verdictCount += 1 }
      }
      replay.finish { _ in verdictCount += 1 }
    }
    guard verdictCount == 0 else {
      MeasuredRun.fail("\(verdictCount) verdicts on events without a fault")
    }
  }
}
