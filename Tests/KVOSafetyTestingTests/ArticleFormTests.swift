import Foundation
import KVOAudit
import KVOReports
import KVORules
import KVOSafety
import KVOSymbols
import Testing

@testable import KVOSafetyTesting

@Suite("Observing as articles advise it")
struct ArticleFormTests {
  @Test("is nothing but a note, live, in a test and in the audit of its log")
  func forms() async {
    await #expect(processExitsWith: .success) {
      let path = NSTemporaryDirectory() + "forms-\(UUID().uuidString).kvolog"
      try KVO.startRecording(to: path)
      let collected = Collected()
      KVO.policy.setAll(.call { collected.add($0) })
      var failure: String?
      await AuditedScope.run(
        name: "forms",
        expectations: ScopeExpectations(threshold: .warning),
        report: { failure = $0.text },
        {
          ArticleForms.all()
          await ArticleForms.stream()
        }
      )
      KVO.stopRecording()
      let report = Audit(resolver: DwarfFrameResolver())
        .report(on: AuditInput.inputs(arguments: [path]))
      try FileManager.default.removeItem(atPath: path)

      #expect(failure == nil)
      // One object observes itself, which is worth a note.
      #expect(collected.all.map(\.rule.rawValue) == ["KVO020"])
      #expect(report.findings.map(\.code) == [.selfObservation])
      #expect(report.findings.allSatisfy { $0.severity == .note })
      #expect(report.failures.isEmpty && !report.isIncomplete)
    }
  }
}
