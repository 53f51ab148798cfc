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

  @Test("an observer whose deallocation has begun is owed no notification")
  func owedNothing() {
    // One registration on thread 1 whose observer is released by thread 2.
    let before = SampleLog {
      $0.register()
      $0.beginDeinit("Screen#3", thread: "2")
      $0.will(change: "c")
      $0.did(change: "c")
      $0.will(change: "d")
      $0.did(change: "d")
      $0.remove()
      $0.endDeinit("Screen#3", thread: "2")
      $0.exit()
    }
    #expect(before.outcome() == [])
    #expect(before.without(8).without(2).outcome() == ["KVO032@3", "KVO032@5"])
    // It begins while the change is made, as thread 2 recorded it.
    for number in 3...4 {
      let during = before.without(2).inserting(before: number) {
        $0.beginDeinit("Screen#3", thread: "2")
      }
      #expect(during.outcome() == [], "before event \(number)")
    }
    // Notified before the change, and deallocated before the notification after it.
    let promised = SampleLog {
      $0.register(options: [.prior])
      $0.will(change: "c")
      $0.notify("1", .prior, change: "c")
      $0.notifyEnd("1", .prior, change: "c")
      $0.beginDeinit("Screen#3", thread: "2")
      $0.did(change: "c")
      $0.will(change: "d")
      $0.did(change: "d")
      $0.remove()
      $0.exit()
    }
    #expect(promised.outcome() == [])
    #expect(promised.without(5).outcome() == ["KVO013@5", "KVO032@7"])
  }
}
