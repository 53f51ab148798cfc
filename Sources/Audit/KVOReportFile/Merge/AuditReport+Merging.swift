package import KVOAudit
import KVOFindings
package import KVORules
import KVOText
internal import KVOTrace

extension AuditReport {
  /// One report of several, as if their inputs had been audited together.
  ///
  /// Associative and commutative: however reports are grouped and in whichever order they come, the result is the same,
  /// byte by byte. To ensure that, inputs are ordered by path, and for a finding in several reports the occurrence in
  /// the first input is reported. Inputs that a report counts stay counted; ``collapseInputs(limit:keeping:)`` makes the
  /// result independent of which reports did. A baseline and a heap snapshot do not belong to the inputs: what they say
  /// is omitted. ``ReportMerge`` does the same without holding all reports in memory.
  ///
  /// Complexity: O(n log n) in the findings, inputs and stacks of all.
  ///
  /// - Parameter reports: the reports to merge.
  /// - Returns: the merged report.
  package static func merging(_ reports: [AuditReport]) -> AuditReport {
    var (whole, indices) = mergingHeads(reports)
    var findings: [String: [Finding]] = [:]
    for (report, indices) in zip(reports, indices) {
      for var finding in report.findings {
        finding.setInput { indices.indices.contains($0) ? indices[$0] : 0 }
        findings[finding.signature, default: []].append(finding)
      }
    }
    whole.findings = findings.values.map(Finding.merging).sorted(by: Finding.isReportedBefore)
    whole.countFindings()
    return whole
  }

  /// All but the findings of the merged report.
  ///
  /// - Parameter reports: the reports, the findings of which do not matter.
  /// - Returns: a report without findings, and for each report the new indices of its inputs.
  static func mergingHeads(_ reports: [AuditReport]) -> (whole: AuditReport, indices: [[Int]]) {
    var whole = AuditReport()
    let keys = reports.map { $0.inputs.map(\.mergeKey) }
    let inputs = zip(keys, reports).flatMap { zip($0, $1.inputs) }.sorted { $0.0 < $1.0 }
    whole.inputs = inputs.map(\.1)
    whole.unlistedInputs = UnlistedInputs.sums(reports.flatMap(\.unlistedInputs))
    // References to inputs that are equal in every field refer to the first of them.
    let first = Dictionary(
      inputs.enumerated().map { ($1.0, $0) },
      uniquingKeysWith: min
    )
    let indices = keys.map { $0.map { first[$0] ?? 0 } }
    for (report, indices) in zip(reports, indices) {
      for var crash in report.crashes {
        crash.input = indices.indices.contains(crash.input) ? indices[crash.input] : 0
        whole.crashes.append(crash)
      }
      whole.summary.add(report.summary)
    }
    // By input first, and not by its number as text: numbers change if inputs are counted instead of listed.
    whole.crashes = Self.sorted(whole.crashes) { text, crash in
      var alone = crash
      alone.input = 0
      text.write(alone)
    }
    .enumerated().sorted { ($0.element.input, $0.offset) < ($1.element.input, $1.offset) }
    .map(\.element)
    whole.failures = Self.sorted(reports.flatMap(\.failures)) { $0.write($1) }
    whole.unnamed = Set(reports.flatMap(\.unnamed)).sorted()
    whole.notJudged = NotJudged.merging(reports, inputCount: whole.inputCount)
    whole.suppressions = SuppressionOutcome.merging(reports.flatMap(\.suppressions))
    let registrations = reports.compactMap(\.registrations)
    if !registrations.isEmpty {
      var sums = RegistrationSums()
      for counts in registrations { sums.add(counts) }
      whole.registrations = sums.sorted
    }
    return (whole, indices)
  }

  /// `elements` ordered by their written form.
  private static func sorted<Element>(
    _ elements: [Element],
    _ write: (inout JSONText, Element) -> Void
  ) -> [Element] {
    elements.map { (JSONText.key($0, write), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
  }
}

extension AuditReport.Input {
  /// Distinguishes inputs, and orders them by path first.
  fileprivate var mergeKey: [String] { [path, JSONText.key(self) { $0.write($1) }] }
}

private func < (left: [String], right: [String]) -> Bool { left.lexicographicallyPrecedes(right) }

extension JSONText {
  /// The output of `write` for `element`, as a sort key.
  static func key<Element>(
    _ element: Element,
    _ write: (inout JSONText, Element) -> Void
  ) -> String {
    var text = JSONText()
    write(&text, element)
    return String(decoding: text.bytes, as: UTF8.self)
  }
}

extension AuditReport.Summary {
  fileprivate mutating func add(_ other: AuditReport.Summary) {
    eventCount = eventCount.addingCount(other.eventCount)
    liveRegistrationCount = liveRegistrationCount.addingCount(other.liveRegistrationCount)
    droppedEventCount = droppedEventCount.addingSaturated(other.droppedEventCount)
    processCount = processCount.addingCount(other.processCount)
    textCount = textCount.addingCount(other.textCount)
    reportCount = reportCount.addingCount(other.reportCount)
  }
}

extension Finding {
  /// One finding of all that have its signature.
  static func merging(_ findings: [Finding]) -> Finding {
    // Those that a test expects do not count beside others.
    let unexpected = findings.filter { !$0.isExpected }
    let counted = unexpected.isEmpty ? findings : unexpected
    let reported =
      counted.count == 1
      ? counted
      : counted.map { (position: $0.reportOrder, finding: $0) }
        .sorted { $0.position < $1.position }
        .map(\.finding)
    var whole = reported[0]
    for other in reported.dropFirst() { whole.add(other) }
    whole.baseline = nil
    whole.suppression = whole.isSuppressed ? reported.compactMap(\.suppression).min() : nil
    whole.crashFacts = whole.crashFacts.map {
      CrashFacts.merging($0, reported.compactMap(\.crashFacts))
    }
    let consequences = Dictionary(grouping: reported.flatMap(\.consequences), by: \.signature)
    whole.consequences = consequences.values.map(merging)
      .sorted { ($0.code, $0.signature) < ($1.code, $1.signature) }
    whole.suppressConsequences()
    return whole
  }

  /// Orders occurrences: by input, then event, then all their other fields.
  private var reportOrder: ReportOrder {
    var alone = self
    alone.consequences = []
    alone.baseline = nil
    // Sums depend on how findings were grouped.
    (alone.count, alone.processCount, alone.runCount) = (0, 0, 0)
    (alone.severity, alone.confidence) = (.note, .low)
    (alone.consequence, alone.profile) = (.unknown, .swift)
    (alone.isLibrary, alone.isSuppressed, alone.isExpected) = (false, false, false)
    (alone.suppression, alone.crashFacts, alone.lines) = (nil, nil, [])
    alone.sightings = []
    return ReportOrder(
      input: input,
      event: events.first ?? 0,
      text: JSONText.key(alone) { $0.write($1) }
    )
  }

  private struct ReportOrder: Comparable {
    var input: Int
    var event: Int
    var text: String

    static func < (left: ReportOrder, right: ReportOrder) -> Bool {
      (left.input, left.event, left.text) < (right.input, right.event, right.text)
    }
  }
}

extension SuppressionNote: Comparable {
  package static func < (left: SuppressionNote, right: SuppressionNote) -> Bool {
    (left.location, left.until, left.reason) < (right.location, right.until, right.reason)
  }
}

extension CrashFacts {
  /// `sum` with the individual fields of `all` chosen independently of their order.
  fileprivate static func merging(_ sum: CrashFacts, _ all: [CrashFacts]) -> CrashFacts {
    var whole = sum
    whole.exception = all.compactMap(\.exception).min()
    whole.options = all.compactMap(\.options).min()
    whole.masked = (all.first?.masked ?? []).filter { name in
      all.allSatisfy { $0.masked.contains(name) }
    }
    whole.observances =
      all.map(\.observances).filter { !$0.isEmpty }.min { $0.lexicographicallyPrecedes($1) } ?? []
    return whole
  }
}

extension AuditReport.NotJudged {
  /// The reasons of all reports, with the number of inputs to which each applies.
  fileprivate static func merging(_ reports: [AuditReport], inputCount: Int) -> [Self] {
    struct Key: Hashable {
      var code: RuleCode
      var reason: String
    }
    var affectedInputs: [Key: AffectedInputs] = [:]
    for report in reports {
      for rule in report.notJudged {
        let here =
          rule.affectedInputs
          ?? AffectedInputs(count: report.inputCount, paths: report.inputs.map(\.path).sorted())
        let key = Key(code: rule.code, reason: rule.reason)
        let known = affectedInputs[key] ?? AffectedInputs(count: 0, paths: [])
        affectedInputs[key] = AffectedInputs(
          count: known.count.addingCount(here.count),
          paths: (known.paths + here.paths).sorted()
        )
      }
    }
    return affectedInputs.map { key, affectedInputs in
      Self(
        code: key.code,
        why: key.reason,
        in: affectedInputs.count == inputCount ? nil : affectedInputs
      )
    }
    .sorted(by: isListedBefore)
  }
}
