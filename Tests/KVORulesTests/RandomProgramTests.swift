import KVORules
import KVOTrace
import TestSupport
import Testing

@Suite("Random programs against a model that knows the truth")
struct RandomProgramTests {
  private static let stepCount = 12
  /// What no ledger judges.
  private static let ofChanges: Set = [
    "KVO008", "KVO009", "KVO011", "KVO013", "KVO024", "KVO026", "KVO027", "KVO032",
  ]

  private static func steps(seed: UInt64) -> [Step] {
    var random = SplitMix64(seed: seed)
    return (0..<stepCount).map { _ in Step.random(using: &random) }
  }

  @Test("the engine, the ledgers and the model agree on 10,000 programs", arguments: UInt64(0)..<10)
  func agreement(part: UInt64) {
    var total = 0
    var kinds: Set<Substring> = []
    for seed in (part * 1_000)..<(part * 1_000 + 1_000) {
      let program = ModeledProgram(Self.steps(seed: seed), isNumbered: true)
      let truth = program.truth.sorted()
      let engine = program.log.outcome().sorted()
      let ledgers = LedgerRun(program.log).verdicts.map(\.brief).sorted()
      let ledgerTruth = truth.filter { !Self.ofChanges.contains(String($0.prefix(6))) }
      total += truth.count
      kinds.formUnion(truth.map { $0.prefix { $0 != "@" } })
      guard engine == truth, ledgers == ledgerTruth else {
        #expect(engine == truth, "seed \(seed)")
        #expect(ledgers == ledgerTruth, "seed \(seed)")
        return
      }
    }
    // A generator that makes no faults would agree with anything.
    #expect(total > 2_000)
    #expect(
      kinds == [
        "KVO001", "KVO002", "KVO003", "KVO004", "KVO005", "KVO006", "KVO007", "KVO008", "KVO009",
        "KVO010", "KVO011", "KVO013", "KVO020", "KVO024", "KVO026", "KVO027", "KVO032",
      ]
    )
  }

  @Test("a log without registration numbers gives what its model knows, for 2,000 programs")
  func unnumbered() {
    for seed in 0..<UInt64(2_000) {
      let program = ModeledProgram(Self.steps(seed: seed), isNumbered: false)
      let outcome = program.log.outcome().sorted()
      if outcome != program.truth.sorted() {
        #expect(outcome == program.truth.sorted(), "seed \(seed)")
        return
      }
    }
  }

  @Test("judging as another runtime that stacks gives the same, for 1,000 programs")
  func rematched() {
    for seed in 0..<UInt64(1_000) {
      let program = ModeledProgram(Self.steps(seed: seed), isNumbered: true)
      let outcome = program.log.outcome(profile: .appleLegacy).sorted()
      if outcome != program.truth.sorted() {
        #expect(outcome == program.truth.sorted(), "seed \(seed)")
        return
      }
    }
  }
}

/// Drives ledgers like the library in a process: by name, without any log.
struct LedgerRun {
  private(set) var verdicts: [Verdict] = []
  private var ledgers: [ObjectID: SubjectLedger] = [:]
  private var homes: [RegistrationID: ObjectID] = [:]

  init(_ log: SampleLog) {
    for (index, event) in log.events.enumerated() { consume(event, index + 1) }
  }

  private mutating func consume(_ event: Event, _ number: Int) {
    let evidence = Evidence(role: .failed, event: number, thread: event.thread)
    switch event.body {
    case .register(let registration):
      if let id = registration.id { homes[id] = registration.subject.id }
      verdicts +=
        ledgers[registration.subject.id, default: SubjectLedger()]
        .add(registration, at: evidence).verdicts
    case .registerEnd(let id):
      if let home = homes[id] { ledgers[home]?.finishAdding(id) }
    case .remove(var removal):
      removal.registration = nil
      verdicts +=
        ledgers[removal.subject.id, default: SubjectLedger()]
        .remove(removal, at: evidence).verdicts
    case .cancel(let id, let cause):
      if let home = homes[id] {
        verdicts += ledgers[home]?.cancel(id, by: cause, at: evidence).verdicts ?? []
      }
    case .notify(let delivery) where delivery.phase == .initial:
      if let home = homes[delivery.registration] {
        ledgers[home]?.beginInitial(delivery.registration, at: evidence)
      }
    case .notifyEnd(let delivery) where delivery.phase == .initial:
      if let home = homes[delivery.registration] {
        ledgers[home]?.endInitial(delivery.registration)
      }
    case .deinitEnd(let object):
      verdicts += ledgers[object.id]?.subjectDeallocated(at: evidence).verdicts ?? []
      ledgers[object.id] = nil
      for home in ledgers.keys {
        verdicts += ledgers[home]?.observerDeallocated(object.id, at: evidence).verdicts ?? []
      }
    default: break
    }
  }
}
