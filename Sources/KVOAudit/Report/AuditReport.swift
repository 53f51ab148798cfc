package import KVORules

/// All that an audit of some inputs found, ready for any renderer.
package struct AuditReport: Sendable {
  /// How a process ended, as far as its log says.
  ///
  /// The raw values are the words in JSON.
  package enum Ending: String, Hashable, Sendable, CaseIterable {
    /// In an orderly way.
    case exit
    case crash
    /// Not as far as the log goes: the recording was stopped before.
    case stopped
    /// Without a word: the process was killed, or goes on.
    case open
  }

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
    /// How its processes ended, in their order.
    package var endings: [Ending] = []
    /// Whether it is a report of a crash, whatever that is of.
    package var isCrash = false
    /// How many bytes it has, where it ends in the middle of a log.
    package var cutAt: Int?
    /// How many of its events have names that the grammar does not know.
    package var ignoredEventCount = 0

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
    /// The inputs that a reason is of, where it is not that of all.
    package struct Places: Hashable, Sendable {
      package var count: Int
      /// The first of them, ``limit`` at the most.
      package var paths: [String]

      package static let limit = 3

      package init(count: Int, paths: [String]) {
        self.count = count
        self.paths = Array(paths.prefix(Self.limit))
      }
    }

    package var code: RuleCode
    /// A sentence without a capital and a full stop.
    package var reason: String
    /// Nil: all inputs.
    package var places: Places?

    package init(code: RuleCode, why: String, in places: Places? = nil) {
      self.code = code
      reason = why
      self.places = places
    }

    /// The reason, and of which inputs it is.
    package var why: String {
      guard let places else { return reason }
      let more = places.count - places.paths.count
      let rest = more > 0 ? " and \(Wording.grouped(more)) more" : ""
      return "\(reason) (\(places.paths.joined(separator: ", "))\(rest))"
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
    /// Findings that a file of suppressions keeps from counting.
    package var suppressedCount = 0
    /// Findings, of those that count, whose calls are all those of libraries.
    package var libraryCount = 0

    package init() {}
  }

  /// The inputs that could be read.
  package var inputs: [Input]
  /// The inputs that could not.
  package var failures: [InputFailure]
  /// By severity (worst first), then code, then input and first event.
  package var findings: [Finding]
  /// Findings that are left out so that a report stays within a ``ReportLimit``.
  var omitted: [Finding] = []
  /// How many findings that are fixed are left out for it.
  var omittedFixedCount = 0
  /// How recorded processes crashed, in the order of the inputs.
  package var crashes: [RecordedCrash] = []
  /// Why frames stay addresses: a sentence for each image of theirs that could not be read.
  package var unnamed: [String] = []
  /// In the order of the codes, each code and reason once.
  package var notJudged: [NotJudged]
  package var summary: Summary
  /// What is new, and what is gone; nil: there is nothing to compare with.
  package var comparison: BaselineComparison?
  /// What each suppression did, in the order of the files.
  package var suppressions: [SuppressionOutcome] = []
  /// The places that made registrations; nil: they were not gathered.
  package var callSites: [CallSiteCount]?
  /// Whether each log says of its last process that it ended: nothing more is to come.
  package var isOver = true
  /// What the runs of scopes left behind, by input; empty where that was not gathered.
  package var growth: [ScopeGrowthRow] = []
  /// How many registrations were live, where that was followed.
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

  /// Whether a finding that fails a build is at or above `severity`, or a suppression is of which
  /// something is to be said, or a process crashed without a finding.
  package func hasFindings(atLeast severity: Severity) -> Bool {
    findings.contains { fails($0, from: severity) }
      || suppressions.contains { fails($0, from: severity) }
      || (hasUnexplainedCrash && comparison?.countsNewOnly != true)
  }

  /// Whether a process crashed, and nothing was found in its log or report: that is not clean.
  package var hasUnexplainedCrash: Bool {
    let explained = Set(findings.map(\.input))
    return crashes.contains { !explained.contains($0.input) }
      || inputs.contains { $0.isCrash && $0.reportCount == 0 }
  }

  /// How many processes crashed, as far as logs and crash reports say that no finding is of.
  package var crashCount: Int {
    crashes.count + inputs.count { $0.isCrash && $0.reportCount == 0 }
  }

  /// Whether `finding` makes a build fail that fails from `severity` on: it may (``Finding/mayFail``),
  /// and is new where only that counts.
  package func fails(_ finding: Finding, from severity: Severity) -> Bool {
    finding.severity >= severity && finding.mayFail
      && (comparison?.countsNewOnly != true || finding.baseline == .new)
  }

  /// Whether what is to be said of a suppression makes such a build fail.
  package func fails(_ outcome: SuppressionOutcome, from severity: Severity) -> Bool {
    guard comparison?.countsNewOnly != true, let own = outcome.severity else { return false }
    return own >= severity
  }

  /// Puts the numbers of the findings into the summary.
  mutating func countFindings() {
    let counted = findings.filter(\.counts)
    summary.errorCount = counted.count { $0.severity == .error }
    summary.warningCount = counted.count { $0.severity == .warning }
    summary.noteCount = counted.count { $0.severity == .note }
    summary.libraryCount = counted.count(where: \.isLibrary)
    summary.suppressedCount = findings.count(where: \.isSuppressed)
  }
}
