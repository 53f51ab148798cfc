import Foundation
import KVOAudit
import KVOFindings
import KVORules
import KVOSafety
import KVOSymbols
import Synchronization
import Testing

@testable import KVOSafetyTesting

/// The violations that are reported live.
final class Collected: Sendable {
  private let state = Mutex<[ObservationViolation]>([])
  func add(_ violation: ObservationViolation) { state.withLock { $0.append(violation) } }
  var all: [ObservationViolation] { state.withLock { $0 } }
}

@Suite("One fault in a live report, in a test's failure and in an audit")
struct OneIdentityTests {
  @Test("has one code, one signature and one sentence for every rule")
  func identity() async {
    await #expect(processExitsWith: .success) {
      let path = NSTemporaryDirectory() + "identity-\(UUID().uuidString).kvolog"
      try KVO.startRecording(to: path)
      let collected = Collected()
      KVO.policy.setAll(.call { collected.add($0) })
      var failure: String?
      AuditedScope.run(
        name: "faults",
        expectations: ScopeExpectations(threshold: .note, findsRetainCycles: false),
        report: { failure = $0.text },
        { Faults.all() }
      )
      KVO.stopRecording()
      let report = Audit(resolver: DwarfFrameResolver())
        .report(on: AuditInput.inputs(arguments: [path]))
      try FileManager.default.removeItem(atPath: path)

      let rules = Set(LiveRule.allCases.map(\.rawValue))
      let live = Set(collected.all.flatMap { Identity.inText($0.report) })
      // KVO023 needs a second executor, KVO043 and KVO044 a task, which a function with calls only does not have.
      #expect(Set(live.map(\.code)) == rules.subtracting(["KVO023", "KVO043", "KVO044"]))
      #expect(collected.all.allSatisfy { $0.report.contains(Signature.short($0.signature)) })
      let tested = Set(Identity.inText(failure ?? "").filter { rules.contains($0.code) })
      let audited = Set(
        report.findings.flatMap(\.withConsequences).map(Identity.init)
          .filter { rules.contains($0.code) }
      )
      #expect(live.subtracting(audited).isEmpty)
      #expect(audited.subtracting(live).isEmpty)
      #expect(live.subtracting(tested).isEmpty)
      #expect(tested.subtracting(live).isEmpty)
    }
  }

  @Test(
    "a cycle that is broken after its scope is in the audit as in the test's failure",
    arguments: CycleEnd.allCases
  )
  func brokenLater(_ end: CycleEnd) async {
    await #expect(processExitsWith: .success) { [end] in
      let path = NSTemporaryDirectory() + "broken-\(UUID().uuidString).kvolog"
      try KVO.startRecording(to: path)
      let account = Account()
      let holder = Holder(account)
      if end == .survivor { holder.observeStrongly() }
      var failures: [String] = []
      AuditedScope.run(
        name: "a scope",
        expectations: ScopeExpectations(
          expected: end == .expected ? [.observationRetainCycle] : []
        ),
        report: { failures.append($0.text) },
        {
          if end == .survivor {
            account.observe(\.balance) { _, _ in }.invalidate()
            KVO.expectDeallocation(of: holder, within: .seconds(3600))
          } else {
            holder.observeStrongly()
          }
        }
      )
      holder.close()
      KVO.stopRecording()
      let report = Audit(resolver: DwarfFrameResolver())
        .report(on: AuditInput.inputs(arguments: [path]))
      try FileManager.default.removeItem(atPath: path)

      let tested = Set(Identity.inText(failures.joined(separator: "\n")))
      let unexpected = report.findings.filter { !$0.isExpected }
      #expect(tested == Set(unexpected.flatMap(\.withConsequences).map(Identity.init)))
      #expect(report.findings.map(\.code) == [.observationRetainCycle])
      #expect(tested.isEmpty == (end == .expected))
    }
  }
}

/// How the scope of a cycle ends that is broken afterwards.
enum CycleEnd: String, CaseIterable, Codable, Sendable {
  /// It fails for the observation that it leaves.
  case leaked
  /// It expects the cycle.
  case expected
  /// It fails for an older observation, which keeps an object that should be deallocated.
  case survivor
}

/// Keeps itself alive by its observation until it is closed.
private final class Holder {
  private let account: Account
  private var token: ObservationToken?
  private var count = 0

  init(_ account: Account) { self.account = account }

  func observeStrongly() { token = account.observe(\.balance) { _, _ in self.count += 1 } }

  func close() {
    token?.invalidate()
    token = nil
  }
}
