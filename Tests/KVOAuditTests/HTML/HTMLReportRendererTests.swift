import Foundation
import KVOFindings
import KVOReplay
import KVORules
import TestSupport
import Testing

@testable import KVOAudit
@testable import KVOReports

@Suite("The report as a page")
struct HTMLReportRendererTests {
  private func page(_ report: AuditReport, sources: [String: String] = [:]) -> Page {
    Page(HTMLReportRenderer { sources[$0] }.render(report))
  }

  private static let attack =
    "</script></style><img src=x onerror=alert(1)>\"'&\u{202e}\u{0}\u{1b}[31m\u{2028}`"

  /// A finding in which every text is `text`.
  private func finding(_ text: String, _ number: Int = 0, frameCount: Int = 2) -> Finding {
    let object = Finding.Object(className: text, id: text)
    let frame = Finding.StackFrame(
      address: 1,
      symbol: text,
      module: text,
      file: text,
      line: 1,
      isFirstOwn: true
    )
    let stack = Finding.Stack(
      role: .failed,
      thread: text,
      threadName: text,
      event: 1,
      site: text,
      frames: Array(repeating: frame, count: frameCount)
    )
    var finding = Finding(
      code: RuleCode.allCases[number % RuleCode.allCases.count],
      severity: Severity.allCases.reversed()[number % 3],
      profile: .swift,
      consequence: .contained,
      message: text,
      subject: object,
      observer: object,
      keyPath: text,
      context: text,
      events: [1],
      stacks: Array(repeating: stack, count: frameCount),
      cycle: Array(
        repeating: .init(from: object, label: text, to: object, strength: text, certainty: text),
        count: frameCount
      ),
      hint: text,
      signature: String(0x1000_0000 + number, radix: 16)
    )
    finding.isLibrary = number % 2 == 0
    return finding
  }

  /// A report in which every text is `text`.
  private func report(_ text: String, findingCount: Int = 1, frameCount: Int = 2) -> AuditReport {
    var report = AuditReport(
      inputs: [
        AuditReport.Input(
          path: text,
          kind: .binary,
          eventCount: 1,
          damaged: [LogDamage(location: .text(line: 1, column: 1), message: text, number: 1)],
          damageCount: 1
        )
      ],
      failures: [InputFailure(input: text, reason: text)],
      findings: (0..<findingCount).map { finding(text, $0, frameCount: frameCount) },
      notJudged: [AuditReport.NotJudged(code: .doubleRemove, why: text)]
    )
    report.findings[0].consequences = [finding(text, 1_000_000)]
    report.unnamed = [text]
    report.crashes = [
      RecordedCrash(name: text, reason: text, liveCount: 1, stack: report.findings[0].stacks[0])
    ]
    var curve = LiveCurve()
    curve.add(1, lastEvent: 1, live: 1, time: 1)
    report.activity.add(Activity.Process(firstEvent: 1, curve: curve))
    report.callSites = (0..<600).map { place in
      let frames = (0..<12 - place % 12).map { Finding.StackFrame(symbol: text + "\($0)") }
      let stack = Finding.Stack(role: .registered, event: 0, frames: frames)
      return CallSiteCount(
        site: CallSite(subject: text, keyPath: "\(place)", observer: text, stack: stack),
        madeCount: 1_000,
        liveCount: 1
      )
    }
    report.growth = (0..<100).map { place in
      ScopeGrowthRow(
        input: 0,
        scope: text,
        runCount: 65,
        site: report.callSites?[place].site
          ?? CallSite(subject: text, keyPath: text, observer: nil, stack: report.crashes[0].stack),
        points: (1...65).map { .init(run: $0, count: $0) },
        isGrowing: place % 2 == 0
      )
    }
    return report
  }

  private func expectSound(_ page: Page) {
    #expect(page.unbalanced == [])
    #expect(Set(page.ids).count == page.ids.count, "an id stands twice")
    for link in page.links {
      #expect(link.hasPrefix("#") && page.ids.contains(String(link.dropFirst())), "\(link)")
    }
  }

  @Test("begins with the most important facts, and links to every section")
  func order() {
    let page = page(.sample)
    expectSound(page)
    #expect(page.html.contains("<h1>KVO audit: incomplete input, 1 error, 2 notes</h1>"))
    #expect(page.html.contains("<title>KVO audit: incomplete input, 1 error, 2 notes</title>"))
    #expect(page.sections == ["findings", "not-judged", "inputs"])
    #expect(
      page.html.contains(
        "1,204 events from 1 process, with 14 observations live at the end and "
          + "18,446,744,073,709,551,615 events dropped"
      )
    )
    #expect(page.text.contains("1 input could not be read"))
    #expect(page.text.contains("Not read: b.jsonl: no such file"))
    #expect(page.text.contains("a.jsonl:7:3: not JSON"))
    #expect(page.ids.contains("5f0c2a91") && page.ids.contains("00000001"))
  }

  @Test("of a clean log begins with what was not judged")
  func clean() {
    var report = AuditReport.sample
    report.findings = []
    report.summary = .init()
    report.summary.processCount = 1
    report.inputs = [AuditReport.Input(path: "a.jsonl", kind: .jsonLines, eventCount: 3)]
    report.failures = []
    let page = page(report)
    expectSound(page)
    #expect(page.html.contains("<h1>KVO audit: nothing found</h1>"))
    #expect(page.sections == ["findings", "not-judged", "inputs"])
    #expect(!page.elements.contains("script") && !page.html.contains("script-src"))
    #expect(!page.elements.contains("details"))
  }

  @Test("without readable input does not say that nothing was found")
  func unreadable() {
    let page = page(AuditReport(failures: [InputFailure(input: "a", reason: "no such file")]))
    expectSound(page)
    #expect(page.html.contains("<h1>KVO audit: nothing could be read</h1>"))
    #expect(page.text.contains("Nothing could be read."))
    #expect(!page.text.contains("Nothing was found"))
    #expect(!page.html.contains("class=\"clean\""))
  }

  @Test("of incomplete input without findings does not look clean", arguments: [false, true])
  func incomplete(isDamaged: Bool) {
    var input = AuditReport.Input(path: "a.jsonl", kind: .jsonLines, eventCount: 3)
    if isDamaged { input.damageCount = 1 }
    let failures = [InputFailure(input: "b.jsonl", reason: "no such file")]
    let page = page(AuditReport(inputs: [input], failures: isDamaged ? [] : failures))
    expectSound(page)
    #expect(page.html.contains("<h1>KVO audit: incomplete input, nothing found</h1>"))
    #expect(page.text.contains("Nothing was found in what could be read."))
    #expect(!page.html.contains("class=\"clean\""))
  }

  @Test("with an expired suppression does not look clean")
  func suppressions() throws {
    let input = AuditReport.Input(path: "a.jsonl", kind: .jsonLines, eventCount: 3)
    var report = AuditReport(inputs: [input])
    let lines = "KVO001 until=2026-01-31 because f\nKVO002 until=2026-01-31 because g\n"
    let file = try SuppressionFile(path: "kvo", bytes: Array(lines.utf8))
    report.suppress(file.suppressions, on: try #require(CalendarDay("2027-01-15")))
    let page = page(report)
    expectSound(page)
    #expect(page.html.contains("<h1>KVO audit: nothing found, 2 expired suppressions</h1>"))
    #expect(page.text.contains("Nothing was found, but suppressions need attention."))
    #expect(!page.html.contains("class=\"clean\""))
    // Neither input that cannot be read nor one in which nothing was judged is hidden by them.
    var unread = report
    unread.failures = [InputFailure(input: "b.jsonl", reason: "no such file")]
    #expect(
      self.page(unread).html.contains(
        "<h1>KVO audit: incomplete input, nothing found, 2 expired suppressions</h1>"
      )
    )
    var unjudged = report
    unjudged.inputs[0].kind = .console
    unjudged.inputs[0].eventCount = 0
    #expect(unjudged.whyNothingWasJudged != nil)
    #expect(
      self.page(unjudged).html.contains(
        "<h1>KVO audit: nothing judged, 2 expired suppressions</h1>"
      )
    )
    // The twin: one that is still valid.
    var clean = AuditReport(inputs: [input])
    clean.suppress(file.suppressions, on: try #require(CalendarDay("2026-01-15")))
    #expect(self.page(clean).html.contains("<h1>KVO audit: nothing found</h1>"))
    #expect(self.page(clean).html.contains("class=\"clean\""))
  }

  @Test("shows hostile names as they are, everywhere")
  func hostile() {
    let attack = Self.attack + ".swift"
    let page = page(report(attack), sources: [attack: attack])
    expectSound(page)
    #expect(!page.elements.contains("img"))
    #expect(!page.text.contains { $0 == "\u{202e}" || $0 == "\u{0}" || $0 == "\u{1b}" })
    #expect(page.text.contains("\\u{202e}\\u{0}\\u{1b}[31m\\u{2028}"))
    // The elements are those of a page with harmless names.
    let harmless = self.page(report("x.swift"), sources: ["x.swift": "x"])
    #expect(page.elements == harmless.elements)
    #expect(page.attributes == harmless.attributes)
  }

  @Test("has the source around the first own frames, if it is available")
  func source() {
    let with = page(.sample, sources: ["Screen.swift": String(repeating: "<line>\n", count: 50)])
    #expect(with.html.contains("<span class=\"line\">41  </span>&lt;line&gt;"))
    #expect(!page(.sample).html.contains("class=\"source\""))
  }

  @Test("loads nothing, and lets nothing run but its own script")
  func alone() throws {
    let page = page(report("x"))
    // A click opens this page of another site.
    let html = page.html.replacing("https://profiler.firefox.com", with: "")
    for foreign in ["http:", "https:", "src=", "url(", "@import", "<link", "<iframe"] {
      #expect(!html.contains(foreign), "\(foreign)")
    }
    #expect(try PageDigest.script == Self.integrity(of: page.script))
    #expect(page.html.contains("script-src &#39;\(PageDigest.script)&#39;"))
  }

  /// The digest of a script, as a policy names it.
  private static func integrity(of script: String) throws -> String {
    let hex = try ProgramRun(command: ["sha256sum"], input: Data(script.utf8)).output.prefix(64)
    var digest = Data()
    var rest = hex[...]
    while let byte = UInt8(rest.prefix(2), radix: 16) {
      digest.append(byte)
      rest = rest.dropFirst(2)
    }
    return "sha256-\(digest.base64EncodedString())"
  }

  @Test("that is served requests newer ones only from its own server")
  func live() throws {
    let bytes = HTMLReportRenderer(liveState: "7-1").render(.sample)
    let html = String(decoding: bytes, as: UTF8.self)
    #expect(html.contains("<html lang=\"en\" data-state=\"7-1\">"))
    let scripts = "script-src &#39;\(PageDigest.script)&#39; &#39;\(PageDigest.liveScript)&#39;; "
    #expect(html.contains("\(scripts)connect-src &#39;self&#39;; style-src"))
    let script = try #require(html.components(separatedBy: "<script>").last)
    let source = try #require(script.components(separatedBy: "</script>").first)
    #expect(try PageDigest.liveScript == Self.integrity(of: source))
    // Nothing else of it differs from one that stays.
    #expect(!page(.sample).html.contains("connect-src"))
    let waiting = HTMLReportRenderer(liveState: "7-1").render(AuditReport())
    #expect(
      String(decoding: waiting, as: UTF8.self).contains("<h1>KVO audit: waiting for the log</h1>")
    )
  }

  @Test("shows for each finding whether it is known: baseline and suppression")
  func known() {
    var report = AuditReport.sample
    report.findings[0].baseline = .moved(from: "0382ba56")
    report.findings[0].suppression = SuppressionNote(
      reason: "the rewrite removes it",
      until: "2027-01-31",
      location: ".kvo-suppressions:3"
    )
    let bytes = HTMLReportRenderer(showsSuppressed: true).render(report)
    let html = String(decoding: bytes, as: UTF8.self)
    #expect(
      html.contains(
        "<dt>Since the baseline</dt><dd>moved to another line; it was 0382ba56</dd>"
      )
    )
    #expect(
      html.contains(
        "<dt>Suppressed</dt><dd>the rewrite removes it, until 2027-01-31 (.kvo-suppressions:3)</dd>"
      )
    )
    #expect(!page(.sample).html.contains("Since the baseline"))
  }

  @Test("marks expected, suppressed and doubtful findings")
  func marks() {
    var report = AuditReport.sample
    report.findings[0].isSuppressed = true
    report.findings[0].baseline = .new
    report.findings[0].isExpected = true
    report.findings[0].confidence = .low
    let text = page(report).text
    #expect(text.contains(" new meant suppressed low confidence 3 times"))
  }

  @Test("omits suppressed findings by default, with their number")
  func suppressed() {
    var report = AuditReport.sample
    report.findings[0].isSuppressed = true
    report.findings[0].suppression = .init(
      reason: "old",
      until: "2027-01-31",
      location: "kvo.supp:3"
    )
    report.summary.suppressedCount = 1
    let without = page(report)
    expectSound(without)
    #expect(!without.elements.contains("details"))
    #expect(without.text.contains("1 finding suppressed"))
    let with = Page(HTMLReportRenderer(showsSuppressed: true).render(report))
    expectSound(with)
    #expect(with.text.contains("old, until 2027-01-31 (kvo.supp:3)"))
  }

  @Test(
    "stays under 5 MB, whatever is in the report",
    arguments: ["x", "\u{2066}", Self.attack]
  )
  func bounds(part: String) {
    let text = String(repeating: part, count: 1_200 / part.unicodeScalars.count)
    let report = report(text, findingCount: 150, frameCount: 45)
    let bytes = HTMLReportRenderer { _ in text }.render(report)
    #expect(bytes.count <= 5_000_000)
    let page = Page(bytes)
    #expect(page.unbalanced == [])
    #expect(page.html.contains("more finding"))
  }

  @Test("reports all findings of an ordinary log, each with its proof")
  func many() {
    let count = Rounds.areMany ? 300 : 60
    let report = report("Screen.swift", findingCount: count)
    let page = page(report)
    expectSound(page)
    #expect(page.tags.count { $0.name == "details" && !$0.isEnd } == count)
    #expect(!page.html.contains("more finding"))
    #expect(report.findings.allSatisfy { page.ids.contains($0.signature) })
  }
}
