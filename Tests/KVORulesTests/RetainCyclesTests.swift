import KVORules
import KVOTrace
import Testing

@Suite("Retain cycles through observations")
struct RetainCyclesTests {
  /// The objects on each cycle, from and back to its first.
  private func cycles(_ log: SampleLog) -> [String] {
    log.verdicts().compactMap { verdict in
      guard case .cycle(let references) = verdict.detail, let first = references.first
      else { return nil }
      let objects = [first.from] + references.map(\.to)
      return objects.map { log.names.text(of: $0.id) }.joined(separator: " ")
    }
  }

  @Test("the shortest cycle is reported, from the object that holds the observation")
  func shortest() {
    let log = SampleLog {
      $0.hold("closure:handler#10", "Router#1")
      $0.hold("Router#1", "Screen#3")
      $0.hold("closure:handler#10", "Screen#3", label: "capture of self")
      $0.hold("Screen#3", "token:Token#9")
      $0.hold("token:Token#9", "closure:handler#10")
      $0.exit()
    }
    #expect(cycles(log) == ["3 9 10 3"])
    #expect(log.outcome() == ["KVO019@3"])
  }

  @Test("two observations of one object are two cycles, one tangle of many is one for each")
  func several() {
    let log = SampleLog { log in
      for number in 1...3 {
        log.hold("Screen#100", "token:Token#\(number)")
        log.hold("token:Token#\(number)", "closure:handler#1\(number)")
        log.hold("closure:handler#1\(number)", "Screen#100")
      }
      log.exit()
    }
    #expect(cycles(log) == ["100 1 11 100", "100 2 12 100", "100 3 13 100"])
  }

  @Test("a cycle is reported where a test asserts that there is none, also if it is broken later")
  func asserted() {
    func log(isAsserted: Bool, _ strength: Reference.Strength = .strong) -> SampleLog {
      SampleLog {
        $0.register(by: nil, form: .token, token: "token:Token#9")
        for isAsserted in [false, isAsserted, isAsserted] {
          $0.beginWalk()
          $0.hold("Screen#3", "token:Token#9")
          $0.hold("token:Token#9", "closure:handler#10")
          $0.hold("closure:handler#10", "Screen#3", strength)
          $0.endWalk(isAsserted: isAsserted)
        }
        $0.cancel(by: .user)
        $0.exit()
      }
    }
    #expect(log(isAsserted: true).outcome() == ["KVO019@10"])
    #expect(log(isAsserted: true, .weak).outcome() == [])
    #expect(log(isAsserted: false).outcome() == [])
    #expect(log(isAsserted: true).without(14).outcome() == ["KVO019@10"])
  }

  @Test("a cycle with a suspected reference is a note, and a proven one beside it an error")
  func suspected() {
    let log = SampleLog {
      $0.hold("Screen#3", "token:Token#9")
      $0.hold("token:Token#9", "Screen#3", certainty: .suspected)
      $0.exit()
    }
    let verdicts = log.verdicts()
    #expect(verdicts.map(\.severity) == [.note])
    #expect(verdicts.map(\.confidence) == [.low])
    let both = SampleLog {
      $0.hold("Screen#3", "token:Token#9")
      $0.hold("token:Token#9", "Screen#3", certainty: .suspected)
      $0.hold("token:Token#9", "closure:handler#10")
      $0.hold("closure:handler#10", "Screen#3")
      $0.exit()
    }
    #expect(both.verdicts().map(\.severity) == [nil])
    #expect(cycles(both) == ["3 9 10 3"])
  }

  @Test("a walk with the same result is one finding, whoever starts it")
  func walkedTwice() {
    let log = SampleLog { log in
      for thread in ["1", "2"] {
        log.beginWalk(thread: thread)
        for (from, to) in [("Screen#3", "token:Token#9"), ("token:Token#9", "Screen#3")] {
          log.hold(from, to)
          log.events[log.events.count - 1].thread = log.names.identifier(thread)
        }
        log.endWalk(thread: thread)
      }
      log.exit()
    }
    #expect(cycles(log) == ["3 9 3"])
  }

  @Test("the observation that a controller made is found by its observer")
  func controller() {
    let log = SampleLog {
      $0.register("1", by: "Screen#3", form: .controller)
      $0.hold("Screen#3", "registry:Controller#4")
      $0.hold("registry:Controller#4", "Screen#3")
      $0.exit()
    }
    #expect(log.verdicts().map(\.registration) == [RegistrationID(1)])
  }

  @Test("references at the time when a log was cut are reported with low confidence")
  func killed() {
    let log = SampleLog {
      $0.hold("Screen#3", "token:Token#9")
      $0.hold("token:Token#9", "Screen#3")
    }
    #expect(log.verdicts().map(\.confidence) == [.low])
    #expect(log.twin { $0.exit() }.verdicts().map(\.confidence) == [.high])
  }

  @Test("a walk that never ends proves nothing")
  func openWalk() {
    let log = SampleLog {
      $0.beginWalk()
      $0.hold("Screen#3", "token:Token#9")
      $0.hold("token:Token#9", "Screen#3")
      $0.exit()
    }
    #expect(log.outcome() == [])
  }
}
