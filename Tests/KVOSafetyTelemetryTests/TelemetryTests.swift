#if Telemetry
import BankModel
import InMemoryLogging
import KVOSafety
import KVOSafetyTelemetry
import Logging
import MetricsTestKit
import TestSupport
import Testing

/// Serialized, because the policy and the log are those of the process.
@Suite("health as metrics, and findings as events of a log", .serialized)
struct TelemetryTests {
  private let metrics = TestMetrics()

  private func meter(_ label: String, _ dimensions: [(String, String)] = []) throws -> Double? {
    try metrics.expectMeter(label, dimensions).lastValue
  }

  /// Has the findings of this process logged.
  private func logFindings() -> InMemoryLogHandler {
    let handler = InMemoryLogHandler()
    KVO.policy.setAll(.log(to: Logger(label: "kvo") { _ in handler }, factory: metrics))
    return handler
  }

  @Test("a fault is one event with stable keys, however often it happens, and is counted each time")
  func findings() throws {
    let saved = KVO.policy
    let handler = logFindings()
    defer { KVO.policy = saved }
    let observer = Screen()
    let account = Account()
    for _ in 1...3 { account.removeObserver(observer, forKeyPath: "balance") }

    let entries = handler.entries
    #expect(entries.count == 1)
    let entry = try #require(entries.first)
    #expect(entry.level == .error)
    #expect("\(entry.message)".hasPrefix("Screen#"))
    let expected = [
      "kvo.rule": "KVO002", "kvo.rule.name": "remove-unregistered", "kvo.observed.class": "Account",
      "kvo.observer.class": "Screen", "kvo.key_path": "balance", "kvo.consequence": "contained",
    ]
    for (key, value) in expected { #expect(entry.metadata[key] == "\(value)") }
    #expect("\(entry.metadata["kvo.signature"] ?? "")".hasPrefix("2:"))
    #expect("\(entry.metadata["kvo.report"] ?? "")".contains("KVO002 remove-unregistered"))
    let counted = try metrics.expectCounter("kvo_safety.findings", [("rule", "KVO002")])
    #expect(counted.totalValue == 3)
  }

  @Test("correct code is neither an event nor counted")
  func correct() {
    let saved = KVO.policy
    let handler = logFindings()
    defer { KVO.policy = saved }
    let observer = Screen()
    let account = Account()
    account.addObserver(observer, forKeyPath: "balance")
    account.balance = 1
    account.removeObserver(observer, forKeyPath: "balance")
    #expect(handler.entries.isEmpty)
    #expect(metrics.counters.isEmpty)
  }

  @Test("live registrations are metered by line, and a line without any no longer is")
  func registrations() throws {
    let account = Account()
    let health = HealthMetrics(siteLimit: 1, factory: metrics)
    let tokens = (1...3).map { _ in account.observe(\.balance) { _, _ in } }
    let site = "TelemetryTests.swift:\(#line - 1)"
    let other = account.observe(\.balance) { _, _ in }
    health.record()
    #expect(try meter("kvo_safety.registrations", [("site", site)]) == 3)
    #expect(try meter("kvo_safety.registrations", [("site", "other")]) == 1)
    let metered = try metrics.expectMeter("kvo_safety.registrations", [("site", site)])
    for token in tokens { token.invalidate() }
    other.invalidate()
    health.record()
    #expect(metered.lastValue == 0)
    #expect(metrics.meters.allSatisfy { $0.label != "kvo_safety.registrations" })
  }

  @Test("counters grow by what was recorded since the last time, in each log")
  func recording() throws {
    let health = HealthMetrics(factory: metrics)
    health.record()
    #expect(try meter("kvo_safety.recording") == 0)
    let events = try metrics.expectCounter("kvo_safety.events")
    #expect(events.totalValue == 0)
    let folder = try ScratchFolder()
    var total = 0
    for log in ["first", "second"] {
      try KVO.startRecording(to: folder.path("\(log).kvolog"))
      let account = Account()
      let token = account.observe(\.balance) { _, _ in }
      for _ in 1...10 { account.balance += 1 }
      token.invalidate()
      health.record()
      total += KVO.health.eventCount
      #expect(KVO.health.eventCount >= 12)
      #expect(events.totalValue == Int64(total))
      health.record()
      #expect(events.totalValue == Int64(total))
      #expect(try meter("kvo_safety.recording") == 1)
      #expect(try meter("kvo_safety.objects.share") == 1)
      #expect(try #require(try meter("kvo_safety.disk")) > 0)
      KVO.stopRecording()
    }
    health.record()
    #expect(try meter("kvo_safety.recording") == 0)
    #expect(try metrics.expectCounter("kvo_safety.events.lost").totalValue == 0)
  }

  @Test("a task reads until it is cancelled, and once more then")
  func periodically() async throws {
    let health = HealthMetrics(factory: metrics)
    let task = Task { try await health.run(every: .seconds(3600)) }
    let disk = try metrics.expectMeter("kvo_safety.disk")
    while disk.values.isEmpty { await Task.yield() }
    #expect(disk.values.count == 1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(disk.values.count == 2)
  }
}

private final class Screen: KeyValueObserver {
  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling { .handled }
}
#endif
