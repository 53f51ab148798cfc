package import KVOAudit
import KVOFindings
import KVORules
import KVOText

/// Renders a report for people.
///
/// The findings come first, then what could not be read and what could not be judged, and the figures
/// last, where a terminal shows them.
package struct TextReportRenderer {
  /// How many damaged locations of one input are listed.
  private static let damageLimit = 10

  private let isColored: Bool
  private let showsSuppressed: Bool
  private let groupsByImage: Bool
  private let namesFailures: Bool

  /// Makes a renderer.
  ///
  /// - Parameters:
  ///   - isColored: whether severities are set off by terminal colors.
  ///   - showsSuppressed: whether suppressed findings are reported like others, and not only counted.
  ///   - groupsByImage: whether findings are listed below the image that registered the observer.
  ///   - namesFailures: whether inputs that were not read are named, if others were.
  package init(
    isColored: Bool = false,
    showsSuppressed: Bool = false,
    groupsByImage: Bool = false,
    namesFailures: Bool = true
  ) {
    self.isColored = isColored
    self.showsSuppressed = showsSuppressed
    self.groupsByImage = groupsByImage
    self.namesFailures = namesFailures
  }

  /// The report as UTF-8, with a newline at its end.
  ///
  /// Complexity: O(size of the report).
  package func render(_ report: AuditReport) -> [UInt8] {
    // Figures without data would look like a clean result.
    if report.isUnread { return Array((Self.notRead(report.failures, all: true) + "\n").utf8) }
    let text = FindingText(isColored: isColored)
    let shown = report.findings.filter { showsSuppressed || $0.suppression == nil }
    let held = report.snapshot?.heldBySignature ?? [:]
    var blocks: [String] = []
    for (heading, findings) in groups(of: shown.filter { !$0.isLibrary }) {
      if let heading { blocks.append(heading) }
      blocks += findings.map { block($0, text, report, held) }
    }
    let others = shown.filter(\.isLibrary)
    if !others.isEmpty {
      let count = Wording.count(others.count, "finding")
      blocks.append("IN LIBRARIES: \(count), made by calls that are not your modules'")
      blocks += others.map { block($0, text, report, held) }
    }
    if report.findings.contains(where: { $0.crashFacts != nil }) {
      blocks.append("To catch the rest: \(CrashAdvice.rest)")
    }
    blocks += report.crashes.map { crash in
      var block = text.render(crash)
      if report.inputs.count > 1, report.inputs.indices.contains(crash.input) {
        block += "  Log: \(ShownText.escaped(report.inputs[crash.input].path))\n"
      }
      block.removeLast()
      return block
    }
    if let snapshot = report.snapshot { blocks.append(snapshot.block()) }
    if let comparison = report.comparison { blocks.append(ComparisonText(comparison).block) }
    blocks += suppressions(report)
    if namesFailures, !report.failures.isEmpty {
      blocks.append(Self.notRead(report.failures, all: false))
    }
    blocks += report.inputs.compactMap(damage)
    let endings = report.inputs.flatMap(\.endingNotes)
    if !endings.isEmpty {
      blocks.append(endings.map(ShownText.escaped).joined(separator: "\n"))
    }
    if !report.unlistedInputs.isEmpty {
      blocks.append(report.unlistedNotes.joined(separator: "\n"))
    }
    if !report.unnamed.isEmpty {
      let lines = report.unnamed.map { "  \(ShownText.escaped($0))" }
      blocks.append("NOT NAMED, so that frames stay addresses:\n" + lines.joined(separator: "\n"))
    }
    blocks += notJudged(report.notJudged)
    blocks.append(summary(report))
    return Array((blocks.joined(separator: "\n\n") + "\n").utf8)
  }

  /// The inputs that could not be read: `all` inputs of a report, or some.
  static func notRead(_ failures: [InputFailure], all: Bool) -> String {
    let effect = all ? "so that nothing is judged, " : ""
    return (["NOT READ, \(effect)which is not clean:"] + failures.map { "  \($0.message)" })
      .joined(separator: "\n")
  }

  /// The findings by image, in the order of the first occurrence of each image; all in one group if that is not
  /// requested.
  private func groups(of findings: [Finding]) -> [(heading: String?, findings: [Finding])] {
    guard groupsByImage else { return [(nil, findings)] }
    var images: [String?] = []
    var byImage: [String?: [Finding]] = [:]
    for finding in findings {
      let image = finding.registeringImage
      if byImage[image] == nil { images.append(image) }
      byImage[image, default: []].append(finding)
    }
    return images.map { image in
      let found = byImage[image, default: []]
      let name = image.map(ShownText.escaped) ?? "AN UNKNOWN IMAGE"
      return ("REGISTERED BY \(name): \(Wording.count(found.count, "finding"))", found)
    }
  }

  private func block(
    _ finding: Finding,
    _ text: FindingText,
    _ report: AuditReport,
    _ held: [String: [SnapshotReport.Held]]
  ) -> String {
    var block = text.render(finding)
    for held in ([finding] + finding.consequences).flatMap({ held[$0.signature] ?? [] }) {
      block += "  Held: \(ShownText.escaped("\(held.name), by \(held.holder)"))\n"
    }
    if let facts = finding.crashFacts { block += facts.lines(of: finding) }
    if let seen = Wording.seen(finding) { block += "  \(seen)\n" }
    // Event numbers are meaningless if their input is not clear.
    if report.inputs.count > 1, report.inputs.indices.contains(finding.input) {
      block += "  Log: \(ShownText.escaped(report.inputs[finding.input].path))\n"
    }
    if block.last == "\n" { block.removeLast() }
    return block
  }

  /// How many findings are not shown, and the problems of suppressions.
  private func suppressions(_ report: AuditReport) -> [String] {
    var blocks: [String] = []
    if !showsSuppressed, report.summary.suppressedCount > 0 {
      let count = Wording.count(report.summary.suppressedCount, "finding")
      blocks.append("SUPPRESSED: \(count), which --show-suppressed shows")
    }
    let lines = report.suppressions.compactMap(\.line)
    if !lines.isEmpty {
      blocks.append("SUPPRESSIONS to look at:\n" + lines.map { "  \($0)" }.joined(separator: "\n"))
    }
    return blocks
  }

  private func damage(_ input: AuditReport.Input) -> String? {
    guard input.damageCount > 0 else { return nil }
    let part = Wording.count(input.damageCount, input.kind == .binary ? "part" : "line")
    let effect =
      input.isReadAsText
      ? " as JSON" : ", and what \(input.damageCount == 1 ? "it" : "they") said is lost"
    var lines = ["DAMAGED: \(part) of \(input.path) cannot be read\(effect)"]
    for problem in input.damaged.prefix(Self.damageLimit) {
      lines.append("  " + problem.text(input: input.path))
    }
    if input.damageCount > Self.damageLimit {
      let rest = Wording.grouped(input.damageCount - Self.damageLimit)
      let path = Wording.shellWord(input.path)
      lines.append("  … and \(rest) more; `kvo-audit validate \(path)` lists them")
    }
    return lines.map(ShownText.escaped).joined(separator: "\n")
  }

  /// One block with a line for each reason, or none.
  private func notJudged(_ rules: [AuditReport.NotJudged]) -> [String] {
    var reasons: [String] = []
    var codes: [String: [RuleCode]] = [:]
    for rule in rules {
      if codes[rule.why] == nil { reasons.append(rule.why) }
      codes[rule.why, default: []].append(rule.code)
    }
    guard !reasons.isEmpty else { return [] }
    let lines = reasons.map {
      "  \(Wording.listed(codes[$0, default: []])): \(ShownText.escaped($0))"
    }
    return ["NOT JUDGED, which is not clean:\n" + lines.joined(separator: "\n")]
  }

  private func summary(_ report: AuditReport) -> String {
    let summary = report.summary
    var findings = [
      Wording.count(summary.errorCount, "error"), Wording.count(summary.warningCount, "warning"),
    ]
    if summary.noteCount > 0 { findings.append(Wording.count(summary.noteCount, "note")) }
    if summary.suppressedCount > 0 {
      findings.append("\(Wording.grouped(summary.suppressedCount)) suppressed")
    }
    findings += report.suppressionProblems
    var sources: [String] = []
    if summary.processCount > 0 || summary.textCount == 0 {
      let live = Wording.count(summary.liveRegistrationCount, "observation")
      var tail = ["\(live) live at the end"]
      if summary.droppedEventCount > 0 {
        tail.append("\(Wording.count(summary.droppedEventCount, "event")) dropped")
      }
      sources.append(
        "\(Wording.count(summary.eventCount, "event")) from "
          + "\(Wording.count(summary.processCount, "process", "processes")) "
          + "(\(tail.joined(separator: ", ")))"
      )
    }
    if summary.textCount > 0 {
      sources.append(
        "\(Wording.count(summary.reportCount, "report")) with findings from "
          + Wording.count(summary.textCount, "text")
      )
    }
    return "SUMMARY: \(findings.joined(separator: ", ")) in \(sources.joined(separator: " and "))"
  }
}

extension AuditReport.Input {
  /// Whether its damaged parts are malformed JSON, which is read as text: nothing of it is lost.
  fileprivate var isReadAsText: Bool {
    kind.isText
      && damaged.allSatisfy { if case .text = $0.location { true } else { false } }
  }
}
