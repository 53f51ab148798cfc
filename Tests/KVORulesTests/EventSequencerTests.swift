import KVORules
import KVOTrace
import TestSupport
import Testing

@testable import KVOReplay

@Suite("The order of events of several threads")
struct EventSequencerTests {
  private static func sequence(
    _ events: [Event],
    window: Int = 4_096
  ) -> [(event: Event, number: Int)] {
    var sequencer = EventSequencer(window: window)
    var result: [(Event, Int)] = []
    for (index, event) in events.enumerated() {
      sequencer.push(event, number: index + 1) { result.append(($0, $1)) }
    }
    sequencer.flush { result.append(($0, $1)) }
    return result
  }

  /// A true history of three threads and two objects, with the orders that they took, and then the
  /// lines written by threads that waited for each other `slack` lines at most.
  private static func history(seed: UInt64, count: Int, slack: Int) -> [Event] {
    var random = SplitMix64(seed: seed)
    var log = SampleLog()
    var orders: [UInt64] = [0, 0]
    for number in 0..<count {
      let subject = Int.random(in: 0..<2, using: &random)
      let thread = String(Int.random(in: 1...3, using: &random))
      let name = "Account#\(subject + 1)"
      let id = String(number + 1)
      let hasOrder = Int.random(in: 0..<8, using: &random) > 0
      if hasOrder { orders[subject] += 1 }
      let order = hasOrder ? orders[subject] : nil
      switch Int.random(in: 0..<4, using: &random) {
      case 0: log.register(id, name, thread: thread, order: order)
      case 1: log.will(name, thread: thread, order: order)
      case 2: log.did(name, thread: thread, order: order)
      default: log.remove(id, name, thread: thread, order: order)
      }
    }
    // A line may move back past lines of other threads.
    var keyed = log.events.enumerated().map { index, event in
      (key: index + Int.random(in: 0...max(slack, 0), using: &random), index: index, event: event)
    }
    var last: [ThreadID?: Int] = [:]
    for index in keyed.indices {
      let thread = keyed[index].event.thread
      keyed[index].key = max(keyed[index].key, last[thread] ?? 0)
      last[thread] = keyed[index].key
    }
    keyed.sort { ($0.key, $0.index) < ($1.key, $1.index) }
    return keyed.map(\.event)
  }

  private static func subject(_ event: Event) -> ObjectID? {
    switch event.body {
    case .register(let registration): registration.subject.id
    case .willChange(let change), .didChange(let change): change.subject.id
    case .remove(let removal): removal.subject.id
    default: nil
    }
  }

  private static func isConsistent(
    _ result: [(event: Event, number: Int)],
    with events: [Event]
  ) -> Bool {
    guard result.map(\.number).sorted() == Array(1...events.count),
      result.allSatisfy({ events[$0.number - 1] == $0.event })
    else { return false }
    var lines: [ThreadID?: Int] = [:]
    var orders: [ObjectID: UInt64] = [:]
    for (event, number) in result {
      if number < lines[event.thread] ?? 0 { return false }
      lines[event.thread] = number
      if let subject = subject(event), let order = event.order {
        if order < orders[subject] ?? 0 { return false }
        orders[subject] = order
      }
    }
    return true
  }

  @Test("random interleavings of three threads come out as they happened")
  func interleavings() {
    var swapped = 0
    for seed in 0..<UInt64(300) {
      let events = Self.history(seed: seed, count: 120, slack: 40)
      let result = Self.sequence(events)
      #expect(Self.isConsistent(result, with: events), "seed \(seed)")
      if result.map(\.number) != Array(1...events.count) { swapped += 1 }
    }
    #expect(swapped > 250)
  }

  @Test("a window of the distance suffices")
  func window() {
    for seed in 0..<UInt64(100) {
      let events = Self.history(seed: seed, count: 400, slack: 10)
      #expect(Self.isConsistent(Self.sequence(events, window: 64), with: events), "seed \(seed)")
    }
  }

  @Test("what is in order goes through as it is, whatever the window", arguments: [1, 2, 4_096])
  func inOrder(window: Int) {
    let events = Self.history(seed: 7, count: 500, slack: 0)
    #expect(Self.sequence(events, window: window).map(\.number) == Array(1...500))
  }

  @Test("a delivery waits for the registration that follows it in the file")
  func beforeRegister() {
    let log = SampleLog {
      $0.notify("1", thread: "2", order: 2)
      $0.register("1", thread: "1", order: 1)
    }
    #expect(Self.sequence(log.events).map(\.number) == [2, 1])
  }

  @Test("a removal that was written first still comes after the registration")
  func judgment() {
    let log = SampleLog {
      $0.remove("1", thread: "2", order: 2)
      $0.register("1", thread: "1", order: 1)
    }
    #expect(log.outcome() == [])
    var engine = RuleEngine()
    var codes: [RuleCode] = []
    for (event, number) in Self.sequence(log.events) {
      codes += engine.consume(event, number: number).map(\.code)
    }
    #expect(codes == [])
    #expect(engine.liveRegistrationCount == 0)
  }

  @Test("lines of a thread that contradict the orders win, and everything comes out once")
  func contradiction() {
    let log = SampleLog {
      $0.will("Account#1", thread: "1", order: 9)
      $0.will("Account#2", thread: "1", order: 1)
      $0.will("Account#2", thread: "2", order: 9)
      $0.will("Account#1", thread: "2", order: 1)
    }
    let numbers = Self.sequence(log.events).map(\.number)
    #expect(numbers.sorted() == [1, 2, 3, 4])
    #expect(numbers.firstIndex(of: 1) ?? 9 < numbers.firstIndex(of: 2) ?? 0)
    #expect(numbers.firstIndex(of: 3) ?? 9 < numbers.firstIndex(of: 4) ?? 0)
  }

  @Test("random orders that mean nothing lose no event and keep the lines of each thread")
  func nonsense() {
    for seed in 0..<UInt64(200) {
      var random = SplitMix64(seed: seed)
      var log = SampleLog()
      for _ in 0..<60 {
        log.will(
          "Account#\(Int.random(in: 1...3, using: &random))",
          thread: String(Int.random(in: 1...4, using: &random)),
          order: UInt64.random(in: 0..<20, using: &random)
        )
      }
      let result = Self.sequence(log.events, window: 16)
      #expect(result.map(\.number).sorted() == Array(1...60))
      var lines: [ThreadID?: Int] = [:]
      for (event, number) in result {
        #expect(number > lines[event.thread] ?? 0)
        lines[event.thread] = number
      }
    }
  }

  @Test(
    "orders that run backwards keep no more events than the window, and few are looked at for each",
    arguments: [1, 5_000],
    [1, 8]
  )
  func backwards(subjectCount: Int, threadCount: Int) {
    let window = 512
    let count = 20_000
    var log = SampleLog()
    for number in 0..<count {
      log.will(
        "Account#\(number % subjectCount + 1)",
        thread: String(number % threadCount + 1),
        order: UInt64(count - number + 1)
      )
    }
    var sequencer = EventSequencer(window: window)
    var numbers: [Int] = []
    var mostKept = 0
    for (index, event) in log.events.enumerated() {
      sequencer.push(event, number: index + 1) { numbers.append($1) }
      sequencer.release(while: { _ in false }) { _, _ in }
      mostKept = max(mostKept, sequencer.orderedCount)
    }
    sequencer.flush { numbers.append($1) }
    #expect(numbers.sorted() == Array(1...count))
    // Events that have left may be half of all.
    #expect(mostKept <= 3 * window)
    #expect(sequencer.stepCount <= 20 * count)
  }

  // The positions in a heap, compared with a sorted list.
  @Test("held orders come out sorted, whichever leave before their turn")
  func heldOrders() {
    var random = SplitMix64(seed: 7)
    var held = HeldOrders()
    var orders: [Int: UInt64] = [:]
    for place in 0..<3_000 {
      let order = UInt64.random(in: 0..<500, using: &random)
      held.insert(place, order: order)
      orders[place] = order
      if place % 3 > 0, let gone = orders.keys.filter({ $0 != held.first?.index }).min() {
        orders[gone] = nil
        held.noteGone { orders[$0] != nil }
      }
      while let first = held.first, orders[first.index] == nil { held.removeFirst(isGone: true) }
      let expected = orders.min { ($0.value, $0.key) < ($1.value, $1.key) }
      #expect(held.first?.index == expected?.key)
      #expect(held.count <= 2 * orders.count + 64)
    }
    var last: UInt64 = 0
    while let first = held.first {
      #expect(first.order >= last)
      last = first.order
      held.removeFirst(isGone: orders.removeValue(forKey: first.index) == nil)
    }
    #expect(orders.isEmpty)
  }
}
