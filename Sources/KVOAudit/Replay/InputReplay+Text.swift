import KVORules

extension InputReplay.Outcome {
  /// What came of an input of crash reports or console text.
  ///
  /// - Throws: ``InputFailure`` where it is no text.
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
        DamagedPlace(
          location: .text(line: $0.line, column: 1),
          message: $0.message,
          number: $0.line
        )
      },
      damageCount: text.problems.count
    )
    input.isCrash = text.isCrash
    self.init(
      input: input,
      findings: text.findings.map { finding in
        var copy = finding
        // Each report is one of a process, which is a run of its own.
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
