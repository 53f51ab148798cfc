import KVORules
import Testing

@testable import KVOAudit
@testable import KVOReports

@Suite("Findings by version and day")
struct FleetTableTests {
  private func finding(
    _ signature: String,
    _ sightings: [(version: String?, day: String?, count: Int)],
    processCount: Int = 1
  ) -> Finding {
    var finding = Finding(
      code: .doubleRemove,
      severity: .error,
      profile: .swift,
      consequence: .contained,
      message: "twice",
      subject: .init(className: "Account", id: "1"),
      keyPath: "balance",
      events: [1],
      stacks: [],
      hint: "",
      signature: signature
    )
    finding.processCount = processCount
    finding.add(
      sightings: sightings.map { version, day, count in
        Finding.Sighting(
          origin: Origin(version: version, system: nil, day: day),
          count: count,
          processCount: 1,
          runCount: 1
        )
      }
    )
    return finding
  }

  private func report(_ findings: [Finding], processCount: Int = 400) -> AuditReport {
    var report = AuditReport()
    report.findings = findings
    report.summary.processCount = processCount
    return report
  }

  @Test("are counted by version and by calendar day, with the share of processes")
  func counts() {
    let table = FleetTable(
      report([
        finding("1", [("1.9", "2026-02-27", 3), ("1.10", "2026-03-02", 4)], processCount: 12),
        finding("2", [("1.10", "2026-02-28", 5), (nil, "2026-02-28", 6), ("1.10", nil, 7)]),
        finding("3", []),
      ])
    )
    #expect(table.versions == ["1.9", "1.10"])
    #expect(table.days == ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"])
    #expect(
      table.rows == [
        FleetTable.Row(
          finding: 0,
          versionCounts: [3, 4],
          dayCounts: [3, 0, 0, 4],
          seen: "2026-02-27"..."2026-03-02",
          share: 0.03,
          processCount: 12
        ),
        FleetTable.Row(
          finding: 1,
          versionCounts: [0, 12],
          unknownCount: 6,
          dayCounts: [0, 11, 0, 0],
          seen: "2026-02-28"..."2026-02-28",
          share: 0.0025,
          processCount: 1
        ),
      ]
    )
    #expect(FleetTable(report([finding("1", []), finding("2", [(nil, nil, 1)])])).rows == [])
  }

  @Test("have a column for each of the newest versions, and show the last days")
  func limits() throws {
    let sightings = (1...9).map { (version: "1.\($0)", day: "2026-0\($0)-01", count: $0) }
    let table = FleetTable(report([finding("1", sightings)]))
    #expect(table.versions == (4...9).map { "1.\($0)" })
    #expect(table.days.count == FleetTable.dayLimit && table.days.last == "2026-09-01")
    let row = try #require(table.rows.first)
    #expect(row.versionCounts == [4, 5, 6, 7, 8, 9] && row.olderCount == 6)
    #expect(row.dayCounts.reduce(0, +) == 17 && row.seen == "2026-01-01"..."2026-09-01")
  }

  @Test("order versions by their numbers, words before the release")
  func versions() {
    let ordered = [
      "0.9", "1.0-alpha", "1.0-beta.2", "1.0-beta.11", "1.0", "1.0.1", "1.9", "1.10", "v2.4.1",
      "2026.1",
    ]
    for (index, left) in ordered.enumerated() where left.first != "v" {
      for (other, right) in ordered.enumerated() where right.first != "v" {
        #expect(FleetTable.isOlder(left, right) == (index < other), "\(left) \(right)")
      }
    }
    #expect(FleetTable.isOlder("v2.4.1", "v2.10.0"))
    #expect(!FleetTable.isOlder("2.4 (17)", "2.4 (9)") && FleetTable.isOlder("2.4 (9)", "2.4 (17)"))
    #expect(!FleetTable.isOlder("", "") && FleetTable.isOlder("", "1"))
  }

  @Test("are a table on the page, whose rows lead to the findings")
  func page() {
    let page = Page(
      HTMLReportRenderer { _ in nil }.render(
        report([finding("a1b2c3d4", [("1.0", "2026-02-27", 3), ("2.0", "2026-02-28", 1)])])
      )
    )
    let section = page.text.split(separator: "Findings by version and day").last ?? ""
    let words = section.split(whereSeparator: \.isWhitespace).prefix(30).joined(separator: " ")
    #expect(
      words.hasPrefix(
        "FindingBy day2026-02-27 – 2026-02-28First seenLast seenProcesses1.02.0 "
          + "error KVO001 Account.balance2026-02-27: 32026-02-28: 1"
          + "2026-02-272026-02-281 (0.2 %)31"
      ),
      "\(words)"
    )
    #expect(page.html.contains("<a href=\"#a1b2c3d4\">KVO001</a>"))
    let without = Page(HTMLReportRenderer { _ in nil }.render(report([finding("1", [])])))
    #expect(!without.text.contains("by version and day"))
  }

  @Test("never show a small share as none, nor a large one as all")
  func percentages() {
    let shares = [0, 0.0001, 0.001, 0.0099, 0.0999, 0.1, 0.9999, 1]
    #expect(
      shares.map(HTMLText.percentage)
        == ["0 %", "< 0.1 %", "0.1 %", "0.9 %", "9.9 %", "10 %", "99 %", "100 %"]
    )
  }
}
