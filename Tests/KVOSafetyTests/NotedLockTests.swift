import KVORecorder
import KVORules
import KVOTrace
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
}
