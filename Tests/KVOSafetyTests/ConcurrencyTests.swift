import Foundation
import KVORecorder
import KVORules
import KVOTrace
import Synchronization
import TestSupport
import Testing

@testable import KVOSafety

@Suite("Threads")
struct ConcurrencyTests {
  @Test("one token invalidated by many threads at once ends once, silently")
  func invalidatesConcurrently() {
    let account = Account()
    let found = verdicts(about: account) {
      for _ in 0..<200 {
        let token = account.observe(\.balance) { _, _ in }
        onThreads(count: 4) { _ in token.invalidate() }
        #expect(!token.isActive)
      }
    }
    #expect(found.isEmpty)
    #expect(KVO.census(of: account).isEmpty)
  }

  @Test(
    "one registration removed by many threads at once: one removal matches, the others are reported"
  )
  func removesConcurrently() {
    let account = Account()
    let listener = Listener()
    let subject = account.storage.record.ref.id
    let found = verdicts(onAnyThread: true, where: { $0.subject?.id == subject }) {
      account.addObserver(listener, forKeyPath: "balance")
      onThreads(count: 4) { _ in account.removeObserver(listener, forKeyPath: "balance") }
    }
    #expect(found.map(\.code) == Array(repeating: .doubleRemove, count: 3))
  }

  @Test("an end that comes too late takes no number in the order of the object's events")
  func endsOnce() throws {
    let account = Account()
    let memory = EventMemory()
    Recorder.shared.attach(memory)
    defer { Recorder.shared.detach(memory) }
    let token = account.observe(\.balance) { _, _ in }
    let id = try #require(account.storage.registrations.first?.id)
    token.invalidate()
    account.storage.cancel(id, by: .owner)
    // After those of `register`, `registerEnd` and `cancel`.
    #expect(account.storage.nextOrder() == 4)
  }

  @Test("after a removal has returned, no delivery begins on any thread")
  func noDeliveryAfterRemoval() {
    let account = Account()
    let isDone = Atomic<Bool>(false)
    let late = Atomic<Int>(0)
    onThreads(count: 3) { index in
      guard index == 0 else {
        while !isDone.load(ordering: .acquiring) {
          account.willChangeValue(for: \.balance)
          account.didChangeValue(for: \.balance)
        }
        return
      }
      for _ in 0..<2_000 {
        let isRemoved = Shared(false)
        let token = account.observe(\.balance) { _, _ in
          if isRemoved.value { late.wrappingAdd(1, ordering: .relaxed) }
        }
        // A handler that began before may still be running: it is waited for.
        token.invalidateAndWait()
        isRemoved.value = true
      }
      isDone.store(true, ordering: .releasing)
    }
    #expect(late.load(ordering: .relaxed) == 0)
  }

  @Test("waiting for deliveries inside the delivery itself returns")
  func waitsInsideDelivery() {
    let account = Account()
    var token: ObservationToken?
    var count = 0
    token = account.observe(\.balance) { _, _ in
      token?.invalidateAndWait()
      count += 1
    }
    account.balance = 1
    account.balance = 2
    #expect(count == 1)
  }

  @Test("so does it for a setter's delivery on an actor, and for one inside another")
  @MainActor
  func waitsInsideSetter() {
    let meter = Meter()
    var count = 0
    var onActor: ObservationToken?
    onActor = meter.observe(\.count) { _, _ in
      onActor?.invalidateAndWait()
      count += 1
    }
    meter.count = 1
    #expect(count == 1)
    var inner: ObservationToken?
    inner = meter.observe(\.name, isolation: nil) { _, _ in
      inner?.invalidateAndWait()
      count += 1
    }
    var outer: ObservationToken?
    outer = meter.observe(\.count, isolation: nil) { meter, _ in
      meter.name = "other"
      outer?.invalidateAndWait()
      count += 1
    }
    meter.count = 2
    #expect(count == 3)
    meter.count = 3
    meter.name = "third"
    #expect(count == 3)
  }

  @Test("two threads that each wait inside their own delivery do not wait for each other")
  func waitsForEachOther() {
    let account = Account()
    let inside = Atomic<Int>(0)
    nonisolated(unsafe) var token: ObservationToken?
    token = account.observeOnAnyThread(\.note) { _, _ in
      inside.wrappingAdd(1, ordering: .acquiringAndReleasing)
      while inside.load(ordering: .acquiring) < 2 { sched_yield() }
      token?.invalidateAndWait()
    }
    onThreads(count: 2) { _ in
      account.willChangeValue(for: \.note)
      account.didChangeValue(for: \.note)
    }
    #expect(inside.load(ordering: .acquiring) == 2)
  }

  @Test("each change of each thread is delivered once to an observer that stays")
  func deliversEach() {
    let account = Account()
    let count = Atomic<Int>(0)
    let token = account.observeOnAnyThread(\.note) { _, _ in
      count.wrappingAdd(1, ordering: .relaxed)
    }
    onThreads(count: 4) { _ in
      for _ in 0..<250 {
        account.willChangeValue(for: \.note)
        account.didChangeValue(for: \.note)
      }
    }
    token.invalidate()
    #expect(count.load(ordering: .relaxed) == 1_000)
  }

  @Test("objects are observed and deallocated on many threads at once")
  func subjectsDieConcurrently() {
    let registered = Atomic<Int>(0)
    onThreads(count: 4) { _ in
      for _ in 0..<500 {
        let account = Account()
        let token = account.observe(\.balance) { _, _ in
          registered.wrappingAdd(1, ordering: .relaxed)
        }
        account.balance = 1
        token.invalidate()
      }
    }
    #expect(registered.load(ordering: .relaxed) == 2_000)
  }

  @Test("a deep path is notified of the last of many concurrent replacements")
  func replacesConcurrently() {
    let account = SharedOwner()
    let people = (0..<8).map { Person("\($0)") }
    let listener = Listener()
    account.addObserver(listener, forKeyPath: "owner.name")
    onThreads(count: 4) { index in
      for round in 0..<200 { account.owner = people[(index + round) % people.count] }
    }
    listener.heard = []
    account.owner?.name = "last"
    #expect(listener.heard == ["owner.name setting"])
    for person in people where person !== account.owner { person.name = "not on the path" }
    #expect(listener.heard == ["owner.name setting"])
    account.removeObserver(listener, forKeyPath: "owner.name")
  }
}

/// A value that threads share; the tests order its uses themselves.
private final class Shared: @unchecked Sendable {
  // Sendable: the value is atomic.
  private let storage: Atomic<Bool>
  init(_ value: Bool) { storage = Atomic(value) }
  var value: Bool {
    get { storage.load(ordering: .acquiring) }
    set { storage.store(newValue, ordering: .releasing) }
  }
}

/// An object whose property may be set by several threads.
private final class SharedOwner: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("owner", \SharedOwner.owner))
  private let lock = NSLock()
  private var person: Person?

  var owner: Person? {
    get { lock.withLock { person } }
    set {
      willChangeValue(for: \.owner)
      lock.withLock { person = newValue }
      didChangeValue(for: \.owner)
    }
  }
}
