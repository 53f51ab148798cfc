import KVOReplay
import KVORules
import KVOTrace
import TestSupport
import Testing

@Suite("Logs that make no sense")
struct HostileLogTests {
  /// One event of any kind about a handful of objects, registrations, scopes and threads.
  private static func addAnything(to log: inout SampleLog, using random: inout SplitMix64) {
    func pick(_ count: Int) -> String { String(Int.random(in: 0..<count, using: &random)) }
    let id = pick(12)
    let subject = "Account#\(pick(4))"
    let observer = "Screen#\(pick(4))"
    let thread = pick(3)
    let order: UInt64? =
      Bool.random(using: &random) ? UInt64.random(in: 0..<40, using: &random) : nil
    let scope = Bool.random(using: &random) ? pick(4) : nil
    let cause = [CancelCause.user, .owner, .subject, .token, .observer].randomElement(
      using: &random
    )
    let form = Registration.Form.allCases.randomElement(using: &random)
    let phase = Delivery.Phase.allCases.randomElement(using: &random)
    switch Int.random(in: 0..<36, using: &random) {
    case 0, 1:
      log.register(
        id,
        subject,
        by: observer,
        form: form ?? .classic,
        thread: thread,
        order: order,
        scope: scope
      )
    case 2: log.register(nil, subject, by: nil, thread: thread, order: order, scope: scope)
    case 3: log.registerEnd(id, thread: thread)
    case 4: log.remove(id, subject, by: observer, thread: thread, order: order)
    case 5: log.remove(nil, subject, by: observer, thread: thread, order: order)
    case 6: log.cancel(id, by: cause ?? .user, thread: thread, order: order, scope: scope)
    case 7, 8: log.will(subject, change: id, thread: thread, order: order, scope: scope)
    case 9, 10: log.did(subject, change: id, thread: thread, order: order, scope: scope)
    case 11: log.notify(id, phase ?? .after, change: id, thread: thread, order: order)
    case 12: log.notifyEnd(id, phase ?? .after, change: id, handled: false, thread: thread)
    case 13: log.beginDeinit(subject, thread: thread)
    case 14: log.endDeinit(subject, thread: thread, order: order)
    case 15: log.endDeinit(observer, thread: thread, order: order)
    case 16: log.beginScope(pick(4), in: scope)
    case 17: log.endScope(pick(4))
    case 18: log.hold("registry:\(observer)", subject)
    case 19: log.refuse(.unknownKey, part: "")
    case 20:
      let known = log.registration(id, subject, by: observer, "balance")
      log.add(.live(known), thread: thread, order: order)
    case 21: log.removeEnd(id, subject, by: observer, thread: thread)
    case 22: log.attach(id, depth: Int(pick(4)) ?? 0, to: subject, .weak, thread: thread)
    case 23: log.attach(id, depth: .max, to: observer, thread: thread)
    case 24: log.detach(id, depth: Int(pick(4)) ?? 0, from: observer, thread: thread)
    case 25: log.detach(id, depth: .min, from: subject, thread: thread)
    case 26: log.write(pick(3), subject, thread: thread, order: order)
    case 27: log.hold("token:\(observer)", subject, label: pick(2))
    case 28: log.hold(subject, "closure:\(observer)", certainty: .suspected)
    case 29: log.drop("token:\(observer)", subject, label: pick(2))
    case 30:
      Bool.random(using: &random) ? log.beginWalk(thread: thread) : log.endWalk(thread: thread)
    case 31: Bool.random(using: &random) ? log.lock(thread: thread) : log.unlock(thread: thread)
    case 32: log.changeClass(subject, to: pick(2), isKVOSubclass: Bool.random(using: &random))
    case 33: log.declare(pick(3), affectedBy: [pick(3)], by: pick(2), superclass: pick(3))
    case 34: log.nameThread(pick(3), thread: thread)
    default: log.register(id, subject, by: subject, thread: thread, order: order, scope: scope)
    }
  }

  @Test("no order of events stops the rules, and every finding can be printed")
  func nonsense() {
    for seed in 0..<UInt64(60) {
      var random = SplitMix64(seed: seed)
      var log = SampleLog()
      for _ in 0..<300 { Self.addAnything(to: &log, using: &random) }
      log.exit()
      let profile = Profile.allCases[Int(seed) % Profile.allCases.count]
      var sequencer = EventSequencer(window: 1 + Int(seed))
      var engine = RuleEngine(profile: profile, options: .init(judgesLeaksAtExit: true))
      var verdicts: [Verdict] = []
      for (index, event) in log.events.enumerated() {
        sequencer.push(event, number: index + 1) { verdicts += engine.consume($0, number: $1) }
      }
      sequencer.flush { verdicts += engine.consume($0, number: $1) }
      verdicts += engine.finish()
      #expect(engine.eventCount == log.events.count)
      #expect(!verdicts.isEmpty)
      let builder = FindingBuilder(names: log.names, profile: profile)
      for verdict in verdicts {
        let finding = builder.finding(for: verdict)
        #expect(finding.signature.utf8.count == 34 && Signature.isName(finding.signature))
        #expect(FindingText().render(finding).hasSuffix("\n"))
      }
    }
  }

  @Test("the same log gives the same verdicts in the same order, every time")
  func determinism() {
    var random = SplitMix64(seed: 1)
    var log = SampleLog()
    for number in 0..<40 {
      log.register("\(number)", "Account#\(number)", by: "Screen#1", scope: "s")
    }
    for _ in 0..<200 { Self.addAnything(to: &log, using: &random) }
    log.endScope("s")
    log.endDeinit("Screen#1")
    let first = log.verdicts()
    for _ in 0..<5 { #expect(log.verdicts() == first) }
  }

  /// The time limit stops what looks at every thread for every event.
  @Test("a thread for every event costs no more than one thread")
  func manyThreads() {
    var log = SampleLog()
    for number in 0..<60_000 {
      log.register("\(number)", thread: "\(number)")
      log.remove("\(number)", thread: "\(number)")
    }
    #expect(log.verdicts().isEmpty)
  }
}
