import Glibc
import KVORecorder
import KVORules
import Synchronization
import TestSupport
import Testing

@testable import KVOSafety

@Suite("A handler that gets its token, and the properties of a token")
struct OwnTokenTests {
  private let account = Account(owner: Person("Ada"))

  @Test("the token that the handler gets is the one that is returned")
  func sameToken() {
    var given: [ObservationToken] = []
    let token = account.observe(\.balance, options: [.initial, .new]) { object, _, token in
      #expect(object === account)
      given.append(token)
    }
    account.balance = 1
    #expect(given.count == 2)
    #expect(given.allSatisfy { $0 === token })
    given = []
    token.invalidate()
  }

  @Test("an observation ends itself inside its initial notification, by key path and by name")
  func endsInsideInitial() {
    var heard: [String] = []
    let typed = account.observe(\.balance, options: [.initial, .new]) { _, change, token in
      heard.append(line("typed", change))
      #expect(token.isActive)
      token.invalidate()
      #expect(!token.isActive)
    }
    let named = account.observe(keyPath: "owner.name", options: [.initial, .new]) {
      heard.append(line("named", $1))
      $2.invalidateAndWait()
    }
    account.balance = 1
    account.owner?.name = "Grace"
    #expect(heard == ["typed setting to 0", "named setting to Ada"])
    #expect(!typed.isActive && !named.isActive)
    #expect(KVO.census(of: account).isEmpty)
  }

  @Test("it ends itself in the first change that it waits for")
  func endsItselfOnce() {
    var heard: [Int?] = []
    let token = account.observe(\.balance, options: [.new]) { _, change, token in
      heard.append(change.newValue)
      if (change.newValue ?? 0) > 1 { token.invalidate() }
    }
    for balance in 1...3 { account.balance = balance }
    #expect(heard == [1, 2])
    #expect(!token.isActive)
  }

  @Test("the observation does not keep its token: it ends with it")
  func endsWithItsToken() {
    var count = 0
    do {
      let token = account.observe(\.balance) { _, _, _ in count += 1 }
      account.balance = 1
      withExtendedLifetime(token) {}
    }
    account.balance = 2
    #expect(count == 1)
    #expect(KVO.census(of: account).isEmpty)
  }

  @Test("a path that cannot be observed is refused as in the other forms")
  func refused() {
    let found = verdicts(about: account) {
      let token = account.observe(keyPath: "nope") { _, _, _ in Issue.record("notified") }
      #expect(!token.isActive)
      #expect(token.keyPath == nil)
      token.invalidateAndWait()
    }
    #expect(found.map(\.code) == [.uncompliantPath])
  }

  @Test("a token returns what it observes as long as it does, and keeps nothing alive")
  func objectAndKeyPath() {
    var token: ObservationToken?
    do {
      let account = Account()
      token = account.observe(\.owner?.name) { _, _ in }
      #expect(token?.object === account)
      #expect(token?.keyPath == "owner.name")
      token?.invalidate()
      #expect(token?.keyPath == nil)
      #expect(token?.object === account)
    }
    #expect(token != nil)
    #expect(token?.object == nil)
  }

  @Test("another thread that ends it waits for its initial notification")
  func waitsForInitial() {
    // The thread sanitizer knows this lock, and not that of a Mutex.
    let given = GuardedState<ObservationToken?>(nil)
    let isDone = Atomic<Bool>(false)
    let hasReturned = Atomic<Bool>(false)
    onThreads(count: 2) { thread in
      guard thread == 0 else {
        var token: ObservationToken?
        while token == nil { token = given.withLock { $0 } }
        token?.invalidateAndWait()
        let wasDone = isDone.load(ordering: .acquiring)
        hasReturned.store(true, ordering: .releasing)
        #expect(wasDone)
        return
      }
      let token = account.observe(\.note, options: [.initial], isolation: nil) { _, _, token in
        given.withLock { $0 = token }
        while token.isActive { sched_yield() }
        // Many chances to return too early.
        for _ in 0..<10_000 where !hasReturned.load(ordering: .acquiring) { sched_yield() }
        isDone.store(true, ordering: .releasing)
      }
      given.withLock { $0 = nil }
      withExtendedLifetime(token) {}
    }
  }

  @Test("one thread notifies while another registers; each observation ends at its first call")
  func threads() {
    let endedCount = Mutex(0)
    onThreads(count: 2) { thread in
      for _ in 0..<500 {
        guard thread == 0 else {
          // Without a change: the value is not touched by two threads.
          account.willChangeValue(for: \.note)
          account.didChangeValue(for: \.note)
          continue
        }
        let token = account.observe(\.note, options: [.initial]) { _, _, token in
          token.invalidate()
        }
        token.invalidateAndWait()
        if !token.isActive { endedCount.withLock { $0 += 1 } }
      }
    }
    #expect(endedCount.withLock { $0 } == 500)
    #expect(KVO.census(of: account).isEmpty)
  }
}
