import KVOSafety
import Synchronization

/// Loops and continuations that all end, in every way that is correct, many at a time.
///
/// Nothing of it may be reported, by the library or by an audit of its log, and nothing may be left waiting.
enum ChurnedLoops {
  // relaxed: counts reports; nothing is published with it.
  private static let reportCount = Atomic<Int>(0)
  private static let laneCount = 8

  /// Runs `count` rounds, and prints what is left of them.
  static func run(_ count: Int) async {
    KVO.policy.setAll(
      .call { violation in
        reportCount.add(1, ordering: .relaxed)
        print(violation.report)
      }
    )
    await withTaskGroup(of: Void.self) { group in
      for lane in 0..<laneCount {
        group.addTask {
          for round in stride(from: lane, to: count, by: laneCount) {
            await ways[round % ways.count]()
          }
        }
      }
    }
    let waiting = KVO.parked().map { "\($0)\n" }.joined()
    print("\(waiting)rounds \(count) waiting \(KVO.parked().count)", terminator: " ")
    print("observed \(KVO.census().count) reported \(reportCount.load(ordering: .relaxed))")
  }

  private static let ways: [@Sendable () async -> Void] = [
    ownerIsReleased, taskIsCancelled, streamIsFinished, sideIsReleasedAfterTheLoop, errorIsThrown,
    continuationIsResumed, valuesAreShared, groupIsCancelled, actorLoops, iteratorIsPassedOn,
    loopIsLeft, subclassIsObserved, taskIsCancelledFirst, neverIterated,
    actorIsKept,
  ]

  @Sendable
  private static func ownerIsReleased() async {
    var meter: Meter? = Meter()
    guard let values = meter?.values(for: \.level) else { return }
    let task = Task { await sum(values) }
    meter?.level = 1
    await Task.yield()
    meter?.level = 2
    meter = nil
    expect(await task.value == 3)
  }

  @Sendable
  private static func taskIsCancelled() async {
    let meter = Meter()
    let values = meter.values(for: \.level)
    let task = Task { await sum(values) }
    meter.level = 1
    await Task.yield()
    task.cancel()
    _ = await task.value
    withExtendedLifetime(meter) {}
  }

  @Sendable
  private static func streamIsFinished() async {
    let (events, sender) = AsyncStream.makeStream(of: Int.self)
    let task = Task(name: "events", priority: .low) { await sum(events.noted(as: "events")) }
    sender.yield(1)
    await Task.yield()
    sender.finish()
    expect(await task.value == 1)
  }

  @Sendable
  private static func sideIsReleasedAfterTheLoop() async {
    let (prices, supply) = AsyncStream<Int>.recorded(as: "prices")
    let task = Task {
      for await _ in prices { break }
    }
    supply.yield(1)
    await task.value
  }

  @Sendable
  private static func errorIsThrown() async {
    struct Failure: Error {}
    let (events, sender) = AsyncThrowingStream.makeStream(of: Int.self)
    let task = Task {
      for try await _ in events.noted(as: "failing") {}
    }
    sender.yield(1)
    sender.finish(throwing: Failure())
    let result = await task.result
    if case .success = result { expect(false) }
  }

  @Sendable
  private static func continuationIsResumed() async {
    let value = await withCheckedContinuation { (continuation: CheckedContinuation<Int, Never>) in
      let continuation = continuation.recorded(as: "reply")
      Task { continuation.resume(returning: 7) }
    }
    expect(value == 7)
  }

  @Sendable
  private static func valuesAreShared() async {
    let meter = Meter()
    let values = meter.sharedValues(for: \.level)
    let first = Task { await values.first { $0 == 1 } }
    let second = Task { for await _ in values {} }
    meter.level = 1
    _ = await first.value
    second.cancel()
    await second.value
  }

  @Sendable
  private static func groupIsCancelled() async {
    let meter = Meter()
    let values = (0..<3).map { _ in meter.values(for: \.level) }
    await withTaskGroup(of: Int.self) { group in
      for values in values { group.addTask { await sum(values) } }
      group.addTask { 0 }
      _ = await group.next()
      group.cancelAll()
    }
    withExtendedLifetime(meter) {}
  }

  @Sendable
  private static func actorLoops() async {
    let (events, sender) = AsyncStream.makeStream(of: Int.self)
    let desk = Desk()
    let task = Task { await desk.loop(events) }
    for number in 1...3 { sender.yield(number) }
    sender.finish()
    await task.value
    expect(await desk.sum == 6)
  }

  /// An iterator waits in one task after another.
  @Sendable
  private static func iteratorIsPassedOn() async {
    let (events, sender) = AsyncStream.makeStream(of: Int.self)
    let iterator = events.noted(as: "passed on").makeAsyncIterator()
    nonisolated(unsafe) var passed = iterator
    for number in 1...3 {
      sender.yield(number)
      let task = Task {
        // unsafe: the tasks follow each other.
        var own = passed
        return await own.next(isolation: nil)
      }
      expect(await task.value == number)
      passed = iterator
    }
    sender.finish()
  }

  @Sendable
  private static func loopIsLeft() async {
    let meter = Meter()
    meter.level = 1
    for await _ in meter.values(for: \.level) { break }
    for await _ in meter.changes(of: \.level) { break }
    for await _ in meter.sharedValues(for: \.level) { break }
  }

  @Sendable
  private static func subclassIsObserved() async {
    let meter = WideMeter()
    let levels = meter.values(for: \.level)
    let widths = meter.values(for: \.width)
    async let level = levels.first { $0 == 1 }
    async let width = widths.first { $0 == 2 }
    meter.level = 1
    meter.width = 2
    let found = await (level, width)
    expect(found == (1, 2))
  }

  /// The other side is released while the loop still waits, but its task was cancelled.
  @Sendable
  private static func taskIsCancelledFirst() async {
    let (prices, supply) = AsyncStream<Int>.recorded(as: "cancelled prices")
    let task = Task { for await _ in prices {} }
    supply.yield(1)
    await Task.yield()
    task.cancel()
    await task.value
    withExtendedLifetime(supply) {}
  }

  @Sendable
  private static func neverIterated() async {
    let meter = Meter()
    let values = meter.values(for: \.level)
    let noted = values.noted(as: "twice")
    _ = noted.makeAsyncIterator()
    meter.level = 1
    let (prices, _) = AsyncStream<Int>.recorded(as: "unused prices")
    _ = prices
  }

  /// A sequence takes its elements on the actor of the loop, also in another one.
  @Sendable @MainActor
  private static func actorIsKept() async {
    var sum = 0
    for await number in MainNumbers().noted(as: "main").noted(as: "outer") {
      MainActor.preconditionIsolated()
      sum += number
    }
    expect(sum == 6)
  }

  private static func sum<Values: AsyncSequence>(
    _ values: Values
  ) async -> Int where Values.Element == Int, Values.Failure == Never {
    var sum = 0
    for await value in values { sum += value }
    return sum
  }

  private static func expect(_ isRight: Bool, line: Int = #line) {
    if !isRight { print("ChurnedLoops.swift:\(line) is wrong") }
  }
}

/// A class that can be subclassed.
private class Meter: KeyValueObservable, @unchecked Sendable {
  // Sendable: one task at a time changes it.
  let observationRegistrar = ObservationRegistrar()
  private static let keys = ObservableKeyTable(ObservableKey("level", \Meter.level))
  class var observableKeys: ObservableKeyTable { keys }

  var level = 0 {
    willSet { willChangeValue(for: \.level) }
    didSet { didChangeValue(for: \.level) }
  }
}

private class WideMeter: Meter, @unchecked Sendable {
  private static let keys = ObservableKeyTable(
    inheriting: Meter.observableKeys,
    ObservableKey("width", \WideMeter.width)
  )
  override class var observableKeys: ObservableKeyTable { keys }

  var width = 0 {
    willSet { willChangeValue(for: \.width) }
    didSet { didChangeValue(for: \.width) }
  }
}

/// Three numbers, taken on the main actor.
private struct MainNumbers: AsyncSequence, AsyncIteratorProtocol {
  typealias Element = Int
  typealias Failure = Never
  private var number = 0

  func makeAsyncIterator() -> MainNumbers { self }

  mutating func next(isolation actor: isolated (any Actor)?) async -> Int? {
    MainActor.preconditionIsolated()
    await Task.yield()
    MainActor.preconditionIsolated()
    number += 1
    return number <= 3 ? number : nil
  }
}

private actor Desk {
  var sum = 0

  func loop(_ events: AsyncStream<Int>) async {
    for await event in events.noted(as: "desk") { sum += event }
  }
}
