import KVORecorder
import KVOReplay
import KVORules
import KVOTrace
import TestSupport
import Testing

@testable import KVOSafety

/// What two verdicts have in common when they are of the same fault: rule, objects and the place of
/// the failed event among the events of its object.
private struct Fault: Hashable, Comparable, CustomStringConvertible {
  var code: RuleCode
  var subject: UInt64
  var observer: UInt64
  var keyPath: StringID
  var order: UInt64

  init(_ verdict: Verdict) {
    code = verdict.code
    subject = verdict.subject?.id.rawValue ?? 0
    observer = verdict.observer?.id.rawValue ?? 0
    keyPath = verdict.keyPath
    order = verdict.evidence.first?.order ?? 0
  }

  static func < (left: Fault, right: Fault) -> Bool {
    (left.subject, left.order, left.code, left.observer)
      < (right.subject, right.order, right.code, right.observer)
  }

  var description: String { "\(code.rawValue) #\(subject) by #\(observer) at \(order)" }
}

@Suite("Live findings and the replay of the same run")
struct LiveEqualsReplayTests {
  @Test("agree over random programs of one thread", arguments: 0..<10 as Range<UInt64>)
  func oneThread(block: UInt64) {
    let seeds = block * 20..<block * 20 + 20
    let found = seeds.flatMap { expectAgreement(seed: $0, threadCount: 1) }
    // Two sides that find nothing agree as well.
    #expect(found.count > seeds.count)
    #expect(Set(found.map(\.code)).count > 5)
  }

  @Test("agree over random programs of three threads", arguments: 0..<4 as Range<UInt64>)
  func threeThreads(block: UInt64) {
    let seeds = block * 10..<block * 10 + 10
    let found = seeds.flatMap { expectAgreement(seed: $0, threadCount: 3) }
    #expect(found.count > seeds.count)
    #expect(Set(found.map(\.code)).count > 5)
  }

  /// Runs a random program, and returns what was found of it live.
  private func expectAgreement(seed: UInt64, threadCount: Int) -> [Fault] {
    let scope = ScopeID(ObjectTable.shared.nextNumber())
    let memory = EventMemory()
    var accounts: [Account] = (0..<3).map { _ in Account() }
    let subjects = Set(accounts.map { $0.storage.record.ref.id })
    let live = Collected()
    let witness = LiveMonitor.shared.addWitness { verdict in
      if let subject = verdict.subject, subjects.contains(subject.id) { live.add(Fault(verdict)) }
    }
    Recorder.shared.attach(memory)
    RecordingScope.$ofTask.withValue(scope) {
      nonisolated(unsafe) let shared = accounts
      onThreads(count: threadCount) { index in
        runProgram(seed: seed &* 8 &+ UInt64(index), accounts: shared)
      }
      accounts = []
    }
    Recorder.shared.detach(memory)
    LiveMonitor.shared.removeWitness(witness)
    let replayed = replay(memory.events, about: subjects)
    let onlyLive = Set(live.sorted).subtracting(replayed).sorted()
    let onlyReplayed = Set(replayed).subtracting(live.sorted).sorted()
    #expect(onlyLive.isEmpty && onlyReplayed.isEmpty, "seed \(seed)")
    #expect(live.sorted.count == replayed.count, "seed \(seed)")
    return live.sorted
  }

  /// The verdicts of the live set that a replay gives about `subjects`.
  private func replay(_ events: [Event], about subjects: Set<ObjectID>) -> [Fault] {
    var verdicts: [Verdict] = []
    var replay = OrderedReplay()
    for (index, event) in events.enumerated() {
      replay.take(event, number: index + 1) { verdicts.append($0) }
    }
    replay.take(Event(.exit(status: 0)), number: events.count + 1) { verdicts.append($0) }
    replay.finish { verdicts.append($0) }
    return verdicts.filter { verdict in
      RuleCatalogue.live.contains(verdict.code)
        && verdict.subject.map { subjects.contains($0.id) } ?? false
    }
    .map(Fault.init).sorted()
  }
}

/// A random program of adds, removals, changes and deallocations, right and wrong.
private func runProgram(seed: UInt64, accounts: [Account]) {
  var random = SplitMix64(seed: seed)
  var listeners = (0..<3).map { _ in Listener() }
  let contexts: [ObservationContext?] = [nil, ObservationContext("A"), ObservationContext("B")]
  var tokens: [ObservationToken] = []
  let keyPaths: [String?] = ["balance", "owner", "owner.name", "", "nosuch", nil]
  for _ in 0..<30 {
    guard let account = accounts.randomElement(using: &random),
      let listener = listeners.randomElement(using: &random),
      let context = contexts.randomElement(using: &random),
      let keyPath = keyPaths[..<(Int.random(in: 0..<10, using: &random) == 0 ? 6 : 3)]
        .randomElement(using: &random)
    else { return }
    switch Int.random(in: 0..<13, using: &random) {
    case 12:
      // As by code of the main actor, which is rare in these tests.
      let request = ObservationRequest(
        subject: account,
        keyPath: keyPath,
        options: [.initial, .prior],
        form: .token,
        site: CallSite(fileID: #fileID, line: #line, function: #function),
        expected: .of(MainActor.shared, .reported),
        token: ObservationToken.nextReference(),
        deliver: { _, _, _ in nil }
      )
      tokens.append(ObservationToken(request.add()))
    case 0...2:
      account.addObserver(listener, forKeyPath: keyPath, options: [.initial], context: context)
    case 3, 4:
      account.removeObserver(listener, forKeyPath: keyPath, context: context)
    case 5:
      account.removeObserver(listener, forKeyPath: keyPath)
    case 6:
      account.willChangeValue(for: \.balance)
      account.didChangeValue(for: \.balance)
    case 7:
      account.willChangeValue(for: \.note)
    case 8:
      account.didChangeValue(for: \.note)
    case 9:
      listener.handling = .unhandled
    case 10:
      tokens.append(account.observe(\.balance) { _, _ in })
    default:
      listeners[Int.random(in: 0..<3, using: &random)] = Listener()
      if Bool.random(using: &random) { tokens.popLast()?.invalidate() }
    }
  }
}

private final class Collected: Sendable {
  private let faults = GuardedState<[Fault]>([])
  func add(_ fault: Fault) { faults.withLock { $0.append(fault) } }
  var sorted: [Fault] { faults.withLock { $0 }.sorted() }
}
