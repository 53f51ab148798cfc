import KVOAudit
import KVOFindings
import KVORules
import KVOText
import KVOTrace

/// The first screen of a page.
struct PageVerdict {
  let report: AuditReport
  /// Whether more may come.
  let isLive: Bool

  init(_ report: AuditReport, isLive: Bool = false) {
    self.report = report
    self.isLive = isLive
  }

  /// The title of the page's window, and its heading.
  var title: String {
    let summary = report.summary
    if report.inputs.isEmpty {
      return "KVO audit: \(isLive ? "waiting for the log" : "nothing could be read")"
    }
    // A crash is never nothing, even if no rule says why.
    let counts = [
      (report.crashCount, "crash"), (summary.errorCount, "error"),
      (summary.warningCount, "warning"), (summary.noteCount, "note"),
    ]
    let found = counts.filter { $0.0 > 0 }.map {
      Wording.count($0.0, $0.1, $0.1 == "crash" ? "crashes" : nil)
    }
    return "KVO audit: \(Headline.verdict(report, found: found, isUnjudged: isUnjudged))"
  }

  /// The sentence in place of findings.
  var absence: String {
    if report.crashCount > 0 { return "Nothing was found that says why a process crashed." }
    if report.inputs.isEmpty, !isLive { return "Nothing could be read." }
    if isUnjudged { return "Nothing was judged: \(report.whyNothingWasJudged ?? "")." }
    let scope = report.mayLackFindings ? " in what could be read" : ""
    let problems = report.suppressionProblems.isEmpty ? "" : ", but suppressions need attention"
    return "Nothing was found\(scope)\(problems)."
  }

  /// Whether no rule was judged; of a log that is being written the events may still come.
  private var isUnjudged: Bool { !isLive && report.whyNothingWasJudged != nil }
  /// Whether there is nothing to say but that nothing was found.
  fileprivate var isClean: Bool {
    report.findings.isEmpty && !report.inputs.isEmpty && report.crashCount == 0
      && !report.mayLackFindings && !isUnjudged && report.suppressionProblems.isEmpty
  }

  /// The inputs.
  var sources: String {
    let summary = report.summary
    var parts: [String] = []
    if summary.processCount > 0 {
      var text =
        "\(Wording.count(summary.eventCount, "event")) from "
        + "\(Wording.count(summary.processCount, "process", "processes")), with "
        + "\(Wording.count(summary.liveRegistrationCount, "observation")) live at the end"
      if summary.droppedEventCount > 0 {
        text += " and \(Wording.count(summary.droppedEventCount, "event")) dropped"
      }
      parts.append(text)
    }
    if summary.textCount > 0 {
      let groups = report.findings.count { $0.crashFacts != nil }
      parts.append(
        "\(Wording.count(groups, "group")) of findings in "
          + "\(Wording.count(summary.reportCount, "report")) from "
          + Wording.count(summary.textCount, "text")
      )
    }
    return parts.joined(separator: "; ")
  }

  /// The limits of the verdict.
  var reservations: [String] {
    var texts: [String] = []
    if !report.failures.isEmpty {
      texts.append("\(Wording.count(report.failures.count, "input")) could not be read")
    }
    let damageCount = report.inputs.reduce(0) { $0.addingCount($1.damageCount) }
    if damageCount > 0 {
      texts.append("\(Wording.count(damageCount, "part")) of the inputs could not be read")
    }
    if report.summary.suppressedCount > 0 {
      texts.append("\(Wording.count(report.summary.suppressedCount, "finding")) suppressed")
    }
    if !report.notJudged.isEmpty {
      let count = Set(report.notJudged.map(\.code)).count
      texts.append("\(Wording.count(count, "rule")) could not be judged, or not everywhere")
    }
    return texts
  }
}

extension HTMLText {
  /// Writes the head of the page, with links to its sections.
  mutating func write(_ verdict: PageVerdict, links: [(id: String, title: String)]) {
    let summary = verdict.report.summary
    element("header", ["class": "top"]) { page in
      page.line()
      page.element("h1", text: verdict.title)
      page.line()
      page.element("p", text: verdict.sources)
      page.line()
      page.element("ul", ["class": "tally", "aria-label": "Findings by severity"]) { page in
        page.tally(summary.errorCount, "error", "errors")
        page.tally(summary.warningCount, "warning", "warnings")
        page.tally(summary.noteCount, "note", "notes")
        if verdict.isClean {
          page.element("li", ["class": "clean"]) { page in
            page.sign("clean")
            page.text(" \(Headline.nothing)")
          }
        }
      }
      page.line()
      page.writeCrashes(verdict.report)
      let reservations = verdict.reservations
      if !reservations.isEmpty {
        page.element("p", ["class": "quiet small"], text: reservations.joined(separator: " · "))
        page.line()
      }
      page.element("nav", ["aria-label": "Sections"]) { page in
        page.element("ul") { page in
          for link in links {
            page.element("li") { $0.element("a", ["href": "#\(link.id)"], text: link.title) }
          }
        }
      }
    }
    line()
  }

  private mutating func tally(_ count: Int, _ severity: String, _ plural: String) {
    element("li", ["class": count > 0 ? "some \(severity)" : severity]) { page in
      page.sign(severity)
      page.markup(" ")
      page.element("b", text: Wording.grouped(count))
      page.text(" \(count == 1 ? severity : plural)")
    }
  }

  private mutating func writeCrashes(_ report: AuditReport) {
    for crash in report.crashes.prefix(10) {
      var parts = crash.phrases
      if let count = crash.liveCount {
        parts.append("with \(Wording.count(count, "observation")) live")
      }
      element("div", ["class": "alarm"]) { page in
        page.element("p") { page in
          page.element("b", text: "The recorded process crashed: ")
          page.text(parts.joined(separator: ", "))
        }
        if let own = crash.stack.frames.first(where: \.isFirstOwn) ?? crash.stack.frames.first {
          page.element("code", text: "\(own.name ?? "?")  \(FindingText.location(of: own))")
        }
      }
      line()
    }
    if report.crashes.count > 10 {
      element(
        "p",
        text: "and \(Wording.count(report.crashes.count - 10, "more crash", "more crashes"))"
      )
    }
  }
}
