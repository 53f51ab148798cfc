import Foundation
import KVOAudit
import KVORules
import KVOSafety
import KVOSymbols
import Synchronization
import Testing

@testable import KVOSafetyTesting

/// What names a fault to a person: what is copied from one report must be found in another.
private struct Identity: Hashable, CustomStringConvertible {
  var code: String
  var signature: String
  var message: String

  var description: String { "\(code) \(signature) \(message)" }
}

extension Identity {
  /// The findings of a text report, those that follow from others included.
  static func inText(_ text: String) -> [Identity] {
    var found: [Identity] = []
    var head: (code: String, message: String)?
    let lines = text.split(separator: "\n").map(String.init)
    for (line, next) in zip(lines, lines.dropFirst() + [""]) {
      if let match = line.firstMatch(of: #/KVOSafety: .* \((KVO\d+) /#) {
        head = (String(match.1), next.trimmingCharacters(in: .whitespaces))
      } else if let match = line.firstMatch(of: #/^    (.*) \((KVO\d+) [a-z-]+, (\S+), seen/#) {
        found.append(
          Identity(code: "\(match.2)", signature: "\(match.3)", message: "\(match.1)")
        )
      } else if let match = line.firstMatch(of: #/^  Signature: (\S+) /#), let known = head {
        found.append(
          Identity(code: known.code, signature: "\(match.1)", message: known.message)
        )
      }
    }
    return found
  }

  init(_ finding: Finding) {
    self.init(
      code: finding.code.rawValue,
      signature: finding.shortSignature,
      message: finding.message
    )
  }
}

private final class Collected: Sendable {
  private let state = Mutex<[ObservationViolation]>([])
  func add(_ violation: ObservationViolation) { state.withLock { $0.append(violation) } }
  var all: [ObservationViolation] { state.withLock { $0 } }
}

@Suite("One fault in a live report, in a test's failure and in an audit")
struct OneIdentityTests {
  @Test("has one code, one signature and one sentence, whatever the rule")
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
        report: { failure = $0 },
        { Faults.all() }
      )
      KVO.stopRecording()
      let report = Audit(resolver: DwarfFrameResolver())
        .report(on: AuditInput.inputs(arguments: [path]))
      try FileManager.default.removeItem(atPath: path)

      let rules = Set(LiveRule.allCases.map(\.rawValue))
      let live = Set(collected.all.flatMap { Identity.inText($0.report) })
      // KVO023 takes a second executor, which a function that only calls has not.
      #expect(Set(live.map(\.code)) == rules.subtracting(["KVO023"]))
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
