import KVOReplay
import KVORules
import KVOTrace
import TestSupport
import Testing

@Suite("A log of which the recorder left out objects")
struct SamplingTests {
  private static func program(seed: UInt64) -> ModeledProgram {
    var random = SplitMix64(seed: seed)
    return ModeledProgram((0..<12).map { _ in Step.random(using: &random) }, isNumbered: true)
  }

  /// The verdicts on `log` as a recorder leaves it that samples from the event `since` on; 0: from the beginning.
  ///
  /// Events keep their numbers, so that verdicts can be compared.
  private static func sampled(
    _ log: SampleLog,
    share: UInt64,
    since: Int = 0
  ) -> (verdicts: [Verdict], engine: RuleEngine) {
    var engine = RuleEngine()
    var verdicts: [Verdict] = []
    var homes: [RegistrationID: ObjectID] = [:]
    let sample = ObjectSample(share: share)
    if since == 0 {
      verdicts += engine.consume(Event(.process(ProcessInfo(sampledShare: Int(share)))), number: 0)
    }
    for (index, event) in log.events.enumerated() {
      if case .register(let registration) = event.body, let id = registration.id {
        homes[id] = registration.subject.id
      }
      if since > 0, index == since {
        verdicts += engine.consume(Event(.sample(share: share, why: .none)), number: 0)
      }
      let subject = registration(of: event.body).flatMap { homes[$0] }
      if index >= since, sample.leavesOut(event.body, of: subject) { continue }
      verdicts += engine.consume(event, number: index + 1)
    }
    verdicts += engine.finish()
    return (verdicts, engine)
  }

  private static func fault(_ verdict: Verdict) -> String {
    "\(verdict.code.rawValue) of \(verdict.subject?.id.rawValue ?? 0), \(verdict.registration?.rawValue ?? 0)"
  }

  private static func registration(of body: Event.Body) -> RegistrationID? {
    switch body {
    case .registerEnd(let id), .cancel(let id, _): id
    case .notify(let delivery), .notifyEnd(let delivery): delivery.registration
    case .attach(let attachment), .detach(let attachment): attachment.registration
    default: nil
    }
  }

  private static func briefs(_ verdicts: [Verdict], of sample: ObjectSample) -> [String] {
    verdicts.filter { $0.subject.map { sample.contains($0.id) } ?? true }.map(\.brief).sorted()
  }

  @Test(
    "the verdicts on sampled objects are the truth, and there are no others",
    arguments: [64, 256, 512, 900]
  )
  func fromTheBeginning(share: UInt64) {
    let sample = ObjectSample(share: share)
    var keptCount = 0
    var leftCount = 0
    for seed in 0..<UInt64(1_000) {
      let program = Self.program(seed: seed)
      let whole = program.log.verdicts()
      guard whole.map(\.brief).sorted() == program.truth.sorted() else {
        Issue.record("seed \(seed): the whole log is not judged as the model says")
        return
      }
      let truth = Self.briefs(whole, of: sample)
      let found = Self.sampled(program.log, share: share).verdicts
      if found.map(\.brief).sorted() != truth {
        #expect(found.map(\.brief).sorted() == truth, "seed \(seed)")
        return
      }
      keptCount += truth.count
      leftCount += whole.count - truth.count
    }
    // A sample that has all or nothing shows nothing.
    #expect(leftCount > 20)
    #expect(keptCount > 100 || share == 64)
  }

  @Test(
    "if sampling begins in the middle, there is no verdict that is not the truth",
    arguments: [256, 512]
  )
  func inTheMiddle(share: UInt64) {
    let sample = ObjectSample(share: share)
    var foundCount = 0
    var random = SplitMix64(seed: share)
    for seed in 0..<UInt64(1_000) {
      let program = Self.program(seed: seed)
      let since = Int.random(in: 1..<program.log.events.count, using: &random)
      // Without the events: the depth of callbacks (KVO027) is counted anew from a loss.
      let truth = Set(program.log.verdicts().map(Self.fault))
      let found = Self.sampled(program.log, share: share, since: since)
      let faults = found.verdicts.map(Self.fault)
      if !truth.isSuperset(of: faults) {
        #expect(truth.isSuperset(of: faults), "seed \(seed), from event \(since) on")
        return
      }
      let later = found.verdicts.filter { $0.evidence[0].event > since }
      #expect(Self.briefs(later, of: sample) == later.map(\.brief).sorted(), "seed \(seed)")
      foundCount += faults.count
      #expect(found.engine.sampledShare == Int(share))
    }
    #expect(foundCount > 500)
  }

  @Test("every rule is not judged for the objects that are left out, with the share and the moment")
  func notJudged() {
    let log = Self.program(seed: 1).log
    let engine = Self.sampled(log, share: 256).engine
    #expect(engine.notJudged.map(\.code) == RuleCode.allCases.sorted())
    let why =
      "the recorder kept within its budget and recorded a sample of the objects, 256 of 1024, from the beginning on: "
      + "nothing is known of the others"
    #expect(engine.notJudged.first { $0.code == .doubleRemove }?.why == why)
    #expect(RuleEngine().notJudged.count < RuleCode.allCases.count)
  }

  @Test("a removal whose addition is of an object that is left out accuses nobody")
  func removalAlone() {
    let sample = ObjectSample(share: 512)
    let left = (1...99 as ClosedRange<UInt64>).first { !sample.contains(ObjectID($0)) } ?? 0
    let log = SampleLog { log in
      let registration = log.registration("5", "Thing#\(left)", by: "Screen#100", "name")
      log.add(.register(registration))
      log.add(.registerEnd(RegistrationID(5)))
      log.add(.deinit(registration.subject))
      log.add(.deinitEnd(registration.subject))
    }
    #expect(log.verdicts().map(\.code) == [.observedDeinitWhileObserved])
    #expect(Self.sampled(log, share: 512).verdicts == [])
    #expect(Self.sampled(log, share: 512, since: 1).verdicts == [])
    #expect(Self.sampled(log, share: 512, since: 1).engine.liveRegistrationCount == 0)
  }
}
