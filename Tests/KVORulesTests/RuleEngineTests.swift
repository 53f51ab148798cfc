import KVOReplay
import KVORules
import KVOTrace
import Testing

@Suite("What a log leaves open")
struct RuleEngineTests {
  @Test("an incomplete log is not judged for what may have been before it, live lines aside")
  func incomplete() {
    let log = SampleLog {
      $0.process(isComplete: false)
      $0.remove(nil, "Account#1")
      $0.register("1", "Account#1")
      $0.register("2", "Account#1")
      let known = $0.registration("3", "Account#2", by: "Screen#3", "balance")
      $0.add(.live(known))
      $0.remove("3", "Account#2")
      $0.remove(nil, "Account#2")
      $0.remove(nil, "Account#1", context: "b")
      $0.remove(nil, "Account#1", context: "b", isUnmatched: true)
    }
    let (verdicts, engine) = log.run()
    #expect(verdicts.map(\.brief) == ["KVO001@7", "KVO003@9"])
    let why = "recording began after the first observation: only objects of live lines count"
    #expect(
      engine.notJudged.filter { $0.why == why }.map(\.code) == [
        .doubleRemove, .removeUnregistered, .removeWrongContext, .duplicateRegistration,
      ]
    )
  }

  @Test("what ended while the list of what was there was being written is not there")
  func endedWhileListed() {
    let log = SampleLog {
      $0.process(isComplete: false)
      $0.cancel("1", by: .user, thread: "2")
      $0.remove("2", thread: "2")
      for id in ["1", "2"] {
        let known = $0.registration(id, "Account#12", by: "Screen#3", "balance")
        $0.add(.live(known))
      }
      $0.endDeinit("Account#12")
      $0.exit()
    }
    let (verdicts, engine) = log.run()
    #expect(verdicts == [])
    #expect(engine.liveRegistrationCount == 0)
    #expect(log.without(2).outcome() == ["KVO006@5"])
    #expect(log.without(3).outcome() == ["KVO006@5"])
    let made = log.inserting(before: 2) { $0.register("1") }
      .inserting(before: 3) { $0.register("2", context: "b") }
    #expect(made.outcome() == [])
  }

  @Test("after a loss of events, absence proves nothing")
  func dropped() {
    let leak = SampleLog {
      $0.beginScope("s")
      $0.register(scope: "s")
      $0.will()
      $0.did()
      $0.endScope("s")
      $0.exit()
    }
    #expect(leak.outcome() == ["KVO021@5", "KVO032@4"])
    let lost = leak.inserting(before: 3) { $0.add(.dropped(count: 7, why: .none)) }
    let (verdicts, engine) = lost.run()
    #expect(verdicts == [])
    #expect(engine.droppedCount == 7)
    let why = "events are missing at event 3, and absence proves nothing from there"
    #expect(
      engine.notJudged.filter { $0.why == why }.map(\.code) == [
        .registrationRace, .unbalancedChange, .priorWithoutAfter, .leakedRegistration,
        .registrationGrowth, .tokenDropped, .missedDelivery,
      ]
    )
  }

  @Test("what was missed before a loss of events is still judged")
  func droppedLater() {
    let log = SampleLog {
      $0.register()
      $0.will()
      $0.did()
      $0.remove("1")
      $0.add(.dropped(count: 1, why: .none))
    }
    #expect(log.outcome() == ["KVO032@3"])
  }

  @Test("a killed log is not judged at its end, and says so")
  func killed() {
    let log = SampleLog {
      $0.register()
      $0.will()
    }
    let (verdicts, engine) = log.run(options: .init(judgesLeaksAtExit: true))
    #expect(verdicts == [])
    #expect(engine.liveRegistrationCount == 1)
    #expect(
      engine.notJudged.filter { $0.code == .unbalancedChange }.map(\.why) == [
        "the log ends without an exit: changes open at its end do not count"
      ]
    )
  }

  @Test("at an orderly end open changes count, and leaks where that was asked for")
  func exit() {
    let log = SampleLog {
      $0.register()
      $0.register("2", by: "Screen#4", "name", expectedToLive: "app-wide")
      $0.will()
      $0.exit()
    }
    #expect(log.outcome() == ["KVO012@3"])
    #expect(log.outcome(options: .init(judgesLeaksAtExit: true)) == ["KVO021@4", "KVO012@3"])
  }

  @Test("what a crash record lists as live was registered before")
  func crash() {
    let log = SampleLog {
      $0.register(nil)
      $0.add(.crash(Crash(signal: .none, exception: .none, reason: .none, liveCount: 1)))
      let same = $0.registration(nil, "Account#12", by: "Screen#3", "balance")
      $0.add(.live(same))
    }
    let (verdicts, engine) = log.run()
    #expect(verdicts == [])
    #expect(engine.liveRegistrationCount == 1)
  }

  @Test("a scope answers for the scopes inside it, once, and not for those beside it")
  func scopes() {
    let log = SampleLog {
      $0.beginScope("outer")
      $0.beginScope("inner", in: "outer")
      $0.beginScope("beside")
      $0.register("1", by: "Screen#1", scope: "inner")
      $0.register("2", by: "Screen#2", scope: "outer")
      $0.register("3", by: "Screen#3", scope: "beside")
      $0.endScope("outer")
      $0.endScope("inner")
      $0.endScope("beside")
    }
    let verdicts = log.verdicts()
    #expect(verdicts.map(\.brief) == ["KVO021@7", "KVO021@7", "KVO021@9"])
    #expect(
      verdicts.map(\.registration) == [RegistrationID(1), RegistrationID(2), RegistrationID(3)]
    )
  }

  @Test("a task that outlives its scope registers for the scope around")
  func outlived() {
    let log = SampleLog {
      $0.beginScope("outer")
      $0.beginScope("inner", in: "outer")
      $0.endScope("inner")
      $0.register("1", scope: "inner")
      $0.endScope("outer")
    }
    #expect(log.outcome() == ["KVO021@5"])
  }

  @Test("scopes that contain each other do not hang the engine")
  func scopeCycle() {
    let log = SampleLog {
      $0.beginScope("a", in: "b")
      $0.beginScope("b", in: "a")
      $0.register("1", scope: "a")
      $0.endScope("b")
      $0.endScope("a")
      $0.register("2", by: "Screen#4", scope: "a")
      $0.endScope("a")
    }
    #expect(log.outcome() == ["KVO021@4", "KVO021@7"])
  }

  @Test("unknown and repeated registrations are counted and passed over")
  func contradictions() {
    let log = SampleLog {
      $0.registerEnd("7")
      $0.cancel("7", by: .user)
      $0.notify("7")
      $0.notifyEnd("7")
      $0.register("1")
      $0.register("1")
      $0.remove("1")
      $0.cancel("1", by: .token)
      $0.notifyEnd("1")
      $0.endScope("nowhere")
      $0.endDeinit("Account#99")
    }
    let (verdicts, engine) = log.run()
    #expect(verdicts == [])
    #expect(engine.contradictionCount == 4)
    #expect(engine.liveRegistrationCount == 0)
  }

  @Test("a log may say that a removal matched nothing; where it does not, names decide")
  func recordedMatch() {
    let numbered = SampleLog {
      $0.register("1")
      $0.remove(isUnmatched: true)
    }
    #expect(numbered.outcome() == ["KVO002@2"])
    #expect(numbered.outcome(profile: .appleModern) == [])
    let silent = SampleLog {
      $0.register("1")
      $0.remove()
      $0.remove()
    }
    #expect(silent.outcome() == ["KVO001@3"])
    let plain = SampleLog {
      $0.register(nil)
      $0.remove()
      $0.remove()
    }
    #expect(plain.outcome() == ["KVO001@3"])
  }

  @Test("a log is judged as another runtime would have kept its registrations")
  func rematching() {
    let log = SampleLog {
      $0.process(runtime: .gnustep128)
      $0.register("1")
      $0.register("2")
      $0.remove("2")
      $0.endDeinit("Account#12")
    }
    #expect(log.outcome() == ["KVO005@3"])
    #expect(log.outcome(profile: .appleModern) == ["KVO005@3", "KVO006@5"])
    let twice = SampleLog {
      $0.register("1")
      $0.register("2")
      $0.remove("2")
      $0.remove("1")
    }
    #expect(twice.outcome() == ["KVO005@2"])
    #expect(twice.outcome(profile: .gnustep128) == ["KVO005@2"])
  }

  @Test(
    "the clean-up after a deallocation is reported as the deallocation is",
    arguments: [CancelCause.subject, .observer]
  )
  func cleanUp(cause: CancelCause) {
    let log = SampleLog {
      $0.register(order: 1)
      let dying = cause == .subject ? "Account#12" : "Screen#3"
      $0.beginDeinit(dying, thread: "2", stack: ["main (main.swift:5)"])
      $0.cancel(by: cause, thread: "2", order: 2)
      $0.endDeinit(dying, thread: "2")
    }
    let verdicts = log.verdicts()
    #expect(verdicts.map(\.brief) == [cause == .subject ? "KVO006@3" : "KVO007@3"])
    #expect(verdicts.first?.evidence.first?.stack == log.events[1].stack)
    #expect(verdicts.map(\.confidence) == [.high])
  }

  @Test("a deallocation on another thread without an order is low confidence")
  func confidence() {
    let log = SampleLog {
      $0.register()
      $0.endDeinit("Screen#3", thread: "2")
    }
    #expect(log.verdicts().map(\.confidence) == [.low])
    let ordered = SampleLog {
      $0.register(order: 1)
      $0.endDeinit("Account#12", thread: "2", order: 2)
    }
    #expect(ordered.verdicts().map(\.confidence) == [.high])
    // The order of an observer's deallocation is the observer's, and is compared with nothing else.
    let unrelated = SampleLog {
      $0.register(order: 1)
      $0.endDeinit("Screen#3", thread: "2", order: 2)
    }
    #expect(unrelated.verdicts().map(\.confidence) == [.low])
  }

  @Test("a strong registry makes self-observation a warning, before and after the registration")
  func registry() {
    let before = SampleLog {
      $0.hold("registry:Pool#4", "Account#12")
      $0.register("1", "Account#12", by: "Account#12")
    }
    #expect(before.outcome() == ["KVO020@2"])
    #expect(before.verdicts().map(\.severity) == [.warning])
    let after = SampleLog {
      $0.register("1", "Account#12", by: "Account#12")
      $0.hold("registry:Pool#4", "Account#12")
      $0.hold("registry:Pool#4", "Account#12")
    }
    #expect(after.verdicts().map(\.severity) == [nil, .warning])
    #expect(after.outcome() == ["KVO020@1", "KVO020@1"])
    for quiet in [
      SampleLog {
        $0.hold("registry:Pool#4", "Account#12", .weak)
        $0.register("1", "Account#12", by: "Account#12")
      },
      SampleLog {
        $0.hold("Pool#4", "Account#12")
        $0.register("1", "Account#12", by: "Account#12")
      },
      SampleLog {
        $0.hold("registry:Pool#4", "Account#12")
        $0.endDeinit("Pool#4")
        $0.register("1", "Account#12", by: "Account#12")
      },
    ] {
      #expect(quiet.verdicts().map(\.severity) == [nil])
    }
  }

  @Test("a log without callback ends is judged at its orderly end")
  func withoutCallbackEnds() {
    let log = SampleLog {
      $0.register("1")
      $0.register("2", by: "Screen#4")
      $0.will()
      $0.did()
      $0.notify("1")
      $0.exit()
    }
    #expect(log.outcome() == ["KVO032@4"])
  }

  @Test("an addition on another thread during a change need not be notified of it")
  func duringAddition() {
    let log = SampleLog {
      $0.register("1", thread: "2")
      $0.will(change: "c")
      $0.did(change: "c")
      $0.registerEnd("1", thread: "2")
      $0.exit()
    }
    #expect(log.outcome() == [])
    #expect(log.without(4).outcome() == ["KVO032@3"])
  }

  @Test("deliveries to registrations that have ended are not waited for at the end of a killed log")
  func endedMeanwhile() {
    let log = SampleLog {
      $0.register("1")
      $0.will()
      $0.did()
      $0.remove("1", thread: "2")
    }
    let cut = "the log ends in the middle of the deliveries of a change"
    #expect(!log.run().engine.notJudged.contains { $0.why == cut })
    #expect(log.without(4).run().engine.notJudged.contains { $0.why == cut })
    #expect(log.outcome() == [])
    #expect(log.without(4).outcome() == [])
  }

  @Test("a nested change is delivered inside a callback of the outer one")
  func nestedChange() {
    let log = SampleLog {
      $0.register("1")
      $0.register("2", by: "Screen#4")
      $0.will(change: "c")
      $0.did(change: "c")
      $0.notify("1", change: "c")
      $0.will(change: "d")
      $0.did(change: "d")
      $0.notify("1", change: "d")
      $0.notifyEnd("1", change: "d")
      $0.notify("2", change: "d")
      $0.notifyEnd("2", change: "d")
      $0.notifyEnd("1", change: "c")
      $0.notify("2", change: "c")
      $0.notifyEnd("2", change: "c")
      $0.exit()
    }
    #expect(log.outcome() == [])
    #expect(log.without(10).outcome() == ["KVO032@7"])
    #expect(log.without(13).outcome() == ["KVO032@4"])
  }

  @Test("memory goes with the objects: nothing is left when all have been deallocated")
  func bounded() {
    let log = SampleLog { log in
      for number in 0..<200 {
        log.register("\(number)", "Account#\(number)", by: "Screen#\(number)")
        log.will("Account#\(number)")
        log.endDeinit("Account#\(number)")
        log.endDeinit("Screen#\(number)")
      }
    }
    let engine = log.run().engine
    #expect(engine.observedObjectCount == 0)
    #expect(engine.liveRegistrationCount == 0)
    #expect(engine.liveRegistrations.isEmpty)
  }
}
