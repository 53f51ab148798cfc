import KVORules

/// Makes one report of the replays of several inputs.
struct ReportMerger {
  private var findings: [Finding] = []
  private var places: [String: Int] = [:]
  /// Why each rule was not judged, and in which inputs, in the order of the inputs.
  private var reasons: [AuditReport.NotJudged] = []
  /// The index of the last input of each of `reasons`.
  private var lastInputs: [Int] = []
  private var reasonPlaces: [RuleCode: [String: Int]] = [:]
  private var inputLabels: [String] = []
  private var summary = AuditReport.Summary()
  private var crashes: [RecordedCrash] = []
  private var unnamed: [String] = []
  private var callSites: CallSiteSums?
  private var growth: [ScopeGrowthRow] = []
  private var isOver = true
  private var activity = Activity()

  /// Takes in what was found in one input.
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
    for var row in outcome.growth {
      row.input = inputLabels.count - 1
      growth.append(row)
    }
    if outcome.ended.last?.ending == .open { isOver = false }
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
    report.summary = summary
    report.summary.eventCount = report.inputs.reduce(0) { $0 + $1.eventCount }
    report.summary.textCount = report.inputs.count { $0.kind.isText }
    report.summary.reportCount = report.inputs.reduce(0) { $0 + $1.reportCount }
    report.callSites = callSites?.sorted
    report.growth = growth
    report.isOver = isOver
    report.activity = activity
    report.countFindings()
  }

  private mutating func add(_ finding: Finding) {
    guard let place = places[finding.signature] else {
      places[finding.signature] = findings.count
      findings.append(finding)
      return
    }
    findings[place].add(finding)
  }

  private mutating func add(_ rule: RuleEngine.NotJudged, input: Int) {
    if let place = reasonPlaces[rule.code]?[rule.why] {
      if lastInputs[place] == input { return }
      lastInputs[place] = input
      let paths = reasons[place].places?.paths ?? []
      reasons[place].places = .init(
        count: (reasons[place].places?.count ?? 0) + 1,
        paths: paths.count < AuditReport.NotJudged.Places.limit
          ? paths + [inputLabels[input]] : paths
      )
      return
    }
    reasonPlaces[rule.code, default: [:]][rule.why] = reasons.count
    let here = AuditReport.NotJudged.Places(count: 1, paths: [inputLabels[input]])
    reasons.append(AuditReport.NotJudged(code: rule.code, why: rule.why, in: here))
    lastInputs.append(input)
  }

  /// The rules in the order of their codes; a reason that is not that of all inputs names its own.
  private var notJudged: [AuditReport.NotJudged] {
    reasons.enumerated()
      .map { place, rule in
        var rule = rule
        if rule.places?.count == inputLabels.count { rule.places = nil }
        return (place: place, rule: rule)
      }
      .sorted { ($0.rule.code, $0.place) < ($1.rule.code, $1.place) }
      .map(\.rule)
  }

  /// The order of the findings of a report: by severity, then code, then where they are.
  static func isBefore(_ left: Finding, _ right: Finding) -> Bool {
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
