import KVORules
import Testing

@testable import KVOAudit
@testable import KVOReports

@Suite("The files of findings on a page")
struct FindingFilesTests {
  private func finding(
    _ file: String?,
    _ severity: Severity = .warning,
    site: String? = nil,
    frames: [Finding.StackFrame] = []
  ) -> Finding {
    let own = file.map { Finding.StackFrame(symbol: "own", file: $0, line: 7, isFirstOwn: true) }
    let stack = Finding.Stack(
      role: .failed,
      event: 1,
      site: site,
      frames: frames + (own.map { [$0] } ?? [])
    )
    return Finding(
      code: .doubleRemove,
      severity: severity,
      profile: .swift,
      consequence: .contained,
      message: "",
      subject: .init(className: "Account", id: "1"),
      events: [1],
      stacks: [stack],
      hint: "",
      signature: "1"
    )
  }

  @Test("have the shortest names that tell them apart, the most findings first")
  func names() {
    let findings = [
      finding(nil), finding("/a/Bank/Screen.swift"), finding("/a/Shop/Screen.swift", .note),
      finding("/a/Shop/Screen.swift", .error), finding("/a/Model.swift"), finding(nil),
      finding(nil, site: "Model.swift:14 init()"), finding("//a/Model.swift"),
    ]
    let files = FindingFiles(findings)
    #expect(
      files.files == [
        .init(name: "Shop/Screen.swift", findingCount: 2, severity: .error),
        .init(name: "a/Model.swift", findingCount: 2, severity: .warning),
        .init(name: "Bank/Screen.swift", findingCount: 1, severity: .warning),
        .init(name: "Model.swift", findingCount: 1, severity: .warning),
        .init(name: FindingFiles.unknown, findingCount: 2, severity: .warning),
      ]
    )
    #expect(files[findings[3]] == "Shop/Screen.swift")
    #expect(files[findings[6]] == "Model.swift")
    #expect(files[findings[0]] == FindingFiles.unknown)
  }

  @Test("stand beside the rules, each with its number, if there is more than one finding")
  func tables() {
    var report = AuditReport.sample
    report.findings = [
      finding("/a/Screen.swift"), finding("/a/Model.swift"), finding("/a/Model.swift"),
    ]
    let page = Page(HTMLReportRenderer { _ in nil }.render(report))
    #expect(page.sections.prefix(2) == ["findings", "tallies"])
    #expect(page.text.contains("By file\n\n warning Model.swift2\n warning Screen.swift1"))
    #expect(page.text.contains("By rule\n\n warning KVO001 double-remove3"))
    let values = page.tags.filter { $0.name == "details" }.compactMap { $0.attributes["data-file"] }
    #expect(values == ["Screen.swift", "Model.swift", "Model.swift"])
    report.findings.removeLast(2)
    #expect(Page(HTMLReportRenderer { _ in nil }.render(report)).sections.first == "findings")
    #expect(!Page(HTMLReportRenderer { _ in nil }.render(report)).sections.contains("tallies"))
  }

  @Test("frames that the page has no space for are still found by its search, once each")
  func hiddenFrames() throws {
    let frames = (0..<100).map {
      Finding.StackFrame(symbol: "f\($0 % 45)()", file: "F.swift", line: 3)
    }
    var report = AuditReport.sample
    report.findings = [finding("/a/Screen.swift", frames: frames)]
    let page = Page(HTMLReportRenderer { _ in nil }.render(report))
    let words = try #require(
      page.tags.first { $0.name == "details" }?.attributes["data-words"]
    )
    let expected = (Array(40..<45) + Array(0..<40)).map { "f\($0)()" }
    let separated = words.split(separator: " · ").map(String.init)
    #expect(separated.filter { $0.hasPrefix("f") } == expected)
    #expect(separated.filter { $0 == "F.swift:3" }.count == 1)
    // All are shown here.
    report.findings = [finding("/a/Screen.swift", frames: Array(frames.prefix(39)))]
    let whole = Page(HTMLReportRenderer { _ in nil }.render(report))
    #expect(whole.tags.allSatisfy { $0.attributes["data-words"] == nil })
  }
}
