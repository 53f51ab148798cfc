import KVOAudit
import KVOReports
import KVORules
import Testing

@Suite("The screen of a watched log") struct WatchScreenTests {
  private func report(_ counts: [(place: String, made: Int, live: Int)]) -> AuditReport {
    var report = AuditReport.sample
    report.isOver = false
    report.callSites = counts.map { place, made, live in
      CallSiteCount(
        site: CallSite(
          subject: "Account",
          keyPath: "balance",
          observer: nil,
          stack: Finding.Stack(role: .registered, event: 1, site: place)
        ),
        madeCount: made,
        liveCount: live
      )
    }
    return report
  }

  private func lines(
    _ screen: WatchScreen,
    _ report: AuditReport,
    rows: Int = 20,
    columns: Int = 90
  ) -> String {
    screen.lines(of: report, label: "a.jsonl", columnCount: columns, rowCount: rows)
      .joined(separator: "\n")
  }

  @Test("has the live call sites, and the findings")
  func whole() {
    var screen = WatchScreen()
    let report = report([("A.swift:1", 9, 2), ("B.swift:2", 3, 3)])
    #expect(screen.take(report).map(\.signature) == ["5f0c2a91"])
    #expect(
      lines(screen, report) == """
        a.jsonl: 1,204 events, 14 observations live, 1 finding, running

          live  made  observed  key path  observer   registered at
             3     3  Account   balance   (closure)  B.swift:2
             2     9  Account   balance   (closure)  A.swift:1

        FOUND, the newest last
          error KVO001 5f0c2a91: Screen#3 removed "balance" twice
        """
    )
  }

  @Test("returns each finding once, and none that does not count")
  func once() {
    var screen = WatchScreen()
    var report = report([])
    report.findings[0].isSuppressed = true
    #expect(screen.take(report) == [])
    report.findings[0].isSuppressed = false
    #expect(screen.take(report).count == 1)
    report.findings[0].count += 1
    #expect(screen.take(report) == [])
    var other = report.findings[0]
    other.signature = "00000002"
    report.findings.append(other)
    #expect(screen.take(report).map(\.signature) == ["00000002"])
    #expect(screen.findings.map(\.signature) == ["5f0c2a91", "00000002"])
  }

  @Test("fits any terminal, with the newest findings")
  func sizes() {
    var screen = WatchScreen()
    var many = report((0..<50).map { ("F\($0).swift:1", 1, 1) })
    let finding = many.findings[0]
    many.findings = (0..<40).map { number in
      var copy = finding
      copy.signature = "\(1_000_0000 + number)"
      return copy
    }
    _ = screen.take(many)
    for rows in 1...60 {
      let text = lines(screen, many, rows: rows, columns: 30).split(
        separator: "\n",
        omittingEmptySubsequences: false
      )
      #expect(text.count <= rows)
      #expect(text.allSatisfy { $0.count <= 30 })
      if rows > 12 { #expect(text.last?.contains("10000039") == true) }
    }
    #expect(lines(screen, many, rows: 20).contains("  … and 4"))
  }

  @Test("shows what it waits for")
  func waiting() {
    #expect(
      lines(WatchScreen(), AuditReport()) == """
        a.jsonl: 0 events, 0 observations live, 0 findings, waiting

          nothing is registered yet
        """
    )
  }
}
