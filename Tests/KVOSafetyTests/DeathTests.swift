import KVORules
import KVOTrace
import Synchronization
import TestSupport
import Testing

@testable import KVOSafety

private class Base: Listener {}
private final class Derived: Base {}
private final class Generic<Value>: Listener {
  let value: Value
  init(_ value: Value) { self.value = value }
}
private final class Tidy: Listener {
  let account: Account
  init(_ account: Account) { self.account = account }
  deinit { account.removeObserver(self, forKeyPath: "balance") }
}

@Suite("Deallocation")
struct DeathTests {
  @Test(
    "an observer's deallocation is noticed whatever its class is",
    arguments: [
      { Listener() }, { Base() }, { Derived() }, { Generic(1) }, { Generic("text") },
      { Generic([1.5]) },
    ] as [@Sendable () -> Listener]
  )
  func classes(make: @Sendable () -> Listener) {
    let account = Account()
    let found = verdicts(about: account) {
      account.addObserver(make(), forKeyPath: "balance")
      account.balance = 1
    }
    #expect(found.map(\.code) == [.observerDeinitWhileRegistered])
    #expect(KVO.census(of: account).isEmpty)
  }

  @Test("a class that is watched keeps its identity and its casts")
  func identity() {
    let account = Account()
    let observer = Derived()
    account.addObserver(observer, forKeyPath: "balance")
    #expect(type(of: observer) == Derived.self)
    #expect((observer as AnyObject) is Derived)
    #expect((observer as AnyObject) is Base)
    #expect(String(describing: observer).contains("Derived"))
    account.removeObserver(observer, forKeyPath: "balance")
  }

  @Test("an observer that removes itself in its deinit is correct, and silent")
  func removesInDeinit() {
    let account = Account()
    let found = verdicts(about: account) {
      let tidy = Tidy(account)
      account.addObserver(tidy, forKeyPath: "balance")
      account.balance = 1
    }
    #expect(found.isEmpty)
  }

  @Test("an observer of many objects is removed from all of them, each reported")
  func manySubjects() {
    let accounts = (0..<3).map { _ in Account() }
    let ids = Set(accounts.map { $0.storage.record.ref.id })
    let found = verdicts(
      onAnyThread: true,
      where: { $0.subject.map { ids.contains($0.id) } ?? false }
    ) {
      let listener = Listener()
      for account in accounts { account.addObserver(listener, forKeyPath: "balance") }
    }
    #expect(found.map(\.code) == Array(repeating: .observerDeinitWhileRegistered, count: 3))
    #expect(accounts.allSatisfy { KVO.census(of: $0).isEmpty })
  }

  @Test(
    "both are deallocated, in either order and on any thread: nothing is called, one fault is reported"
  )
  func bothDie() {
    for subjectFirst in [true, false] {
      var account: Account? = Account()
      var listener: Listener? = Listener()
      let subject = account.map { $0.storage.record.ref.id }
      if let account, let listener { account.addObserver(listener, forKeyPath: "balance") }
      let found = verdicts(onAnyThread: true, where: { $0.subject?.id == subject }) {
        onThread { if subjectFirst { account = nil } else { listener = nil } }
        onThread {
          account = nil
          listener = nil
        }
      }
      #expect(
        found.map(\.code)
          == [subjectFirst ? .observedDeinitWhileObserved : .observerDeinitWhileRegistered]
      )
    }
  }

  @Test("an object at a used address is another object")
  func addressesAreReused() {
    let account = Account()
    var numbers: Set<UInt64> = []
    let found = verdicts(about: account) {
      for _ in 0..<1_000 {
        let listener = Listener()
        account.addObserver(listener, forKeyPath: "balance")
        numbers.insert(ObjectTable.shared.record(of: listener).ref.id.rawValue)
        account.removeObserver(listener, forKeyPath: "balance")
      }
    }
    #expect(numbers.count == 1_000)
    #expect(found.isEmpty)
  }

  @Test("a removal in the deinit of an object that was never added is reported, and nothing else")
  func neverAdded() {
    let account = Account()
    let found = verdicts(about: account) { _ = Tidy(account) }
    #expect(found.map(\.code) == [.removeUnregistered])
  }

  @Test("observers are deallocated on many threads while others change what they observe")
  func diesConcurrently() {
    let account = Account()
    let subject = account.storage.record.ref.id
    let delivered = Atomic<Int>(0)
    let found = verdicts(onAnyThread: true, where: { $0.subject?.id == subject }) {
      onThreads(count: 4) { index in
        for _ in 0..<500 {
          if index == 0 {
            account.willChangeValue(for: \.balance)
            account.didChangeValue(for: \.balance)
          } else {
            let listener = Listener()
            listener.onNotification = { _ in delivered.wrappingAdd(1, ordering: .relaxed) }
            account.addObserver(listener, forKeyPath: "balance")
          }
        }
      }
    }
    #expect(found.count == 1_500)
    #expect(Set(found.map(\.code)) == [.observerDeinitWhileRegistered])
    #expect(KVO.census(of: account).isEmpty)
  }
}
