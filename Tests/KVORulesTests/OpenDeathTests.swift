import KVOReplay
import KVORules
import KVOTrace
import Testing

@Suite("Deallocations that do not end")
struct OpenDeathTests {
  @Test("after a deallocation that never ends, the rules of deallocations are not judged")
  func openDeath() {
    let log = SampleLog {
      $0.register()
      $0.beginDeinit("Screen#3")
      $0.exit()
    }
    func unjudged(_ log: SampleLog) -> [RuleCode] {
      log.run().engine.notJudged.filter { $0.why.contains("deinitEnd") }.map(\.code)
    }
    #expect(log.outcome() == [])
    #expect(unjudged(log) == [.observerDeinitWhileRegistered])
    let subject = log.replacing(2) { $0.beginDeinit("Account#12") }
    #expect(unjudged(subject) == [.observedDeinitWhileObserved])
    #expect(unjudged(log.inserting(before: 3) { $0.remove() }) == [])
    let ended = log.inserting(before: 3) { $0.endDeinit("Screen#3") }
    #expect(ended.outcome() == ["KVO007@3"])
    #expect(unjudged(ended) == [])
    #expect(unjudged(log.replacing(1) { $0.register(form: .controller) }) == [])
  }
}
