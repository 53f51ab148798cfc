import KVOReplay
import KVORules
import KVOTrace
import Testing

@Suite("A log that lacks events")
struct LossTests {
  /// The logs of programs without a fault.
  private static let correct: [(name: String, log: SampleLog)] = FiringLog.all.flatMap { firing in
    firing.twins.map { ("\(firing.code.rawValue), \($0.name)", $0.log) }
  }

  @Test("any part of a correct log may be lost without a finding")
  func anyPart() {
    for (name, log) in Self.correct {
      let count = log.events.count
      for start in 0..<count {
        for end in start...count {
          #expect(log.losing(start..<end).faults == [], "\(name), without \(start)..<\(end)")
        }
      }
    }
  }

  @Test("a removal that a log states to match nothing counts where profiles match alike")
  func statedMatch() {
    let lost = SampleLog {
      $0.process(runtime: .apple)
      $0.add(.dropped(count: 3, why: .none))
      $0.remove(isUnmatched: true)
    }
    for profile in [Profile.appleModern, .appleLegacy, .swift] {
      #expect(lost.outcome(profile: profile) == ["KVO002@3"])
    }
    #expect(lost.outcome(profile: .gnustep128) == [])
  }

  @Test("any two parts of a correct log may be lost without a finding")
  func anyTwoEvents() {
    for (name, log) in Self.correct {
      let count = log.events.count
      for first in 0..<count {
        for second in first + 1..<max(first + 1, count) {
          let lost = log.losing(second..<second + 1).losing(first..<first + 1)
          #expect(lost.faults == [], "\(name), without \(first) and \(second)")
        }
      }
    }
  }

  @Test(
    "the beginning of a correct log may be missing without a finding",
    arguments: [true, false]
  )
  func beginning(saysSo: Bool) {
    for (name, log) in Self.correct {
      for count in 1..<max(2, log.events.count) {
        var rest = log
        // A log that loses its first lines completely looks like a handwritten one.
        rest.events.removeFirst(count)
        if saysSo {
          rest = rest.inserting(before: 1) { $0.process(isComplete: false) }
          // What a log says of its scopes, each of its parts says.
          if case .process(let info)? = log.events.first?.body, info.saysScopes {
            rest.saysScopes()
          }
        } else {
          rest = rest.inserting(before: 1) { $0.add(.dropped(count: 1, why: .none), thread: nil) }
        }
        #expect(rest.faults == [], "\(name), from \(count) on")
      }
    }
  }

  @Test("what a log proves after a loss is found", arguments: FiringLog.all)
  func after(firing: FiringLog) {
    let log = firing.log.inserting(before: 1) {
      $0.add(.dropped(count: 1, why: .none), thread: nil)
    }
    let outcome = log.outcome()
    if Self.absence.contains(firing.code) {
      #expect(outcome == [])
      #expect(log.run().engine.notJudged.contains { $0.code == firing.code })
    } else {
      let codes = firing.outcome.map { $0.prefix(6) }
      let absence = Self.absence.map(\.rawValue)
      #expect(outcome.map { $0.prefix(6) } == codes.filter { !absence.contains(String($0)) })
    }
  }

  @Test("what a log proves before a loss is found", arguments: FiringLog.all)
  func before(firing: FiringLog) {
    let log = firing.log.losing(firing.log.events.count..<firing.log.events.count)
    let isGrowth = [.registrationGrowth, .consumerGrowth].contains(firing.code)
    #expect(log.outcome() == (isGrowth ? [] : firing.outcome))
  }

  @Test("a removal that matched nothing counts where the log says so, and is else not judged")
  func removal() {
    for isUnmatched in [true, false] {
      let log = SampleLog {
        $0.add(.dropped(count: 1, why: .none))
        $0.remove(isUnmatched: isUnmatched)
        $0.register(context: "a")
        $0.remove(context: "b", isUnmatched: isUnmatched)
        $0.remove("1", context: "a")
        $0.remove(context: "a", isUnmatched: isUnmatched)
      }
      let (verdicts, engine) = log.run()
      #expect(verdicts.map(\.brief) == (isUnmatched ? ["KVO002@2", "KVO003@4", "KVO001@6"] : []))
      let why = "events are missing at event 1, and what they began or ended is not known"
      let rules: [RuleCode] = [.doubleRemove, .removeUnregistered, .removeWrongContext]
      #expect(
        engine.notJudged.filter { $0.why == why }.map(\.code) == (isUnmatched ? [] : rules)
      )
    }
  }

  @Test("what was registered before a loss counts again once it is seen alive")
  func seenAgain() {
    let log = SampleLog {
      $0.register()
      $0.registerEnd()
      $0.add(.dropped(count: 1, why: .none))
      $0.endDeinit("Account#12")
    }
    #expect(log.outcome() == [])
    #expect(log.run().engine.notJudged.contains { $0.code == .observedDeinitWhileObserved })
    #expect(log.inserting(before: 4) { $0.notify() }.outcome() == ["KVO006@5"])
    let listed = log.inserting(before: 4) {
      let known = $0.registration("1", "Account#12", by: "Screen#3", "balance")
      $0.add(.live(known))
    }
    #expect(listed.outcome() == ["KVO006@5"])
    #expect(log.replacing(4) { $0.cancel(by: .subject) }.outcome() == ["KVO006@4"])
  }

  /// What is concluded from what did not happen.
  private static let absence: Set<RuleCode> = [
    .doubleRemove, .removeUnregistered, .removeWrongContext, .registrationRace, .unbalancedChange,
    .priorWithoutAfter, .leakedRegistration, .registrationGrowth, .tokenDropped, .missedDelivery,
    .parkedConsumer, .consumerGrowth,
  ]
}

extension SampleLog {
  /// What is wrong for certain: a note says what may be.
  fileprivate var faults: [String] { verdicts().filter { $0.severity != .note }.map(\.brief) }

  /// The log with a loss instead of the events of `range`, by index.
  fileprivate func losing(_ range: Range<Int>) -> SampleLog {
    var copy = self
    copy.events.replaceSubrange(
      range,
      with: [Event(.dropped(count: UInt64(max(1, range.count)), why: .none))]
    )
    return copy
  }
}
