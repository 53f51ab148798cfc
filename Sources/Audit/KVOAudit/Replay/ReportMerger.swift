import KVOFindings
import KVOReplay
import KVORules
import KVOTrace

/// Makes one report of the replays of several inputs.
struct ReportMerger {
  private var findings: [Finding] = []
  private var indices: [String: Int] = [:]
  /// Why each rule was not judged, and in which inputs, in the order of the inputs.
  private var reasons: [AuditReport.NotJudged] = []
  /// The index of the last input of each of `reasons`.
  private var lastInputs: [Int] = []
  private var reasonIndices: [RuleCode: [String: Int]] = [:]
  private var inputLabels: [String] = []
  private var summary = AuditReport.Summary()
  private var crashes: [RecordedCrash] = []
  private var unnamed: [String] = []
  private var callSites: CallSiteSums?
  private var registrations: RegistrationSums?
  private var growth: [ScopeGrowthRow] = []
  private var isOver = true
  private var activity = Activity()
  private var processes: [LoggedProcess] = []

  /// Adds the findings of one input.
  mutating func add(_ outcome: InputReplay.Outcome, label: String) {
    inputLabels.append(label)
    for var finding in outcome.findings {
      finding.setInput { _ in inputLabels.count - 1 }
      add(finding)
    }
    for var crash in outcome.crashes {
      crash.input = inputLabels.count - 1
      crashes.append(crash)
    }
    if let counts = outcome.callSites {
      if callSites == nil { callSites = CallSiteSums() }
      callSites?.add(counts)
    }
    if let counts = outcome.registrations {
      if registrations == nil { registrations = RegistrationSums() }
      registrations?.add(counts)
    }
    for var row in outcome.growth {
      row.input = inputLabels.count - 1
      growth.append(row)
    }
    if outcome.ended.last?.ending == .open { isOver = false }
    activity.add(outcome.activity, input: inputLabels.count - 1)
    for var process in outcome.processes {
      process.input = inputLabels.count - 1
      processes.append(process)
    }
    unnamed += outcome.unnamed.filter { !unnamed.contains($0) }
    for process in outcome.ended {
      summary.processCount += 1
      summary.liveRegistrationCount += process.liveRegistrationCount
      summary.droppedEventCount =
        summary.droppedEventCount.addingSaturated(process.droppedCount)
      for rule in process.notJudged { add(rule, input: inputLabels.count - 1) }
    }
  }

  /// Stores the findings, the unjudged rules and the figures in `report`, whose inputs are set already.
  ///
  /// Complexity: O(n log n) in the findings.
  func fill(_ report: inout AuditReport) {
    report.findings = findings.sorted(by: Finding.isReportedBefore)
    report.notJudged = notJudged
    report.crashes = crashes
    report.unnamed = unnamed
    report.summary = summary
    report.summary.eventCount = report.inputs.reduce(0) { $0 + $1.eventCount }
    report.countTexts()
    report.callSites = callSites?.sorted
    report.registrations = registrations?.sorted
    report.growth = growth
    report.isOver = isOver
    report.activity = activity
    report.processes = processes
    report.countFindings()
  }

  private mutating func add(_ finding: Finding) {
    guard let index = indices[finding.signature] else {
      indices[finding.signature] = findings.count
      findings.append(finding)
      return
    }
    findings[index].add(finding)
  }

  private mutating func add(_ rule: RuleEngine.NotJudged, input: Int) {
    if let index = reasonIndices[rule.code]?[rule.why] {
      if lastInputs[index] == input { return }
      lastInputs[index] = input
      let paths = reasons[index].affectedInputs?.paths ?? []
      reasons[index].affectedInputs = .init(
        count: (reasons[index].affectedInputs?.count ?? 0) + 1,
        paths: paths.count < AuditReport.NotJudged.AffectedInputs.limit
          ? paths + [inputLabels[input]] : paths
      )
      return
    }
    reasonIndices[rule.code, default: [:]][rule.why] = reasons.count
    let here = AuditReport.NotJudged.AffectedInputs(count: 1, paths: [inputLabels[input]])
    reasons.append(AuditReport.NotJudged(code: rule.code, why: rule.why, in: here))
    lastInputs.append(input)
  }

  /// The rules in order; a reason that does not apply to all inputs names its inputs.
  private var notJudged: [AuditReport.NotJudged] {
    reasons
      .map { rule in
        var rule = rule
        if rule.affectedInputs?.count == inputLabels.count { rule.affectedInputs = nil }
        return rule
      }
      .sorted(by: AuditReport.NotJudged.isListedBefore)
  }
}
