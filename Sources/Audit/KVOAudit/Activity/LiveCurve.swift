/// How many registrations were live over the course of a log, in a bounded number of steps.
///
/// All steps cover the same number of events, which doubles as the log grows, so that there are never more than
/// ``limit`` steps.
package struct LiveCurve: Hashable, Sendable {
  package static let limit = 400

  /// Some consecutive events.
  package struct Step: Hashable, Sendable {
    /// The most registrations that were live when it was sampled.
    package var peak: Int
    /// How many were live at its end.
    package var live: Int
    /// The number of its last event in the input.
    package var lastEvent: Int
    /// The time of its last event that has one, or nil.
    package var time: UInt64?
  }

  package private(set) var steps: [Step] = []
  /// How many events a full step covers.
  package private(set) var stride = 1
  /// How many events the last step covers so far.
  private var filledCount = 0

  package init() {}

  /// How many more events the step that is being filled takes.
  package var room: Int { steps.isEmpty || filledCount == stride ? stride : stride - filledCount }

  /// The most registrations that were live when it was sampled.
  package var peak: Int { steps.lazy.map(\.peak).max() ?? 0 }

  /// Notes the state after `count` more events, no more than ``room``.
  ///
  /// Complexity: O(1) on average.
  package mutating func add(_ count: Int, lastEvent: Int, live: Int, time: UInt64?) {
    if steps.isEmpty || filledCount == stride {
      if steps.count == Self.limit { double() }
    }
    if steps.isEmpty || filledCount == stride {
      steps.append(Step(peak: live, live: live, lastEvent: lastEvent, time: time))
      filledCount = count
      return
    }
    steps[steps.count - 1].peak = max(steps[steps.count - 1].peak, live)
    steps[steps.count - 1].live = live
    steps[steps.count - 1].lastEvent = lastEvent
    steps[steps.count - 1].time = time ?? steps[steps.count - 1].time
    filledCount += count
  }

  /// The step that the event with the number `event` is in; the nearest if it is in none.
  ///
  /// Complexity: O(log steps).
  package func index(of event: Int) -> Int {
    var low = 0
    var high = max(0, steps.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if steps[middle].lastEvent < event { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Merges pairs of steps.
  ///
  /// Their number is even, so that all of them are full.
  private mutating func double() {
    steps = Swift.stride(from: 0, to: steps.count, by: 2).map { index in
      var step = steps[index + 1]
      step.peak = max(step.peak, steps[index].peak)
      step.time = step.time ?? steps[index].time
      return step
    }
    stride *= 2
    filledCount = stride
  }
}
