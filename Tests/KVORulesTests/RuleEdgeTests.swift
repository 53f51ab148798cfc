import KVOReplay
import KVORules
import KVOTrace
import Testing

/// What the twins of the firing logs do not say, because more than one event is another.
@Suite("The edges of rules")
struct RuleEdgeTests {
  private func why(_ code: RuleCode, _ log: SampleLog, profile: Profile? = nil) -> String? {
    log.run(profile: profile).engine.notJudged.first { $0.code == code }?.why
  }

  // MARK: - Deliveries

  @Test("deliveries are not judged as a runtime that would have notified others")
  func notifiesOthers() {
    let log = SampleLog {
      $0.process(runtime: .gnustep128)
      $0.register("1")
      $0.register("2")
      $0.will(change: "c")
      $0.did(change: "c")
      $0.notify("2", change: "c")
      $0.notifyEnd("2", change: "c")
      $0.remove("2")
      $0.exit()
    }
    #expect(log.outcome() == ["KVO005@3"])
    #expect(log.outcome(profile: .appleModern) == ["KVO005@3"])
    let sentence =
      "recorded on gnustep-1.28, which keeps registrations otherwise than apple-modern: who is "
      + "notified differs"
    #expect(why(.missedDelivery, log, profile: .appleModern) == sentence)
    #expect(why(.deliveryAfterRemove, log, profile: .appleModern) == sentence)
    #expect(why(.missedDelivery, log) == nil)
    let stacked = SampleLog {
      $0.register("1")
      $0.register("2")
      $0.will(change: "c")
      $0.did(change: "c")
      $0.notify("1", change: "c")
      $0.notifyEnd("1", change: "c")
      $0.notify("2", change: "c")
      $0.notifyEnd("2", change: "c")
      $0.remove("2")
      $0.remove("1")
      $0.exit()
    }
    #expect(stacked.outcome(profile: .gnustep128) == ["KVO005@2"])
  }

  @Test("a change whose other half may be missing from the log is not judged")
  func missingHalf() {
    func log(isComplete: Bool, _ changes: (inout SampleLog) -> Void) -> SampleLog {
      SampleLog {
        $0.process(isComplete: isComplete)
        changes(&$0)
        $0.exit()
      }
    }
    let ended = { (log: inout SampleLog) in log.did() }
    #expect(log(isComplete: true, ended).outcome() == ["KVO012@2"])
    #expect(log(isComplete: false, ended).outcome() == [])
    #expect(
      why(.unbalancedChange, log(isComplete: false, ended))
        == "the log lacks its beginning: a change may have begun before it"
    )
    let begun = { (log: inout SampleLog) in log.will() }
    #expect(log(isComplete: false, begun).outcome() == ["KVO012@2"])
    let lost = { (log: inout SampleLog) in
      log.will()
      log.add(.dropped(count: 1, why: .none), thread: "2")
    }
    #expect(log(isComplete: true, lost).outcome() == [])
    #expect(
      why(.unbalancedChange, log(isComplete: true, lost))
        == "events are missing at event 3, and absence proves nothing from there"
    )
  }

  @Test("a delivery to an observer that was deallocated is one finding, not a late one as well")
  func lateAndDead() {
    let log = SampleLog {
      $0.register()
      $0.beginDeinit("Screen#3")
      $0.remove("1")
      $0.notify()
      $0.notifyEnd()
      $0.endDeinit("Screen#3")
      $0.exit()
    }
    #expect(log.outcome() == ["KVO008@4"])
  }

  @Test("overlapping changes have the stacks of both threads, also those that their ends carry")
  func stacksOfOverlap() {
    func stacks(_ log: SampleLog) -> [[String]] {
      let builder = FindingBuilder(names: log.names, profile: .swift)
      return log.verdicts().map(builder.finding).filter { $0.code == .concurrentChange }
        .flatMap(\.stacks).map { $0.frames.compactMap(\.symbol) }
    }
    let nested = SampleLog {
      $0.will(change: "a", thread: "1", order: 1, stack: [])
      $0.will(change: "b", thread: "2", order: 2, stack: ["pay() (Pay.swift:1)"])
      $0.did(change: "b", thread: "2", order: 3, stack: ["late() (Pay.swift:2)"])
      $0.did(change: "a", thread: "1", order: 4, stack: ["save() (Save.swift:1)"])
      $0.exit()
    }
    #expect(nested.outcome() == ["KVO024@2"])
    #expect(stacks(nested) == [["pay()"], ["save()"]])
    let crossed = SampleLog {
      $0.will(change: "a", thread: "1", order: 1, stack: [])
      $0.will(change: "b", thread: "2", order: 2, stack: [])
      $0.did(change: "a", thread: "1", order: 3, stack: ["save() (Save.swift:1)"])
      $0.did(change: "b", thread: "2", order: 4, stack: ["pay() (Pay.swift:1)"])
      $0.exit()
    }
    #expect(stacks(crossed) == [["pay()"], ["save()"]])
    // A change that never ends has none, and the overlap is found all the same.
    let cut = SampleLog {
      $0.will(change: "a", thread: "1", order: 1, stack: [])
      $0.will(change: "b", thread: "2", order: 2, stack: ["pay() (Pay.swift:1)"])
    }
    #expect(stacks(cut) == [["pay()"], []])
  }

  @Test("a change whose end never comes breaks the promise of its prior notification")
  func priorWithoutEnd() {
    let log = SampleLog {
      $0.register(options: [.prior])
      $0.beginScope("s")
      $0.will(change: "c", scope: "s")
      $0.notify("1", .prior, change: "c")
      $0.notifyEnd("1", .prior, change: "c")
      $0.endScope("s")
      $0.remove("1")
      $0.exit()
    }
    #expect(log.outcome() == ["KVO012@3", "KVO013@3"])
    #expect(log.without(4).without(4).outcome() == ["KVO012@3"])
  }

  @Test("the log of a writer that records no notifications is not judged by their absence")
  func notifications() {
    let omitting = SampleLog {
      $0.add(.process(ProcessInfo(omitsNotifications: true)), thread: nil)
      for number in 1...3 {
        $0.will(change: "\(number)")
        if number == 1 { $0.register() }
        $0.did(change: "\(number)")
      }
      $0.remove("1")
      $0.exit()
    }
    let sentence = "no notify events in this log (\"omitsNotifications\" in its process line)"
    #expect(omitting.outcome() == [])
    #expect(why(.registrationRace, omitting) == sentence)
    #expect(why(.missedDelivery, omitting) == sentence)
    let silent = omitting.without(1)
    #expect(silent.outcome() == ["KVO011@3", "KVO032@5", "KVO032@7"])
    #expect(why(.missedDelivery, silent) == nil)
  }

  @Test("what waits for a delivery is not judged in a cut log, and after a loss of events")
  func absence() {
    let raced = SampleLog {
      $0.will(change: "c", thread: "2")
      $0.register()
      $0.did(change: "c", thread: "2")
    }
    #expect(raced.outcome() == [])
    #expect(
      why(.registrationRace, raced)
        == "the log ends without an exit: what was still owed may have come"
    )
    #expect(raced.twin { $0.exit(thread: "2") }.outcome() == ["KVO011@3"])
    let lost = raced.twin {
      $0.add(.dropped(count: 1, why: .none))
      $0.exit()
    }
    #expect(lost.outcome() == [])
    let prior = SampleLog {
      $0.register(options: [.prior])
      $0.will(change: "c")
      $0.notify("1", .prior, change: "c")
    }
    #expect(prior.outcome() == [])
    #expect(why(.priorWithoutAfter, prior) == "the log ends in the middle of a change")
  }

  @Test("a registration that asks where its callbacks run is not judged if no callback says it")
  func executors() {
    let log = SampleLog {
      $0.register(executor: "MainActor")
      $0.notify()
      $0.notifyEnd()
    }
    #expect(why(.offExecutorDelivery, log) == "no notification in this log says its executor")
  }

  // MARK: - Deep paths

  @Test(
    "an intermediate object that is deallocated with the observed one, or with the token, is not a fault"
  )
  func cascade() {
    let log = SampleLog {
      $0.register("1", "Account#12", by: nil, "owner.name", form: .token)
      $0.attach(to: "Person#5")
      $0.notify()
      $0.notifyEnd()
      $0.beginDeinit("Person#5")
      $0.endDeinit("Person#5")
      $0.cancel(by: .token)
      $0.detach(from: "Person#5")
      $0.endDeinit("Account#12")
      $0.exit()
    }
    #expect(log.outcome() == [])
    let dying = SampleLog {
      $0.register("1", "Account#12", by: nil, "owner.name", form: .token)
      $0.attach(to: "Person#5")
      $0.beginDeinit("Account#12")
      $0.endDeinit("Person#5")
      $0.will("Bank#1", "name")
      $0.did("Bank#1", "name")
      $0.cancel(by: .user)
      $0.endDeinit("Account#12")
      $0.exit()
    }
    #expect(dying.outcome() == [])
    #expect(dying.without(3).outcome() == ["KVO015@3"])
  }

  @Test("every path through the object is reported, by its own part of the path")
  func severalPaths() {
    let log = SampleLog {
      $0.register("1", "Account#12", by: "Screen#3", "owner.pet.name")
      $0.attach("1", depth: 1, "pet", to: "Person#5")
      $0.attach("1", depth: 2, "name", to: "Pet#6", .weak)
      $0.register("2", "Account#13", by: "Screen#3", "pet.name")
      $0.attach("2", depth: 1, "name", to: "Pet#6")
      $0.endDeinit("Pet#6")
      $0.remove("1", "Account#12", by: "Screen#3", "owner.pet.name")
      $0.remove("2", "Account#13", by: "Screen#3", "pet.name")
      $0.exit()
    }
    #expect(log.outcome() == ["KVO016@6", "KVO015@6"])
    let replaced = log.inserting(before: 6) { $0.will("Person#5", "pet") }
      .inserting(before: 8) { $0.did("Person#5", "pet") }
    #expect(replaced.outcome() == ["KVO015@7"])
    let another = log.inserting(before: 6) { $0.will("Person#5", "name") }
      .inserting(before: 8) { $0.did("Person#5", "name") }
    #expect(another.outcome() == ["KVO016@7", "KVO015@7"])
  }

  // MARK: - Threads

  @Test("a log without ends of removals does not say that two overlapped")
  func removalsWithoutEnds() {
    let log = SampleLog {
      $0.register()
      $0.remove("1")
      $0.remove(thread: "2")
      $0.exit()
    }
    #expect(log.outcome() == ["KVO001@3"])
    #expect(why(.concurrentRemoval, log) == "no removeEnd events in this log")
  }

  @Test("a removal that still returns is not a race with that of a registration which came since")
  func removalOfLater() {
    // So many that one of them gets the slot of the first in the ledger.
    let log = SampleLog {
      $0.register(nil, by: "Screen#3")
      $0.remove(by: "Screen#3")
      for _ in 0..<5_000 {
        $0.register(nil, by: "Screen#4", thread: "2")
        $0.remove(by: "Screen#4", thread: "2")
        $0.removeEnd(by: "Screen#4", thread: "2")
      }
      $0.removeEnd(by: "Screen#3")
      $0.exit()
    }
    #expect(log.outcome() == [])
  }

  @Test("two removals that each took an observation of their own are not a race")
  func twoOfTwo() {
    let log = SampleLog {
      $0.register("1", context: "a")
      $0.register("2", context: "a")
      $0.remove("2", context: "a")
      $0.remove("1", context: "a", thread: "2")
      $0.removeEnd("2", context: "a")
      $0.removeEnd("1", context: "a", thread: "2")
      $0.exit()
    }
    #expect(log.outcome() == ["KVO005@2"])
  }

  @Test("a loss of events makes what lasts between two events uncertain")
  func lossBetween() {
    let log = SampleLog {
      $0.register()
      $0.lock()
      $0.add(.dropped(count: 1, why: .none))
      $0.notify()
      $0.notifyEnd()
      $0.write("a")
      $0.write("b")
      $0.exit()
    }
    // The lock may have been released in the loss; one that is acquired after it was not.
    #expect(log.outcome() == ["KVO014@7"])
    let lockedLater = log.inserting(before: 4) { $0.lock() }
    #expect(lockedLater.outcome() == ["KVO026@5", "KVO014@8"])
    #expect(lockedLater.verdicts().map(\.confidence) == [.low, .low])
    #expect(log.without(3).verdicts().map(\.confidence) == [.high, .high])
  }

  @Test("a lock that another thread gives back is free")
  func semaphore() {
    let log = SampleLog {
      $0.register()
      $0.lock()
      $0.unlock(thread: "2")
      $0.notify()
      $0.exit()
    }
    #expect(log.outcome() == [])
  }

  // MARK: - Classes and scopes

  @Test("classes that inherit from each other do not hang the engine, and a cycle is reported once")
  func inheritance() {
    let log = SampleLog {
      $0.declare("net", affectedBy: ["gross"], by: "A", superclass: "B")
      $0.declare("gross", affectedBy: ["net"], by: "B", superclass: "A")
      $0.exit()
    }
    #expect(log.outcome() == ["KVO028@2", "KVO028@2"])
    let inherited = SampleLog {
      $0.declare("net", affectedBy: ["gross"])
      $0.declare("gross", affectedBy: ["net"])
      $0.declare("name", affectedBy: [], by: "Savings", superclass: "Account")
      $0.exit()
    }
    #expect(inherited.outcome() == ["KVO028@2"])
  }

  @Test("growth is reported if each run adds some, from the first that leaves something on")
  func growth() {
    func runs(_ left: [Int]) -> [String] {
      var id = 0
      let log = SampleLog { log in
        for (run, count) in left.enumerated() {
          log.beginScope("\(run)", name: "open page")
          for _ in 0..<count {
            id += 1
            log.register(
              "\(id)",
              "Page#\(100 + id)",
              by: "Screen#3",
              "title",
              expectedToLive: "a cache",
              scope: "\(run)"
            )
          }
          log.endScope("\(run)")
        }
        log.exit()
      }
      return log.verdicts().map {
        guard case .growth(_, let runCount, let counts) = $0.detail else { return $0.brief }
        return "\(runCount): \(counts)"
      }
    }
    #expect(runs([1, 1, 1]) == ["3: [1, 2, 3]"])
    #expect(runs([0, 2, 1, 1]) == ["3: [2, 3, 4]"])
    #expect(runs([1, 1]) == [])
    #expect(runs([1, 1, 0, 1, 1]) == [])
    #expect(runs(Array(repeating: 1, count: 10)) == ["10: [3, 4, 5, 6, 7, 8, 9, 10]"])
  }
}
