package import KVOFindings
package import KVORules
import KVOText

/// All that an audit of some inputs found, ready for any renderer.
package struct AuditReport: Sendable {
  /// How a process ended, as far as its log states.
  ///
  /// The raw values are the words in JSON.
  package enum Ending: String, Hashable, Sendable, CaseIterable {
    /// Normally.
    case exit
    case crash
    /// Unknown: the recording was stopped before.
    case stopped
    /// Unknown: the recorder kept the recording up to here, and went on in other files.
    case kept
    /// Without an end event: the process was killed, or is still running.
    case open
  }

  /// One input.
  package struct Input: Hashable, Sendable {
    package var path: String
    package var kind: InputKind
    package var eventCount: Int
    /// How many crash reports, or passages of text, in it report a fault.
    package var reportCount: Int
    /// The damaged parts, in order; the first thousand if there are more.
    package var damaged: [LogDamage]
    /// How many damaged parts there are.
    package var damageCount: Int
    /// How its processes ended, in their order.
    package var endings: [Ending] = []
    /// Whether it is a report of a crash, whatever its cause.
    package var isCrash = false
    /// Whether it has a report of kvo-audit, which was skipped.
    package var hasOwnReport = false
    /// Whether it is a report of a crash, and reports no fault.
    package var isCrashWithoutFault: Bool { isCrash && reportCount == 0 }
    /// How many bytes it has, if it ends in the middle of a log.
    package var cutAt: Int?
    /// Why the recorder kept it, if it is kept and ends with that.
    package var keptReason: String?
    /// How many events of the log were recorded before its first one, in files that are gone.
    package var earlierEventCount = 0
    /// How many objects of 1,024 the recorder recorded, the fewest of its processes; nil: all.
    package var sampledShare: Int?
    /// How many of its events have names that the grammar does not know.
    package var ignoredEventCount = 0
    /// How many events its recorder says it could not record.
    package var droppedEventCount: UInt64 = 0
    /// Where it is from; nil: not collected.
    package var origin: LogOrigin?

    package init(
      path: String,
      kind: InputKind,
      eventCount: Int,
      reportCount: Int = 0,
      damaged: [LogDamage] = [],
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
    /// The inputs to which a reason applies, if not all.
    package struct AffectedInputs: Hashable, Sendable {
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
    package var affectedInputs: AffectedInputs?

    package init(code: RuleCode, why: String, in affectedInputs: AffectedInputs? = nil) {
      self.code = code
      reason = why
      self.affectedInputs = affectedInputs
    }

    /// Orders the rules that a report lists, whether its logs were audited at once or it was merged.
    package static func isListedBefore(_ left: Self, _ right: Self) -> Bool {
      (left.code, left.reason) < (right.code, right.reason)
    }

    /// The reason, and the inputs to which it applies.
    package var why: String {
      guard let affectedInputs else { return reason }
      let more = affectedInputs.count - affectedInputs.paths.count
      let rest = more > 0 ? " and \(Wording.grouped(more)) more" : ""
      return "\(reason) (\(affectedInputs.paths.joined(separator: ", "))\(rest))"
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
    /// How many crash reports, or passages of text, report a fault.
    package var reportCount = 0
    /// Suppressed findings.
    package var suppressedCount = 0
    /// Counted findings whose calls were all made by libraries.
    package var libraryCount = 0

    package init() {}
  }

  /// The inputs that could be read; of many, not all are listed (``collapseInputs(limit:keeping:)``).
  package var inputs: [Input]
  /// The inputs that could be read and are counted instead, by kind and state.
  package var unlistedInputs: [UnlistedInputs] = []
  /// The inputs that could not.
  package var failures: [InputFailure]
  /// By severity (worst first), then those of crash reports, most reports first, then code, input and first event.
  package var findings: [Finding]
  /// Findings that are omitted so that a report stays within a ``ReportLimit``.
  package var omitted: [Finding] = []
  /// How many fixed findings are omitted for it.
  package var omittedFixedCount = 0
  /// How many findings are omitted, including fixed ones of a comparison.
  package var omittedCount: Int { omitted.count + omittedFixedCount }
  /// How recorded processes crashed, in the order of the inputs.
  package var crashes: [RecordedCrash] = []
  /// Why frames are not symbolicated: a sentence for each image that could not be read.
  package var unnamed: [String] = []
  /// In the order of the codes and then of the reasons, each code and reason once.
  package var notJudged: [NotJudged]
  package var summary: Summary
  /// The new and the fixed findings; nil: there is nothing to compare with.
  package var comparison: BaselineComparison?
  /// The effect of each suppression, in the order of the files.
  package var suppressions: [SuppressionOutcome] = []
  /// The call sites that made registrations; nil: they were not collected.
  package var callSites: [CallSiteCount]?
  /// The registrations by call site and origin of the log; nil: they were not collected.
  package var registrations: [RegistrationCount]?
  /// Whether each log states that its last process ended: nothing more will be written.
  package var isOver = true
  /// The registrations that runs of scopes left live, by input; empty if they were not collected.
  package var growth: [ScopeGrowthRow] = []
  /// How many registrations were live, if that was tracked.
  package var activity = Activity()
  /// The processes of the logs, if they were kept.
  package var processes: [LoggedProcess] = []
  /// What a heap snapshot says; nil: there is none.
  package var snapshot: SnapshotReport?

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

  /// Whether a finding that fails a build is at or above `severity`, or a suppression needs attention, or a process
  /// crashed without a finding.
  package func hasFindings(atLeast severity: Severity) -> Bool {
    findings.contains { fails($0, from: severity) }
      || suppressions.contains { fails($0, from: severity) }
      || !failingCrashes.isEmpty
  }

  /// The indices of the inputs with a crash that makes a build fail: one without a finding, unless only new findings
  /// count.
  package var failingCrashes: [Int] {
    comparison?.countsNewOnly == true ? [] : unexplainedCrashes
  }

  /// Whether a process crashed, and nothing was found in its log or report: that is not clean.
  package var hasUnexplainedCrash: Bool { !unexplainedCrashes.isEmpty }

  /// The indices of the inputs with a crash and without a finding in its process, also one that is omitted.
  package var unexplainedCrashes: [Int] {
    crashedInputs(besides: Set((findings + omitted).map(\.input)))
  }

  /// The crashes in whose process nothing was found, by input.
  package var unexplainedCrashesByInput: [Int: [RecordedCrash]] {
    Dictionary(grouping: crashes.filter { $0.findingCount ?? 0 == 0 }, by: \.input)
  }

  /// The indices of the inputs with a crash and without a finding in its process; `explained` are the inputs with a
  /// finding, which counts if a report does not say the process.
  package func crashedInputs(besides explained: Set<Int>) -> [Int] {
    let recorded = Set(
      crashes.lazy.filter { $0.findingCount.map { $0 == 0 } ?? !explained.contains($0.input) }
        .map(\.input)
    )
    let reported = inputs.indices.filter { inputs[$0].isCrashWithoutFault }
    return recorded.union(reported).sorted()
  }

  /// How many crashes the logs recorded, whatever was found in them, and how many crash reports report no fault.
  package var crashCount: Int { crashes.count + inputs.count(where: \.isCrashWithoutFault) }

  /// Whether `finding` makes a build fail that fails at `severity` and above: it may (``Finding/mayFail``), and is new
  /// if only that counts.
  package func fails(_ finding: Finding, from severity: Severity) -> Bool {
    finding.severity >= severity && finding.mayFail
      && (comparison?.countsNewOnly != true || finding.baseline == .new)
  }

  /// Whether a suppression that needs attention makes such a build fail.
  package func fails(_ outcome: SuppressionOutcome, from severity: Severity) -> Bool {
    guard comparison?.countsNewOnly != true, let own = outcome.severity else { return false }
    return own >= severity
  }

  /// Stores the numbers of the findings in the summary.
  package mutating func countFindings() {
    summary.clearFindings()
    for finding in findings {
      summary.count(
        finding.severity,
        counts: finding.counts,
        isLibrary: finding.isLibrary,
        isSuppressed: finding.isSuppressed
      )
    }
  }
}

extension AuditReport.Summary {
  /// Sets the numbers of findings to 0.
  package mutating func clearFindings() {
    (errorCount, warningCount, noteCount, libraryCount, suppressedCount) = (0, 0, 0, 0, 0)
  }

  /// Counts one finding with these properties.
  package mutating func count(
    _ severity: Severity,
    counts: Bool,
    isLibrary: Bool,
    isSuppressed: Bool
  ) {
    if isSuppressed { suppressedCount += 1 }
    guard counts else { return }
    switch severity {
    case .error: errorCount += 1
    case .warning: warningCount += 1
    case .note: noteCount += 1
    }
    if isLibrary { libraryCount += 1 }
  }
}
