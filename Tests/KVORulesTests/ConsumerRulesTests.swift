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

  @Test("one that ends between its state and the end of its scope is not left (KVO042)")
  func endsBeforeScope() {
    let log = SampleLog { log in
      for number in 1...3 {
        log.beginScope("s\(number)", name: "open")
        log.consume("\(number)", scope: "s\(number)")
        log.park("\(number)", isLeft: true, scope: "s\(number)")
        log.endConsumer("\(number)", .cancelled)
        log.endScope("s\(number)")
      }
      log.exit()
    }
    #expect(!log.verdicts().map(\.code).contains(.consumerGrowth))
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

  @Test("loops of which neither the line nor a name is known are not taken for one (KVO042)")
  func unnamedLoops() {
    func log(_ change: (inout Consumer) -> Void) -> SampleLog {
      var log = SampleLog {
        for run in 1...4 {
          $0.beginScope("s\(run)", name: "open")
          $0.consume("\(run)", scope: "s\(run)")
          $0.park("\(run)", isLeft: true, scope: "s\(run)")
          $0.endScope("s\(run)")
        }
        $0.exit()
      }
      for index in log.events.indices {
        switch log.events[index].body {
        case .consumerBegin(var consumer):
          change(&consumer)
          log.events[index].body = .consumerBegin(consumer)
        case .parked(var consumer):
          change(&consumer)
          log.events[index].body = .parked(consumer)
        default: break
        }
      }
      return log
    }
    #expect(log { $0.site = .none }.verdicts().map(\.code) == [.consumerGrowth])
    let unknown = log {
      $0.site = .none
      $0.awaited = .none
    }
    #expect(!unknown.verdicts().map(\.code).contains(.consumerGrowth))
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
