import Foundation
import KVORules
import TestSupport
import Testing

@testable import KVOSafety

private final class Gallery: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("numbers", \Gallery.numbers),
    ObservableKey("names", \Gallery.names)
  )
  var numbers = [1] {
    willSet { willChangeValue(for: \.numbers) }
    didSet { didChangeValue(for: \.numbers) }
  }
  var names: Set<String> = ["a"] {
    willSet { willChangeValue(for: \.names) }
    didSet { didChangeValue(for: \.names) }
  }
}

@Suite("The stream form")
struct StreamTests {
  @Test(
    "the present value comes first, then each change, also what came before the first was taken"
  )
  func losesNothing() async {
    let account = Account()
    account.balance = 1
    let values = account.values(for: \.balance)
    account.balance = 2
    account.balance = 2
    var iterator = values.makeAsyncIterator()
    for expected in [1, 2, 2] { #expect(await iterator.next() == expected) }
    account.balance = 3
    #expect(await iterator.next() == 3)
    #expect(values.droppedCount == 0)
  }

  @Test("a stream of a collection has the whole collection after every change of its elements")
  func collections() async throws {
    let gallery = Gallery()
    let numbers = gallery.values(for: \.numbers)
    let byName = gallery.values(forKeyPath: "numbers", as: [Int].self)
    let names = gallery.values(for: \.names)
    let elements = gallery.mutableValues(of: \.numbers)
    elements.append(2)
    try elements.insert(0, at: 0)
    try elements.replace(at: 1, with: 9)
    try elements.remove(at: 0)
    elements.removeAll()
    let set = gallery.mutableSet(of: \.names)
    set.formUnion(["b"])
    set.subtract(["a"])
    set.formUnion(["c"])
    set.formIntersection(["c"])
    set.set(["d"])
    let expected = [[1], [1, 2], [0, 1, 2], [0, 9, 2], [9, 2], []]
    var iterator = numbers.makeAsyncIterator()
    for value in expected { #expect(await iterator.next() == value) }
    var named = byName.makeAsyncIterator()
    for value in expected { #expect(await named.next() == .some(value)) }
    var sets = names.makeAsyncIterator()
    for value: Set<String> in [["a"], ["a", "b"], ["b"], ["b", "c"], ["c"], ["d"]] {
      #expect(await sets.next() == value)
    }
  }

  @Test("a stream of the changes of a collection has the elements and their indexes")
  func collectionChanges() async {
    let gallery = Gallery()
    let changes = gallery.changes(of: \.numbers, options: [.old, .new])
    gallery.mutableValues(of: \.numbers).append(2)
    var iterator = changes.makeAsyncIterator()
    let change = await iterator.next()
    #expect(change?.kind == .insertion)
    #expect(change?.newValue == [2])
    #expect(change?.indexes == RangeSet(1..<2))
  }

  @Test(
    "the stream keeps neither side alive, and ends when the observed object is deallocated"
  )
  func endsWithSubject() async {
    weak var observed: Account?
    var values: ObservedValues<Int>?
    let found = verdicts(where: { $0.code == .observedDeinitWhileObserved }) {
      let account = Account()
      observed = account
      values = account.values(for: \.balance)
      account.balance = 1
    }
    #expect(observed == nil)
    #expect(found.isEmpty)
    var heard: [Int] = []
    if let values { for await value in values { heard.append(value) } }
    #expect(heard == [0, 1])
  }

  @Test("the stream ends when the object that it is bound to is deallocated")
  func endsWithObserver() async {
    let account = Account()
    weak var bound: Pet?
    var values: ObservedValues<Int>?
    let found = verdicts(about: account) {
      let pet = Pet()
      bound = pet
      values = account.values(for: \.balance, boundTo: pet)
      account.balance = 1
      withExtendedLifetime(pet) {}
    }
    #expect(bound == nil)
    account.balance = 2
    var heard: [Int] = []
    if let values { for await value in values { heard.append(value) } }
    #expect(heard == [0, 1])
    #expect(found.isEmpty)
    #expect(KVO.census(of: account).isEmpty)
  }

  @Test("a stream that no one holds observes no more")
  func dropped() {
    let account = Account()
    do {
      let values = account.values(for: \.balance)
      #expect(KVO.census(of: account).count == 1)
      withExtendedLifetime(values) {}
    }
    #expect(KVO.census(of: account).isEmpty)
  }

  @Test("a cancelled task ends its stream")
  func cancelled() async {
    let account = Account()
    let values = account.values(for: \.balance)
    let task = Task {
      var count = 0
      for await _ in values { count += 1 }
      return count
    }
    task.cancel()
    _ = await task.value
    #expect(KVO.census(of: account).isEmpty)
  }

  @Test("a path follows the objects on it; it is nil if it ends early")
  func path() async {
    let account = Account(owner: Person("Ada"))
    let values = account.values(for: \.owner?.name)
    account.owner?.name = "Ada L."
    account.owner = nil
    account.owner = Person("Grace")
    var iterator = values.makeAsyncIterator()
    for expected in ["Ada", "Ada L.", nil, "Grace"] {
      #expect(await iterator.next() == .some(expected))
    }
  }

  @Test("a path by name works like a typed one; a value of another type is nil")
  func pathByName() async {
    let account = Account(owner: Person("Ada"))
    let names = account.values(forKeyPath: "owner.name", as: String.self)
    let numbers = account.values(forKeyPath: "owner.name", as: Int.self)
    account.owner = nil
    var iterator = names.makeAsyncIterator()
    #expect(await iterator.next() == .some("Ada"))
    #expect(await iterator.next() == .some(nil))
    var other = numbers.makeAsyncIterator()
    #expect(await other.next() == .some(nil))
  }

  @Test("an object that was replaced on the path is silent, and not kept alive")
  func replaced() async {
    let account = Account(owner: Person("Ada"))
    let values = account.values(for: \.owner?.name)
    weak let first = account.owner
    do {
      let old = account.owner
      account.owner = Person("Grace")
      old?.name = "unheard"
    }
    #expect(first == nil)
    account.owner?.name = "Grace H."
    var iterator = values.makeAsyncIterator()
    for expected in ["Ada", "Grace", "Grace H."] {
      #expect(await iterator.next() == .some(expected))
    }
  }

  @Test(
    "an object is bound to itself, and to a value of its own; both are deallocated all the same"
  )
  func boundToItself() async {
    weak var observed: Account?
    var values: ObservedValues<Int>?
    var names: ObservedValues<String?>?
    do {
      let account = Account(owner: Person("Ada"))
      observed = account
      values = account.values(for: \.balance, boundTo: account)
      names = account.values(for: \.owner?.name, boundTo: account.owner)
    }
    #expect(observed == nil)
    var heard = 0
    if let values { for await _ in values { heard += 1 } }
    if let names { for await _ in names { heard += 1 } }
    #expect(heard == 2)
  }

  @Test("without the initial value the first is that of the first change; an array in place is one")
  func withoutInitial() async {
    let account = Account()
    let changes = account.changes(of: \.tags, options: .new)
    account.tags.append("a")
    var iterator = changes.makeAsyncIterator()
    #expect(await iterator.next()?.newValue == ["a"])
  }

  @Test("several streams of one property end one by one")
  func several() async {
    let account = Account()
    let first = account.values(for: \.balance)
    do {
      let second = account.values(for: \.balance)
      #expect(KVO.census(of: account).count == 2)
      withExtendedLifetime(second) {}
    }
    #expect(KVO.census(of: account).count == 1)
    account.balance = 1
    var iterator = first.makeAsyncIterator()
    #expect(await iterator.next() == 0)
    #expect(await iterator.next() == 1)
  }

  @Test("changes have the values that their options request")
  func changes() async {
    let account = Account()
    let changes = account.changes(of: \.balance, options: [.old, .new, .prior])
    account.balance = 1
    var iterator = changes.makeAsyncIterator()
    for expected in ["balance setting prior from 0", "balance setting from 0 to 1"] {
      let change = await iterator.next()
      #expect(change.map { line("balance", $0) } == expected)
    }
  }

  @Test("a bounded stream keeps the newest or the oldest, and counts what it dropped")
  func buffering() async {
    let account = Account()
    let newest = account.values(for: \.balance, buffering: .newest(2))
    let oldest = account.values(for: \.balance, buffering: .oldest(2))
    for balance in 1...4 { account.balance = balance }
    #expect(newest.droppedCount == 3)
    #expect(oldest.droppedCount == 3)
    var newestValues = newest.makeAsyncIterator()
    var oldestValues = oldest.makeAsyncIterator()
    #expect(await newestValues.next() == 3)
    #expect(await newestValues.next() == 4)
    #expect(await oldestValues.next() == 0)
    #expect(await oldestValues.next() == 1)
  }

  @Test("a path that cannot be observed is reported, and its stream ends at once")
  func refused() async {
    let account = Account()
    var values: ObservedValues<Int>?
    let found = verdicts(about: account) { values = account.values(for: \.secret) }
    #expect(found.map(\.code) == [.uncompliantPath])
    var iterator = values?.makeAsyncIterator()
    #expect(await iterator?.next() == .some(nil))
  }

  @Test("changes of other threads all arrive, each thread's in its order")
  func threads() async {
    let account = Account()
    let values = account.values(for: \.tags)
    let lock = NSLock()
    onThreads(count: 4) { index in
      for step in 0..<100 {
        lock.withLock { account.tags = ["\(index)", "\(step)"] }
      }
    }
    var iterator = values.makeAsyncIterator()
    #expect(await iterator.next() == [])
    var steps = [-1, -1, -1, -1]
    for _ in 0..<400 {
      guard let tags = await iterator.next(), let index = Int(tags[0]), let step = Int(tags[1])
      else {
        Issue.record("a value is missing")
        return
      }
      #expect(step == steps[index] + 1)
      steps[index] = step
    }
    #expect(steps == [99, 99, 99, 99])
  }

  @Test("streams whose observer is deallocated while values are in transit end as well")
  func asynchronousDisposal() async {
    let account = Account()
    for _ in 0..<50 {
      var pet: Pet? = Pet()
      let values = account.values(for: \.note, boundTo: pet)
      onThreads(count: 2) { index in
        if index == 0 {
          for _ in 0..<20 {
            account.willChangeValue(for: \.note)
            account.didChangeValue(for: \.note)
          }
        } else {
          pet = nil
        }
      }
      var count = 0
      for await _ in values { count += 1 }
      #expect((1...21).contains(count))
    }
    #expect(KVO.census(of: account).isEmpty)
  }

  @Test("a main actor screen receives values on its actor")
  @MainActor
  func mainActor() async {
    let account = Account()
    let values = account.values(for: \.balance, boundTo: account)
    account.balance = 1
    var heard: [Int] = []
    for await value in values {
      MainActor.assertIsolated()
      heard.append(value)
      if heard.count == 2 { break }
    }
    #expect(heard == [0, 1])
  }
}
