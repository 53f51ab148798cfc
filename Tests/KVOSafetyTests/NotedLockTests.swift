import KVORecorder
import KVORules
import KVOTrace
import Synchronization
import TestSupport
import Testing

@testable import KVOSafety

@Suite("Locks that the log is told of")
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
    let account = Account()
    let token = account.observe(\.balance) { _, _ in }
    let cache = NotedMutex(0, name: "cache")
    #expect(findings { cache.withLock { _ in account.balance = 1 } } == [.callbackUnderLock])
    #expect(
      findings {
        cache.withLock { $0 += 1 }
        account.balance = 2
      } == []
    )
    #expect(cache.withLock { $0 } == 1)
    token.invalidate()
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
}
