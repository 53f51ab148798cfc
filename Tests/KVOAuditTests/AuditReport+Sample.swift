import KVOAudit
import KVORules
import KVOTraceJSON

extension AuditReport {
  /// A report with everything that a renderer can show.
  static let sample: AuditReport = {
    let screen = Finding.Object(className: "Screen", id: "3")
    let token = Finding.Object(className: "Token", id: "9")
    var late = Finding(
      code: .deliveryToDead,
      severity: .error,
      profile: .swift,
      consequence: .contained,
      confidence: .low,
      message: "late",
      input: 1,
      hint: "h",
      signature: "00000001"
    )
    late.isExpected = true
    let finding = Finding(
      code: .doubleRemove,
      severity: .error,
      profile: .swift,
      consequence: .contained,
      message: "Screen#3 removed \"balance\" twice",
      subject: Finding.Object(className: "Account", id: "12"),
      observer: screen,
      keyPath: "balance",
      count: 3,
      events: [118, 240, 377],
      stacks: [
        Finding.Stack(
          role: .failed,
          thread: "1",
          threadName: "main",
          event: 118,
          site: "Screen.swift:41",
          frames: [
            Finding.StackFrame(
              address: 0x55d0_c0de,
              symbol: "Screen.deinit",
              module: "app",
              file: "Screen.swift",
              line: 41,
              isFirstOwn: true
            ),
            Finding.StackFrame(address: 0x10),
          ]
        ),
        Finding.Stack(role: .registered, event: 0),
      ],
      cycle: [
        Finding.Edge(
          from: screen,
          label: "token",
          to: token,
          strength: "strong",
          certainty: "proven",
          shouldBeWeak: true
        )
      ],
      hint: "remove it once",
      signature: "5f0c2a91",
      consequences: [late]
    )
    var summary = AuditReport.Summary()
    summary.eventCount = 1204
    summary.errorCount = 1
    summary.noteCount = 2
    summary.liveRegistrationCount = 14
    summary.droppedEventCount = .max
    summary.processCount = 1
    return AuditReport(
      inputs: [
        AuditReport.Input(
          path: "a.jsonl",
          kind: .jsonLines,
          eventCount: 1204,
          damaged: [LogDamage(LogProblem(line: 7, column: 3, message: "not JSON"))],
          damageCount: 1
        )
      ],
      failures: [InputFailure(input: "b.jsonl", reason: "no such file")],
      findings: [finding],
      notJudged: [AuditReport.NotJudged(code: .mutationWithoutNotification, why: "no writes")],
      summary: summary
    )
  }()

  /// The same, without a damaged line and dropped events, which every form reports
  /// (`KVOAuditCommandTests/IncompleteInputTests`).
  static let wholeSample: AuditReport = {
    var report = sample
    report.summary.droppedEventCount = 0
    report.inputs[0].damaged = []
    report.inputs[0].damageCount = 0
    return report
  }()
}
