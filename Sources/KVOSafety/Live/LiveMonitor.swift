internal import KVORecorder
internal import KVORules
internal import KVOTrace

/// Receives the verdicts of the running program, and applies the policy.
///
/// A fault that happens again at the same call site is reported once; a log has every occurrence.
final class LiveMonitor: Sendable {
  private struct State {
    var policy = ObservationPolicy()
    var reported: Set<FaultKey> = []
    /// The faults for which a flight recording was kept.
    var kept: Set<FaultKey> = []
    /// Closures of tests that receive every verdict.
    var witnesses: [Int: @Sendable (Verdict) -> Void] = [:]
    var lastWitness = 0
  }

  /// The identity of a fault, as far as it is known without symbol lookup.
  private struct FaultKey: Hashable {
    var code: RuleCode
    var subject: StringID?
    var observer: StringID?
    var keyPath: StringID
    var stack: StackID
    var site: StringID
  }

  static let shared = LiveMonitor()

  // State: `state`, under its own lock; closures are called and text is written without it.
  private let state = GuardedState(State())

  private init() {}

  var policy: ObservationPolicy {
    get { state.withLock { $0.policy } }
    set {
      // Released without the lock: a closure may hold the last reference to an object whose deinit is reported.
      let previous = state.withLock { state in
        defer { state.policy = newValue }
        return state.policy
      }
      withExtendedLifetime(previous) {}
      DuplicateCoalescing.shared.isEnabled = newValue.coalescesDuplicates
    }
  }

  /// Applies the policy to each verdict.
  ///
  /// No lock of the library may be held.
  ///
  /// - Parameters:
  ///   - verdicts: the faults.
  ///   - isAsserted: whether a test failure reports it, so that it is not written.
  func report(_ verdicts: [Verdict], isAsserted: Bool = false) {
    for verdict in verdicts { report(verdict, isAsserted: isAsserted) }
  }

  private func report(_ verdict: Verdict, isAsserted: Bool) {
    let (policy, witnesses) = state.withLock { ($0.policy, Array($0.witnesses.values)) }
    for witness in witnesses { witness(verdict) }
    guard let rule = LiveRule(verdict.code), !verdict.isForLogsAlone else { return }
    if Recorder.shared.keepsFindings { keep(verdict, under: policy[rule]) }
    switch policy[rule] {
    case .ignore:
      break
    case .call(let react):
      react(LiveReport(verdict).violation(of: rule))
    case .trap:
      let text = LiveReport(verdict).text
      StandardError.write(text)
      fatalError("KVOSafety: the policy for \(rule.rawValue) is to trap; the report is above")
    case .report:
      // A test scope reports what happens in it, with names and lines, when it ends; a task that it left may outlive it.
      guard !RecordingScope.isToBeJudged, noteFirst(verdict), !isAsserted else { return }
      StandardError.write(LiveReport(verdict).text)
    }
  }

  /// Keeps the flight recording that has the fault, the first time that it is found at its call site.
  private func keep(_ verdict: Verdict, under reaction: ObservationPolicy.Reaction) {
    if case .ignore = reaction { return }
    let fault = fault(of: verdict)
    guard state.withLock({ $0.kept.insert(fault).inserted }) else { return }
    let rule = verdict.code
    _ = Recorder.shared.keepLog(reason: "\(rule.rawValue) \(rule.slug)", isFinding: true)
  }

  /// Notes that the fault was found at its call site.
  ///
  /// - Returns: whether it was the first one there.
  private func noteFirst(_ verdict: Verdict) -> Bool {
    let fault = fault(of: verdict)
    return state.withLock { $0.reported.insert(fault).inserted }
  }

  private func fault(of verdict: Verdict) -> FaultKey {
    FaultKey(
      code: verdict.code,
      subject: verdict.subject?.className,
      observer: verdict.observer?.className,
      keyPath: verdict.keyPath,
      stack: verdict.evidence.first?.stack ?? .none,
      site: verdict.evidence.first?.site ?? .none
    )
  }

  /// Passes every verdict to `see` from now on, until `removeWitness` is called with what it returns.
  func addWitness(_ see: @escaping @Sendable (Verdict) -> Void) -> Int {
    state.withLock { state in
      state.lastWitness += 1
      state.witnesses[state.lastWitness] = see
      return state.lastWitness
    }
  }

  func removeWitness(_ witness: Int) {
    let removed = state.withLock { $0.witnesses.removeValue(forKey: witness) }
    withExtendedLifetime(removed) {}
  }
}

extension Verdict {
  /// Whether it is not worth a live report: a token that outlives its object is a fault only in old runtimes.
  fileprivate var isForLogsAlone: Bool {
    RuleCatalogue.severity(of: self, under: .swift) == .note && detail == .endsByItself
  }
}

extension LiveRule {
  init?(_ code: RuleCode) { self.init(rawValue: code.rawValue) }
}
