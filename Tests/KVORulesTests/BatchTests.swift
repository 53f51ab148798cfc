import KVOReplay
import KVORules
import KVOTrace
import TestSupport
import Testing

@Suite("Events that are judged together")
struct BatchTests {
  /// More registrations than fit into the table of one object or into the caches, and faults.
  private static let registrationCount = Rounds.areMany ? 30_000 : 12_000
  private static let events: [Event] = {
    var random = SplitMix64(seed: 5)
    var events: [Event] = []
    func add(_ body: Event.Body) {
      let thread = ThreadID(UInt64(events.count / 7 % 3))
      events.append(Event(body, thread: thread))
    }
    func object(_ number: Int) -> ObjectRef {
      ObjectRef(id: ObjectID(UInt64(number)), className: .none)
    }
    for number in 0..<registrationCount {
      let live = RegistrationID(UInt64(Int.random(in: 0...number, using: &random)))
      let subject = object(Int.random(in: 0..<3_000, using: &random))
      let observer = object(10_000 + Int.random(in: 0..<500, using: &random))
      let keyPath = StringID(rawValue: UInt32(number % 2))
      switch Int.random(in: 0..<12, using: &random) {
      case 0: add(.cancel(live, by: .user))
      case 1: add(.deinitEnd(subject))
      case 2: add(.deinitEnd(observer))
      case 3: add(.remove(Removal(subject: subject, observer: observer, keyPath: keyPath)))
      case 4:
        let change = Change(subject: subject, key: keyPath, id: ChangeID(UInt64(number)))
        add(.willChange(change))
        add(.didChange(change))
      case 5: add(.notify(Delivery(registration: live, change: nil, phase: .after)))
      default:
        let id = RegistrationID(UInt64(number))
        add(
          .register(
            Registration(id: id, subject: subject, observer: observer, keyPath: keyPath)
          )
        )
      }
    }
    return events
  }()

  @Test("give what they give one by one", arguments: [1, 2, 32, 1_000])
  func sameVerdicts(count: Int) {
    let (single, verdicts) = compare(Self.events, count: count)
    #expect(verdicts.count > Self.registrationCount / 6)
    // As many as it takes for the events to be looked at ahead of their turn.
    #expect(single.engine.liveRegistrationCount > 1_024)
  }

  @Test("give what they give one by one if whole changes are among them")
  func wholeChanges() {
    var verdictCount = 0
    for seed in 0..<UInt64(Rounds.count(60)) {
      var changes = MixedChanges(seed: seed)
      let (_, verdicts) = compare(changes.events(), count: 512)
      if changes.isFaultless { #expect(verdicts.isEmpty) }
      verdictCount += verdicts.count
    }
    #expect(verdictCount > 300)
  }

  @Test("give what they give one by one while a verdict waits for the first end of a callback")
  func waitingVerdict() {
    let log = SampleLog {
      $0.register("1", options: [.initial])
      $0.notify("1", .initial)
      $0.remove()
      $0.register("2", "Account#13", by: "Screen#4", thread: "2")
      $0.will("Account#13", change: "c", thread: "2", stack: [])
      $0.did("Account#13", change: "c", thread: "2", stack: [])
      $0.notify("2", change: "c", thread: "2")
      $0.notifyEnd("2", change: "c", handled: true, thread: "2")
      $0.exit()
    }
    let (_, verdicts) = compare(log.events, count: 512)
    #expect(verdicts.map(\.brief) == ["KVO010@3"])
  }

  /// A change of another object, whose one observer is notified of it.
  private func addWholeChange(to log: inout SampleLog) {
    log.will("Account#13", change: "c", stack: [])
    log.did("Account#13", change: "c", stack: [])
    log.notify("2", change: "c")
    log.notifyEnd("2", change: "c", handled: true)
  }

  @Test("give what they give one by one after a removal that matched nothing, which is over")
  func unmatchedRemoval() {
    let log = SampleLog {
      $0.register("2", "Account#13", by: "Screen#4")
      $0.remove(isUnmatched: true)
      addWholeChange(to: &$0)
      $0.register("1", thread: "2")
      $0.remove("1", thread: "2")
      $0.removeEnd("1", thread: "2")
      $0.remove("2", "Account#13", by: "Screen#4")
      $0.removeEnd("2", "Account#13", by: "Screen#4")
      $0.exit()
    }
    let (_, verdicts) = compare(log.events, count: 512)
    #expect(verdicts.map(\.brief) == ["KVO002@2"])
  }

  @Test("give what they give one by one while a verdict waits for a callback that may come late")
  func waitingMiss() {
    func log(isLate: Bool) -> SampleLog {
      SampleLog {
        $0.register("1")
        $0.register("2", "Account#13", by: "Screen#4")
        for change in ["a", "b"] {
          $0.will(change: change, stack: [])
          $0.did(change: change, stack: [])
        }
        $0.notify("1", change: "b")
        $0.notifyEnd("1", change: "b", handled: true)
        addWholeChange(to: &$0)
        if isLate {
          $0.notify("1", change: "a")
          $0.notifyEnd("1", change: "a", handled: true)
        }
        $0.exit()
      }
    }
    let missed = compare(log(isLate: false).events, count: 512).verdicts
    #expect(missed.map(\.brief) == ["KVO032@4"])
    #expect(compare(log(isLate: true).events, count: 512).verdicts == [])
  }

  @Test("give what they give one by one after a crash that the process survived")
  func survivedCrash() {
    let log = SampleLog {
      $0.register("2", "Account#13", by: "Screen#4")
      let signal = $0.names.id(of: "SIGUSR1")
      $0.add(.crash(Crash(signal: signal, exception: .none, reason: .none, liveCount: nil)))
      addWholeChange(to: &$0)
      $0.exit()
    }
    let options = RuleEngine.Options(judgesLeaksAtExit: true)
    let (single, _) = compare(log.events, count: 512, options: options)
    // The exit is that of the process, and not the end of the crash.
    #expect(!single.engine.notJudged.map(\.code).contains(.leakedRegistration))
  }

  /// Judges `events` one by one, and `count` at a time.
  private func compare(
    _ events: [Event],
    count: Int,
    options: RuleEngine.Options = .init()
  ) -> (single: OrderedReplay, verdicts: [Verdict]) {
    var single = OrderedReplay(options: options)
    var expected: [Verdict] = []
    for (index, event) in events.enumerated() {
      single.take(event, number: index + 1) { expected.append($0) }
    }
    single.finish { expected.append($0) }
    var batched = OrderedReplay(options: options)
    var verdicts: [Verdict] = []
    for start in stride(from: 0, to: events.count, by: count) {
      let end = min(start + count, events.count)
      batched.take(events.span.extracting(start..<end), firstNumber: start + 1) {
        verdicts.append($0)
      }
    }
    batched.finish { verdicts.append($0) }
    #expect(verdicts == expected)
    #expect(batched.capacities == single.capacities)
    #expect(batched.engine.eventCount == single.engine.eventCount)
    #expect(batched.engine.contradictionCount == single.engine.contradictionCount)
    #expect(batched.engine.notJudged == single.engine.notJudged)
    return (single, verdicts)
  }
}
