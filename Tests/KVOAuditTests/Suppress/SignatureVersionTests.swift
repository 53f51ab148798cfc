import KVOAudit
import KVOReportFile
import KVORules
import Testing

/// Findings as version 2 names them, beside what version 1 wrote into suppressions and baselines.
@Suite("Signatures of two versions") struct SignatureVersionTests {
  /// A finding in a function that begins with `prefix` in hexadecimal, at some lines.
  private func finding(_ prefix: String, version1: [String]) -> Finding {
    var finding = Finding(
      code: .doubleRemove,
      severity: .error,
      profile: .swift,
      consequence: .contained,
      message: "twice",
      hint: "h",
      signature: "2:" + prefix.padding(to: 32)
    )
    finding.lines = version1.enumerated().map { index, signature in
      Finding.Line(
        location: "A.swift:\(index + 1)",
        signature: "2:" + "\(index)\(prefix)".padding(to: 32),
        version1: signature
      )
    }
    return finding
  }

  private func report(_ lines: [String], on findings: [Finding]) throws -> AuditReport {
    var report = AuditReport(findings: findings)
    let text = lines.map { "* signature=\($0) until=2027-01-31 because x\n" }.joined()
    let file = try SuppressionFile(path: "kvo", bytes: Array(text.utf8))
    report.suppress(file.suppressions, on: try #require(CalendarDay("2027-01-15")))
    return report
  }

  @Test(
    "a suppression names one by its whole, its beginning, or version 1",
    arguments: [
      "2:abcdef0123", "2:abcdef01", "2:abcdef01230000000000000000000000", "2:abc*", "11111111",
      "2:0abcdef0",
    ]
  )
  func names(signature: String) throws {
    let report = try report([signature], on: [finding("abcdef0123", version1: ["11111111"])])
    #expect(report.findings[0].isSuppressed)
    #expect(report.suppressions.map(\.state) == [.used])
  }

  @Test("another one is not meant", arguments: ["2:abcdef02", "22222222", "2:bcdef012"])
  func others(signature: String) throws {
    let report = try report([signature], on: [finding("abcdef0123", version1: ["11111111"])])
    #expect(!report.findings[0].isSuppressed)
    #expect(report.suppressions.map(\.state) == [.unused])
  }

  @Test("a suppression of one line leaves a finding of two, until the other is known as well")
  func lines() throws {
    let two = finding("abcdef0123", version1: ["11111111", "22222222"])
    let one = try report(["11111111"], on: [two])
    #expect(!one.findings[0].isSuppressed && one.hasFindings(atLeast: .error))
    #expect(one.suppressions.map(\.state) == [.used])
    let both = try report(["11111111", "2:1abcdef0"], on: [two])
    #expect(both.findings[0].isSuppressed && !both.hasFindings(atLeast: .note))
  }

  @Test("a beginning that two findings have suppresses neither, and is an error")
  func ambiguous() throws {
    let findings = [
      finding("abcdef0123", version1: ["11111111"]), finding("abcdef0199", version1: ["22222222"]),
    ]
    let short = try report(["2:abcdef01"], on: findings)
    #expect(short.findings.allSatisfy { !$0.isSuppressed })
    #expect(short.suppressions.map(\.state) == [.ambiguous])
    #expect(short.suppressions.map(\.severity) == [.error])
    let long = try report(["2:abcdef0123"], on: findings)
    #expect(long.findings.map(\.isSuppressed) == [true, false])
    #expect(long.suppressions.map(\.state) == [.used])
  }

  @Test("a signature that is invalid, or too short to last, is refused")
  func refused() {
    for text in ["2:abcdef0", "abcdef0123", "2:ABCDEF01", "2:", "3:abcdef01", "2:abcdef0g"] {
      #expect(throws: SuppressionFile.Failure.self) { try report([text], on: []) }
    }
  }

  @Test("a baseline of either version matches the findings of this one")
  func baselines() {
    let present = [
      finding("abcdef0123", version1: ["11111111"]), finding("bbbbbbbbbb", version1: ["22222222"]),
    ]
    var old = finding("abcdef0123", version1: [])
    old.signature = "11111111"
    var moved = finding("abcdef0123", version1: ["99999999"])
    moved.lines[0].location = "A.swift:77"
    for previous in [old, moved] {
      var report = AuditReport(findings: present)
      report.compare(with: AuditReport(findings: [previous]), at: "old.json", countsNewOnly: true)
      #expect(report.findings.map(\.baseline) == [.unchanged, .new])
      #expect(report.comparison?.fixed == [])
    }
    var back = AuditReport(findings: [old])
    back.compare(with: AuditReport(findings: present), at: "new.json", countsNewOnly: true)
    #expect(back.findings.map(\.baseline) == [.unchanged])
    #expect(back.comparison?.fixed.map(\.signature) == [present[1].signature])
  }

  @Test("a merge has one finding of two versions of an app, with the lines of both")
  func merging() {
    var later = finding("abcdef0123", version1: ["99999999"])
    later.lines[0].location = "A.swift:77"
    let parts = [finding("abcdef0123", version1: ["11111111"]), later].map {
      AuditReport(findings: [$0])
    }
    let whole = AuditReport.merging(parts)
    #expect(whole.findings.count == 1 && whole.findings[0].count == 2)
    #expect(whole.findings[0].lines.compactMap(\.location) == ["A.swift:1", "A.swift:77"])
    let turned = AuditReport.merging([AuditReport.merging([parts[1]]), parts[0]])
    #expect(turned.findings == whole.findings)
  }
}

extension String {
  fileprivate func padding(to count: Int) -> String {
    self + String(repeating: "0", count: Swift.max(0, count - self.count))
  }
}
