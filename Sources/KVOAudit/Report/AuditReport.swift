package import KVORules

/// All that an audit of some inputs found, ready for any renderer.
package struct AuditReport: Sendable {
  /// One input.
  package struct Input: Hashable, Sendable {
    package var path: String
    package var kind: InputKind
    package var eventCount: Int
    /// How many crash reports, or passages of text, in it tell of a fault.
    package var reportCount: Int
    /// The damaged places, in order; the first thousand where there are more.
    package var damaged: [DamagedPlace]
    /// How many damaged places there are.
    package var damageCount: Int

    package init(
      path: String,
      kind: InputKind,
      eventCount: Int,
      reportCount: Int = 0,
      damaged: [DamagedPlace] = [],
      damageCount: Int = 0
    ) {
      self.path = path
      self.kind = kind
      self.eventCount = eventCount
      self.reportCount = reportCount
      self.damaged = damaged
      self.damageCount = damageCount
    }
  }

  /// A rule that could not be judged.
  package struct NotJudged: Hashable, Sendable {
    package var code: RuleCode
    /// A sentence without a capital and a full stop.
    package var why: String

    package init(code: RuleCode, why: String) {
      self.code = code
      self.why = why
    }
  }

  /// The figures of all inputs together.
  package struct Summary: Hashable, Sendable {
    package var eventCount = 0
    package var errorCount = 0
    package var warningCount = 0
    package var noteCount = 0
    package var liveRegistrationCount = 0
    /// Events that the recorder says it could not record.
    package var droppedEventCount: UInt64 = 0
    package var processCount = 0
    /// How many inputs are crash reports or console text.
    package var textCount = 0
    /// How many crash reports, or passages of text, tell of a fault.
    package var reportCount = 0

    package init() {}
  }

  /// The inputs that could be read.
  package var inputs: [Input]
  /// The inputs that could not.
  package var failures: [InputFailure]
  /// By severity (worst first), then code, then input and first event.
  package var findings: [Finding]
  /// How recorded processes crashed, in the order of the inputs.
  package var crashes: [RecordedCrash] = []
  /// Why frames stay addresses: a sentence for each image of theirs that could not be read.
  package var unnamed: [String] = []
  /// In the order of the codes, each code and reason once.
  package var notJudged: [NotJudged]
  package var summary: Summary
  /// What went on, where that was asked for.
  package var activity = Activity()

  package init(
    inputs: [Input] = [],
    failures: [InputFailure] = [],
    findings: [Finding] = [],
    notJudged: [NotJudged] = [],
    summary: Summary = Summary()
  ) {
    self.inputs = inputs
    self.failures = failures
    self.findings = findings
    self.notJudged = notJudged
    self.summary = summary
  }

  /// Whether a finding that may fail a build (``Finding/mayFail``) is at or above `severity`.
  package func hasFindings(atLeast severity: Severity) -> Bool {
    findings.contains { $0.severity >= severity && $0.mayFail }
  }
}
