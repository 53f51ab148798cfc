package import KVOAudit
import KVORules

/// Renders a report as a page: one file that loads nothing, for a browser, for paper and for keeping.
///
/// The most important parts come first: the verdict, then the findings, the worst first, then the activity. The page
/// has no more than 5 MB, regardless of the report: findings past ``detailByteLimit`` are reported in a line each, and
/// past ``rowByteLimit`` counted.
package struct HTMLReportRenderer {
  /// How large the page may be for one more finding to be shown with its proof.
  static let detailByteLimit = 2_000_000
  /// How large it may be for one more line about a finding.
  static let rowByteLimit = 2_600_000
  /// How many entries of other lists are shown.
  static let listLimit = 100

  private let readSource: ((String) -> String?)?

  private let showsSuppressed: Bool
  private let liveState: String?

  /// Makes a renderer.
  ///
  /// - Parameters:
  ///   - showsSuppressed: whether suppressed findings are reported like others, and not only counted.
  ///   - liveState: the response of `/state` of the page's server while the page is up to date; nil: the page is
  ///     static.
  package init(showsSuppressed: Bool = false, liveState: String? = nil) {
    readSource = nil
    self.showsSuppressed = showsSuppressed
    self.liveState = liveState
  }

  /// A renderer with `readSource` as the source of the texts of source files.
  init(readSource: @escaping (String) -> String?) {
    self.readSource = readSource
    showsSuppressed = false
    liveState = nil
  }

  /// The page as UTF-8.
  ///
  /// Reads source files that the report names, if they are on this machine.
  ///
  /// Complexity: O(size of the report).
  package func render(_ whole: AuditReport) -> [UInt8] {
    var report = whole
    if !showsSuppressed { report.findings.removeAll { $0.suppression != nil } }
    let verdict = PageVerdict(report, isLive: liveState != nil)
    let skeleton = PageSkeleton(
      title: verdict.title,
      hasScript: hasScript(report),
      liveState: liveState
    )
    return skeleton.render { page in
      let sections = sections(of: report, verdict)
      page.element("a", ["class": "skip", "href": "#findings"], text: "Skip to the findings")
      page.line()
      page.write(verdict, links: sections.map { ($0.id, $0.title) })
      page.element("main") { page in
        page.line()
        for section in sections {
          page.element("section", ["aria-labelledby": section.id]) { page in
            page.line()
            page.element("h2", ["id": section.id], text: section.title)
            page.line()
            section.write(&page)
          }
          page.line()
        }
      }
      page.line()
      page.element("footer") { page in
        page.element("p", text: "kvo-audit \(AuditVersion.current)")
        if liveState != nil { page.element("p", ["id": "live", "role": "status"]) { _ in } }
      }
      page.line()
    }
  }

  /// Whether there is anything to search or to zoom into.
  private func hasScript(_ report: AuditReport) -> Bool {
    !report.findings.isEmpty || report.callSites?.isEmpty == false
  }

  private struct Section {
    var id: String
    var title: String
    var write: (inout HTMLText) -> Void
  }

  private func sections(of report: AuditReport, _ verdict: PageVerdict) -> [Section] {
    let sources = SourceShelf(read: readSource)
    let files = FindingFiles(report.findings)
    var sections: [Section] = []
    if report.findings.contains(where: { $0.crashFacts != nil }) {
      sections.append(
        Section(id: "groups", title: "Groups of crash reports") { $0.writeGroups(report.findings) }
      )
    }
    sections.append(
      Section(id: "findings", title: "Findings") { page in
        if report.findings.isEmpty {
          page.element("p", text: verdict.absence)
        } else {
          page.writeFilter(report.findings, files)
          page.writeFindings(report, files, sources)
        }
      }
    )
    let fleet = FleetTable(report)
    if !fleet.rows.isEmpty {
      sections.append(
        Section(id: "fleet", title: "Findings by version and day") {
          $0.writeFleet(fleet, report.findings)
        }
      )
    }
    if report.findings.count > 1 {
      sections.append(
        Section(id: "tallies", title: "Findings by rule and by file") {
          $0.writeTallies(report.findings, files)
        }
      )
    }
    if let snapshot = report.snapshot {
      sections.append(
        Section(id: "heap", title: "Heap snapshot") { $0.writeSnapshot(snapshot) }
      )
    }
    let notJudged = Section(id: "not-judged", title: "Not judged, which is not clean") {
      $0.writeNotJudged(report.notJudged)
    }
    // If nothing was found, the unchecked parts matter most.
    if report.findings.isEmpty, !report.notJudged.isEmpty { sections.append(notJudged) }
    if !report.activity.isEmpty {
      sections.append(
        Section(id: "timeline", title: "Live observations over time") {
          $0.writeTimelines(report)
        }
      )
    }
    if !report.growth.isEmpty {
      sections.append(
        Section(id: "growth", title: "What runs of scopes leave") { $0.writeGrowth(report) }
      )
    }
    if let callSites = report.callSites, !callSites.isEmpty {
      sections.append(
        Section(id: "call-sites", title: "Where observations are made") {
          $0.writeCallSites(callSites)
        }
      )
    }
    if !report.findings.isEmpty, !report.notJudged.isEmpty { sections.append(notJudged) }
    if report.comparison != nil || report.suppressions.contains(where: { $0.advice != nil }) {
      sections.append(Section(id: "known", title: "What is known") { $0.writeKnown(report) })
    }
    sections.append(Section(id: "inputs", title: "Inputs") { $0.writeInputs(report) })
    return sections
  }
}
