import KVORecorder
import TestSupport
import Testing

@testable import KVOSafety

// Scenarios of NSObjectRACPropertySubscribingSpec.m, NSObjectRACPropertySubscribingExamples.m and RACKVOProxySpec.m of
// ReactiveObjCTests in ReactiveCocoa/ReactiveObjC (1af6617), with what those files expect.

@Suite("ReactiveObjC's scenarios of streams of values and of changes")
struct ReactiveObjCSubscribingTests {
  private let target = Chain()
  private let meter = Meter()

  /// What the next `count` changes of the unit are, as text.
  private func changes(_ options: ObservingOptions, _ count: Int) async -> [String] {
    let changes = meter.changes(of: \.unit, options: options)
    meter.unit = "1"
    meter.unit = "2"
    var iterator = changes.makeAsyncIterator()
    var texts: [String] = []
    for _ in 0..<count {
      guard let change = await iterator.next() else { break }
      let prior = change.isPrior ? "prior " : ""
      texts.append("\(prior)\(change.kind) \(text(change.oldValue)) \(text(change.newValue))")
    }
    return texts
  }

  @Test("each option brings its part of a change; nil is an old and an initial value")
  func changesWithOptions() async {
    #expect(await changes([], 2) == ["setting - -", "setting - -"])
    meter.unit = nil
    #expect(await changes(.new, 2) == ["setting - <1>", "setting - <2>"])
    meter.unit = nil
    #expect(await changes(.old, 2) == ["setting nil -", "setting <1> -"])
    meter.unit = nil
    #expect(await changes(.prior, 2) == ["prior setting - -", "setting - -"])
    meter.unit = nil
    #expect(await changes([.initial, .new], 1) == ["setting - nil"])
  }

  @Test("changes of elements have indexes, a setting has none")
  func indexes() async throws {
    let changes = target.changes(of: \.numbers, options: [])
    target.numbers = []
    let numbers = target.mutableValues(of: \.numbers)
    numbers.append(1)
    try numbers.replace(at: 0, with: 2)
    try numbers.remove(at: 0)
    var iterator = changes.makeAsyncIterator()
    var haveIndexes: [Bool] = []
    for _ in 0..<4 { haveIndexes.append(await iterator.next()?.indexes != nil) }
    #expect(haveIndexes == [false, true, true, true])
  }

  @Test("two streams of one value get each change, and one alone can be ended")
  func individualRemoval() async {
    let first = target.values(for: \.number)
    var firstValues = first.makeAsyncIterator()
    do {
      let second = target.values(for: \.number)
      target.number = 2
      var secondValues = second.makeAsyncIterator()
      for expected in [42, 2] {
        #expect(await firstValues.next() == expected)
        #expect(await secondValues.next() == expected)
      }
    }
    target.number = 3
    #expect(await firstValues.next() == 3)
    #expect(KVO.census(of: target).count == 1)
  }

  @Test("no value comes after the bound observer's deallocation, and neither object is kept")
  func observerGone() async {
    weak var goneTarget: Chain?
    var values: ObservedValues<Int>?
    do {
      let target = Chain()
      goneTarget = target
      do {
        let observer = Pet()
        values = target.values(for: \.number, boundTo: observer)
        target.number = 1
        withExtendedLifetime(observer) {}
      }
      target.number = 2
    }
    #expect(goneTarget == nil)
    var heard: [Int] = []
    if let values { for await value in values { heard.append(value) } }
    #expect(heard == [42, 1])
  }

  @Test("a value that another thread sets before it releases the object still comes")
  func asyncDisposalOfTarget() async {
    var target: Chain? = Chain()
    weak let gone = target
    let values = target?.values(for: \.number)
    onThread {
      target?.number = 2
      target = nil
    }
    #expect(gone == nil)
    var heard: [Int] = []
    if let values { for await value in values { heard.append(value) } }
    #expect(heard == [42, 2])
  }

  @Test("threads replace one observation while others change the value; none is left over")
  func asyncDisposalOfObserver() {
    let account = Account()
    // Not a plain Mutex: four threads contend for it, and the thread sanitizer does not know its futex.
    let current = GuardedState<ObservationToken?>(nil)
    func replace(by token: ObservationToken?) -> ObservationToken? {
      current.withLock { current in
        defer { current = token }
        return current
      }
    }
    onThreads(count: 4) { index in
      for _ in 0..<500 {
        if index.isMultiple(of: 2) {
          replace(by: account.observe(\.note) { _, _ in })?.invalidate()
        } else {
          account.willChangeValue(for: \.note)
          account.didChangeValue(for: \.note)
        }
      }
    }
    #expect(KVO.census(of: account).count == 1)
    replace(by: nil)?.invalidate()
    #expect(KVO.census(of: account).isEmpty)
  }
}
