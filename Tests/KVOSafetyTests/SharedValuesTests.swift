import TestSupport
import Testing

@testable import KVOSafety

@Suite("Streams for several loops")
struct SharedValuesTests {
  private let account = Account()

  @Test("each loop gets every value, even those before it began")
  func everyLoop() async {
    let values = account.sharedValues(for: \.balance)
    account.balance = 1
    var first = values.makeAsyncIterator()
    #expect(await first.next() == 0)
    account.balance = 2
    var second = values.makeAsyncIterator()
    for expected in [0, 1, 2] { #expect(await second.next() == expected) }
    for expected in [1, 2] { #expect(await first.next() == expected) }
    account.balance = 3
    #expect(await first.next() == 3)
    #expect(await second.next() == 3)
    #expect(KVO.census(of: account).count == 1)
  }

  @Test("as many values are kept as requested, at least one")
  func keeping() async {
    let two = account.sharedValues(for: \.balance, keeping: 2)
    let one = account.sharedValues(for: \.balance, keeping: 0)
    var early = two.makeAsyncIterator()
    for balance in 1...5 { account.balance = balance }
    var late = two.makeAsyncIterator()
    for expected in [4, 5] { #expect(await late.next() == expected) }
    for expected in [4, 5] { #expect(await early.next() == expected) }
    var newest = one.makeAsyncIterator()
    #expect(await newest.next() == 5)
  }

  @Test("loops that wait are woken by a change on another thread, in tasks of their own")
  func tasks() async {
    let values = account.sharedValues(for: \.balance)
    let tasks = (0..<4).map { _ in
      Task {
        var sum = 0
        for await value in values {
          sum += value
          if value == 100 { break }
        }
        return sum
      }
    }
    await Task.yield()
    onThread { for balance in 1...100 { account.balance = balance } }
    for task in tasks { #expect(await task.value == 5050) }
  }

  @Test("all loops end when the object is deallocated, after the values that are left")
  func endsWithSubject() async {
    var values: SharedValues<Int>?
    do {
      let account = Account()
      values = account.sharedValues(for: \.balance)
      account.balance = 1
    }
    guard let values else { return }
    for _ in 0..<2 {
      var heard: [Int] = []
      for await value in values { heard.append(value) }
      #expect(heard == [0, 1])
    }
  }

  @Test("they end with the object that they are bound to")
  func endsWithObserver() async {
    var values: SharedValues<Int>?
    do {
      let pet = Pet()
      values = account.sharedValues(for: \.balance, boundTo: pet)
      withExtendedLifetime(pet) {}
    }
    account.balance = 1
    var heard: [Int] = []
    if let values { for await value in values { heard.append(value) } }
    #expect(heard == [0])
    #expect(KVO.census(of: account).isEmpty)
  }

  @Test("a cancelled task ends its own loop alone")
  func cancelled() async {
    let values = account.sharedValues(for: \.balance)
    let task = Task { for await _ in values {} }
    var other = values.makeAsyncIterator()
    task.cancel()
    await task.value
    account.balance = 1
    #expect(await other.next() == 0)
    #expect(await other.next() == 1)
    #expect(KVO.census(of: account).count == 1)
  }

  @Test("a cancelled task takes no values that come later, however fast they come")
  func cancelledWhileValuesCome() async {
    let hub = StreamHub<Int>(keeping: nil)
    hub.yield(0)
    hub.yield(1)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var heard: [Int] = []
      for await value in SharedValues(hub, nil) {
        heard.append(value)
        if value < 10 { hub.yield(value + 2) }
      }
      return heard
    }
    #expect(await task.value == [0, 1])
  }

  @Test("without a holder the observation ends")
  func released() {
    do {
      let values = account.sharedValues(for: \.balance)
      #expect(KVO.census(of: account).count == 1)
      withExtendedLifetime(values) {}
    }
    #expect(KVO.census(of: account).isEmpty)
  }

  @Test("an iterator alone keeps the observation; a stream that cannot observe ends at once")
  func iteratorHolds() async {
    var iterator = account.sharedValues(for: \.balance).makeAsyncIterator()
    account.balance = 1
    #expect(await iterator.next() == 0)
    #expect(await iterator.next() == 1)
    var refused = account.sharedValues(for: \.secret).makeAsyncIterator()
    #expect(await refused.next() == nil)
  }
}
