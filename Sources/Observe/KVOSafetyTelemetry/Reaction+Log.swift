#if Telemetry
public import CoreMetrics
internal import KVORules
public import KVOSafety
public import Logging
internal import Synchronization

extension ObservationPolicy.Reaction {
  /// The fault is an event of `logger`, the first time that its signature is found, and is counted every time.
  ///
  /// ```swift
  /// KVO.policy.setAll(.log(to: Logger(label: "kvo")))
  /// ```
  ///
  /// The event has the sentence of the report as its message, its level by the severity of the fault (`error`, `warning`, or
  /// `notice`), and as metadata the keys that `kvo-audit export --to otlp` writes: `kvo.rule`, `kvo.rule.name`, `kvo.signature`,
  /// `kvo.observed.class`, `kvo.observer.class`, `kvo.key_path`, `kvo.consequence`, `kvo.advice`, `code.stacktrace`; and
  /// `kvo.report`, the whole report as text. What is not known has no key. The counter is `kvo_safety.findings`, with
  /// the dimension `rule`.
  ///
  /// One value belongs to one set of signatures: give the same to each rule. The log handler and the counter are called on the
  /// thread of the fault, without a lock of this library held.
  ///
  /// - Parameters:
  ///   - logger: receives the events.
  ///   - factory: makes the counters.
  /// - Returns: a reaction that writes nothing itself.
  /// - Complexity: O(1) each time, besides the report, of which each fault has one made.
  public static func log(
    to logger: Logger,
    factory: any MetricsFactory = MetricsSystem.factory
  ) -> Self {
    let log = FindingLog(logger: logger, factory: factory)
    return .call { log.receive($0) }
  }
}

/// Passes each fault to swift-metrics, and the first of each signature to swift-log.
private final class FindingLog: Sendable {
  private struct State {
    var signatures: Set<String> = []
    var counters: [LiveRule: Counter] = [:]
  }

  private let logger: Logger
  private let factory: any MetricsFactory
  // State: `state`, under its own lock; handlers of other libraries are called without it.
  private let state = Mutex(State())

  init(logger: Logger, factory: any MetricsFactory) {
    self.logger = logger
    self.factory = factory
  }

  func receive(_ violation: ObservationViolation) {
    counter(of: violation.rule).increment()
    let isFirst = state.withLock { $0.signatures.insert(violation.signature).inserted }
    guard isFirst else { return }
    let finding = violation.finding
    var metadata: Logger.Metadata = ["kvo.report": "\(violation.report)"]
    let stack = finding.stacks.first?.attributes ?? []
    for (key, value) in finding.attributes + [finding.adviceAttribute] + stack {
      if let value { metadata[key] = "\(value)" }
    }
    logger.log(level: Logger.Level(finding.severity), "\(violation.message)", metadata: metadata)
  }

  private func counter(of rule: LiveRule) -> Counter {
    if let counter = state.withLock({ $0.counters[rule] }) { return counter }
    // Two threads may both make one; they are the same to the backend.
    let dimensions = [("rule", rule.rawValue)]
    let counter = Counter(label: "kvo_safety.findings", dimensions: dimensions, factory: factory)
    state.withLock { $0.counters[rule] = counter }
    return counter
  }
}

extension Logger.Level {
  fileprivate init(_ severity: Severity) {
    switch severity {
    case .note: self = .notice
    case .warning: self = .warning
    case .error: self = .error
    }
  }
}
#endif
