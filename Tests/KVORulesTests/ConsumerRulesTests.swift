import KVOReplay
import KVORules
import KVOTrace
import TestSupport
import Testing

@Suite("Consumers in a log")
struct ConsumerRulesTests {
  @Test("a state that was written as the consumer ended has no effect")
  func race() {
    let log = SampleLog {
      $0.beginScope("s", name: "open")
      $0.consume("7", scope: "s")
      $0.endConsumer("7", .finished)
      $0.park("7", isOrphaned: true, isLeft: true, scope: "s")
      $0.endScope("s")
      $0.exit()
    }
    let (verdicts, engine) = log.run()
    #expect(verdicts.isEmpty)
    #expect(engine.liveConsumers.isEmpty)
  }

  @Test("a dropped continuation is reported once, however often its state is written")
  func droppedOnce() {
    let log = SampleLog {
      $0.consume("7", "reply", form: .continuation)
      $0.park("7", "reply", form: .continuation, isOrphaned: true)
      $0.park("7", "reply", form: .continuation, isOrphaned: true)
      $0.exit()
    }
    #expect(log.outcome() == ["KVO043@2"])
    #expect(log.run().engine.liveConsumers.map(\.consumer.isOrphaned) == [true])
  }

  @Test("a million that come and go are not reported, and not kept")
  func churn() {
    var log = SampleLog()
    let count = 1000
    for number in 0..<count {
      log.consume("\(number)")
      log.park("\(number)")
      log.endConsumer("\(number)", number % 2 == 0 ? .finished : .cancelled)
    }
    let rounds = Rounds.areMany ? 1000 : 10
    var engine = log.run().engine
    var number = engine.eventCount
    for _ in 1..<rounds {
      for event in log.events {
        number += 1
        #expect(engine.consume(event, number: number) == [])
      }
    }
    #expect(engine.finish() == [] && engine.liveConsumers.isEmpty)
  }
}
