import KVORules

/// Makes one report of the replays of several inputs.
struct ReportMerger {
  private var findings: [Finding] = []
  private var places: [String: Int] = [:]
  /// Why each rule was not judged, and in which inputs, in the order of the inputs.
  private var reasons: [AuditReport.NotJudged] = []
  /// The indices of the inputs of each of `reasons`.
  private var reasonInputs: [[Int]] = []
  private var reasonPlaces: [RuleCode: [String: Int]] = [:]
  private var inputLabels: [String] = []
  private var summary = AuditReport.Summary()
  private var crashes: [RecordedCrash] = []
  private var unnamed: [String] = []
  private var activity = Activity()

  /// Takes in what was found in one input.
  mutating func add(_ outcome: InputReplay.Outcome, label: String) {
    inputLabels.append(label)
    for var finding in outcome.findings {
      finding.input = inputLabels.count - 1
      for index in finding.consequences.indices {
        finding.consequences[index].input = inputLabels.count - 1
      }
      add(finding)
    }
    for var crash in outcome.crashes {
      crash.input = inputLabels.count - 1
      crashes.append(crash)
    }
    activity.add(outcome.activity, input: inputLabels.count - 1)
    unnamed += outcome.unnamed.filter { !unnamed.contains($0) }
    for process in outcome.ended {
      summary.processCount += 1
      summary.liveRegistrationCount += process.liveRegistrationCount
      summary.droppedEventCount =
        summary.droppedEventCount.addingSaturated(process.droppedCount)
      for rule in process.notJudged { add(rule, input: inputLabels.count - 1) }
    }
  }

  /// Puts the findings, what was not judged and the figures into `report`, whose inputs are there.
  ///
  /// Complexity: O(n log n) in the findings.
  func fill(_ report: inout AuditReport) {
    report.findings = findings.sorted(by: Self.isBefore)
    report.notJudged = notJudged
    report.crashes = crashes
    report.unnamed = unnamed
    report.activity = activity
    report.summary = summary
    report.summary.eventCount = report.inputs.reduce(0) { $0 + $1.eventCount }
    report.summary.textCount = report.inputs.count { $0.kind.isText }
    report.summary.reportCount = report.inputs.reduce(0) { $0 + $1.reportCount }
    for finding in findings where finding.counts {
      switch finding.severity {
      case .error: report.summary.errorCount += 1
      case .warning: report.summary.warningCount += 1
      case .note: report.summary.noteCount += 1
      }
    }
  }

  private mutating func add(_ finding: Finding) {
    guard let place = places[finding.signature] else {
      places[finding.signature] = findings.count
      findings.append(finding)
      return
    }
    findings[place].count += finding.count
    findings[place].severity = max(findings[place].severity, finding.severity)
    if finding.confidence == .high { findings[place].confidence = .high }
    if let facts = finding.crashFacts { findings[place].crashFacts?.add(facts) }
    for consequence in finding.consequences {
      let known = findings[place].consequences.firstIndex { $0.signature == consequence.signature }
      if let known {
        findings[place].consequences[known].count += consequence.count
      } else {
        findings[place].consequences.append(consequence)
      }
    }
  }

  private mutating func add(_ rule: RuleEngine.NotJudged, input: Int) {
    if let place = reasonPlaces[rule.code]?[rule.why] {
      if reasonInputs[place].last != input { reasonInputs[place].append(input) }
      return
    }
    reasonPlaces[rule.code, default: [:]][rule.why] = reasons.count
    reasons.append(AuditReport.NotJudged(code: rule.code, why: rule.why))
    reasonInputs.append([input])
  }

  /// The rules in the order of their codes; a reason that is not that of all inputs names its own.
  private var notJudged: [AuditReport.NotJudged] {
    reasons.indices
      .map { place in
        var rule = reasons[place]
        if reasonInputs[place].count < inputLabels.count {
          let labels = reasonInputs[place].map { inputLabels[$0] }
          rule.why += " (\(labels.joined(separator: ", ")))"
        }
        return (place: place, rule: rule)
      }
      .sorted { ($0.rule.code, $0.place) < ($1.rule.code, $1.place) }
      .map(\.rule)
  }

  private static func isBefore(_ left: Finding, _ right: Finding) -> Bool {
    if left.severity != right.severity { return left.severity > right.severity }
    // What most crash reports tell of comes first.
    if let many = left.crashFacts?.reportCount, let others = right.crashFacts?.reportCount,
      many != others
    {
      return many > others
    }
    if left.code != right.code { return left.code < right.code }
    if left.input != right.input { return left.input < right.input }
    let first = (left.events.first ?? 0, right.events.first ?? 0)
    if first.0 != first.1 { return first.0 < first.1 }
    return left.signature < right.signature
  }
}
