import Foundation
import KVORecorder
import KVOReplay
import KVORules
import KVOTrace
import Testing

@testable import KVOSafety

@Suite("Locks that are noted in the log")
struct NotedLockTests {
  /// What the rules find in the events that `body` makes on this thread.
  private func findings(_ body: () -> Void) -> [RuleCode] {
    let memory = EventMemory()
    Recorder.shared.attach(memory)
    RecordingScope.willOpen()
    let scope = ScopeID(KVO.nextNumber())
    RecordingScope.$ofTask.withValue(scope) { body() }
    Recorder.shared.detach(memory)
    var engine = RuleEngine()
    var codes: [RuleCode] = []
    for (number, event) in memory.events.filter({ $0.scope == scope }).enumerated() {
      codes += engine.consume(event, number: number + 1).map(\.code)
    }
    return codes + engine.finish().map(\.code)
  }

  @Test("a callback while a noted mutex is held is found, and none after it")
  func mutex() {
    let cache = NotedMutex(0, name: "cache")
    func change(under lock: Bool) -> [RuleCode] {
      findings {
        let account = Account()
        let token = account.observe(\.balance) { _, _ in }
        cache.withLock { count in
          count += 1
          if lock { account.balance = 1 }
        }
        if !lock { account.balance = 1 }
        token.invalidate()
      }
    }
    #expect(change(under: true) == [.callbackUnderLock])
    #expect(change(under: false) == [])
    #expect(cache.withLock { $0 } == 2)
  }

  @Test("an addition while a lock of any kind is noted as held is found")
  func anyLock() {
    let account = Account()
    let noted = KVO.note(lock: "lock of the bank")
    var token: ObservationToken?
    let found = findings {
      noted.didLock()
      token = account.observe(\.balance) { _, _ in }
      noted.willUnlock()
    }
    #expect(found == [.callbackUnderLock])
    #expect(findings { token?.invalidate() } == [])
  }

  @Test("the running program reports the same while it is recorded, and nothing otherwise")
  func live() {
    let noted = KVO.note(lock: "lock of the live bank")
    let cache = NotedMutex(0, name: "live cache")
    // A callback that asks for much, one that asks for little, an addition, and removals of each kind.
    func acts(under lock: Bool) {
      let (account, screen) = (Account(), Listener())
      let token = account.observe(\.balance) { _, _ in }
      let boxed = account.observe(keyPath: "balance", options: [.old, .new]) { _, _ in }
      account.addObserver(screen, forKeyPath: "balance")
      if lock { noted.didLock() }
      account.balance = 1
      let late = account.observe(\.balance) { _, _ in }
      token.invalidate()
      account.removeObserver(screen, forKeyPath: "balance")
      if lock { noted.willUnlock() }
      cache.withLock { $0 += 1 }
      account.balance = 2
      withExtendedLifetime((boxed, late)) {}
    }
    func live(_ body: () -> Void) -> [RuleCode] {
      verdicts(where: { $0.code == .callbackUnderLock }, body).map(\.code)
    }
    var replayed: [RuleCode] = []
    let found = live { replayed = findings { acts(under: true) } }
    // Three callbacks, an addition and two removals.
    #expect(found == Array(repeating: .callbackUnderLock, count: 6))
    #expect(replayed.filter { $0 == .callbackUnderLock } == found)
    #expect(live { _ = findings { acts(under: false) } } == [])
  }

  @Test("nothing is known of locks while nothing records")
  func unrecorded() async {
    await #expect(processExitsWith: .success) {
      let (account, noted) = (Account(), KVO.note(lock: "unrecorded"))
      let found = verdicts(where: { $0.code == .callbackUnderLock }) {
        let token = account.observe(\.balance) { _, _ in }
        noted.didLock()
        account.balance = 1
        noted.willUnlock()
        token.invalidate()
      }
      #expect(found.isEmpty)
      #expect(!NotedLocks.areHeld)
    }
  }

  @Test("a lock that another thread holds, or that is released elsewhere, is not held here")
  func threads() {
    let noted = KVO.note(lock: "lock of another thread")
    let account = Account()
    let token = account.observe(\.balance) { _, _ in }
    func live(_ body: () -> Void) -> Int {
      verdicts(where: { $0.code == .callbackUnderLock }) {
        _ = findings(body)
      }.count
    }
    func elsewhere(_ body: @escaping @Sendable () -> Void) {
      let done = DispatchSemaphore(value: 0)
      Thread {
        body(); done.signal()
      }.start()
      done.wait()
    }
    #expect(
      live {
        elsewhere { noted.didLock() }
        account.balance = 1
        elsewhere { noted.willUnlock() }
      } == 0
    )
    #expect(
      live {
        noted.didLock()
        elsewhere { noted.willUnlock() }
        account.balance = 2
      } == 0
    )
    token.invalidate()
  }
}
