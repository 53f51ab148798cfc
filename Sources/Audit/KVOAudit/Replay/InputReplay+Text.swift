import KVOFindings
import KVORules

extension InputReplay.Outcome {
  /// The result of an input of crash reports or console text.
  ///
  /// - Throws: ``InputFailure`` if it is not text.
  init(_ text: ImportedText, label: String) throws(InputFailure) {
    if let refusal = text.refusal { throw InputFailure(input: label, reason: refusal) }
    let kind: InputKind =
      switch text.form {
      case .crash: .crash
      case .ips: .ips
      case .console: .console
      }
    var input = AuditReport.Input(
      path: label,
      kind: kind,
      eventCount: 0,
      reportCount: text.reportCount,
      damaged: text.problems.map {
        LogDamage(
          location: .text(line: $0.line, column: 1),
          message: $0.message,
          number: $0.line
        )
      },
      damageCount: text.problems.count
    )
    input.isCrash = text.isCrash
    input.hasOwnReport = text.hasOwnReport
    self.init(
      input: input,
      findings: text.findings.map { finding in
        var copy = finding
        // Each report concerns one process, which is a separate run.
        copy.processCount = finding.crashFacts?.reportCount ?? 1
        copy.runCount = copy.processCount
        return copy
      },
      ended: [],
      crashes: [],
      unnamed: text.unnamed
    )
  }
}
