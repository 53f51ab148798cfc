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
}
