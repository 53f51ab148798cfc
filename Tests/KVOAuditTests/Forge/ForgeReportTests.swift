import Foundation
import KVOAudit
import KVOFindings
import KVORules
import TestSupport
import Testing

@testable import KVOReports

@Suite("What forges show beside lines")
struct ForgeReportTests {
  private let folder: ScratchFolder
  private let root: SourceRoot?
  /// A finding in a file of the repository, one at its log, a suppression, and an input that was not read.
  private var report = AuditReport.wholeSample

  init() throws {
    folder = try ScratchFolder()
    let file = try folder.file("a,b:c%.swift", "a\n  b()\n")
    root = SourceRoot(path: folder.path)
    let first = report.findings[0]
    report.findings[0].stacks[0].frames[0].file = file
    report.findings[0].stacks[0].frames[0].line = 2
    var second = first
    second.code = .selfObservation
    second.severity = .note
    second.stacks = []
    second.message = "100 % of\n::error::\u{1b}[31m]"
    second.signature = "2:00000000000000000000000000000001"
    report.findings.append(second)
    var meant = first
    meant.isExpected = true
    var suppressed = first
    suppressed.isSuppressed = true
    report.findings += [meant, suppressed]
  }

  @Test("is Code Quality JSON for GitLab")
  func gitLab() throws {
    let text = String(decoding: GitLabReportRenderer(root: root).render(report), as: UTF8.self)
    #expect(
      text == #"""
        [
          {
            "description": "an input was not read: b.jsonl: no such file",
            "check_name": "unreadable-input",
            "fingerprint": "unreadable-input b.jsonl",
            "severity": "critical",
            "location": {
              "path": "b.jsonl",
              "lines": {
                "begin": 1
              }
            }
          },
          {
            "description": "observation removed twice: Screen#3 removed \"balance\" twice. Fix: remove it once",
            "check_name": "KVO001",
            "fingerprint": "5f0c2a91",
            "severity": "critical",
            "location": {
              "path": "a,b:c%.swift",
              "lines": {
                "begin": 2
              }
            }
          },
          {
            "description": "an object observes itself: 100 % of\n::error::\u001b[31m]. Fix: remove it once",
            "check_name": "KVO020",
            "fingerprint": "2:00000000000000000000000000000001",
            "severity": "info",
            "location": {
              "path": "a.jsonl",
              "lines": {
                "begin": 1
              }
            }
          }
        ]

        """#
    )
  }

  @Test(
    "has a warning as minor in GitLab, even of a fault that ends the program or makes it hang",
    arguments: [(Consequence.crash, "blocker"), (.hang, "blocker"), (.wrong, "critical")]
  )
  func severities(consequence: Consequence, error: String) {
    var finding = report.findings[0]
    finding.consequence = consequence
    let severities = [Severity.error, .warning, .note].map { severity in
      finding.severity = severity
      let report = AuditReport(inputs: report.inputs, findings: [finding])
      let text = String(decoding: GitLabReportRenderer().render(report), as: UTF8.self)
      return text.firstMatch(of: #/"severity": "(\w+)"/#).map { String($0.output.1) }
    }
    #expect(severities == [error, "minor", "info"])
  }

  @Test("blames the log that a problem is in, and no other one")
  func logs() {
    var report = AuditReport(
      inputs: ["a", "b", "c"].map {
        AuditReport.Input(path: "\($0).jsonl", kind: .jsonLines, eventCount: 3)
      },
      failures: [InputFailure(input: "d.jsonl", reason: "no such file")]
    )
    report.inputs[1].droppedEventCount = 17
    report.inputs[1].damageCount = 1
    report.summary.droppedEventCount = 17
    report.crashes = [
      RecordedCrash(
        name: "SIGSEGV",
        reason: nil,
        liveCount: nil,
        stack: Finding.Stack(role: .failed, event: 3),
        input: 2
      )
    ]
    let text = String(decoding: GitLabReportRenderer().render(report), as: UTF8.self)
    let problems = text.matches(
      of:
        #/
        "check_name":\ "(?<rule>.+)",\s+"fingerprint":\ "(?<print>.+)",[^{]+\{\s+"path":\ "(?<path>.+)"
      /#
    )
    #expect(
      problems.map { "\($0.rule) \($0.path)" } == [
        "unreadable-input d.jsonl", "incomplete-input b.jsonl", "incomplete-input b.jsonl",
        "crash c.jsonl",
      ]
    )
    #expect(Set(problems.map(\.print)).count == problems.count)
    #expect(
      text.contains(
        "b.jsonl: 17 events could not be recorded, and are missing from the log: what is missing"
      )
    )
  }

  @Test("is at the line that the compiler gave, if no frame has one")
  func callSite() {
    var report = AuditReport.sample
    report.findings[0].stacks = [
      Finding.Stack(role: .failed, event: 3, site: "Bank/Screen.swift:41", function: "close()")
    ]
    let rule = report.findings[0].code.rawValue
    let problem = report.forgeProblems(isNewOnly: false).first { $0.rule == rule }
    #expect(problem?.file == "Bank/Screen.swift" && problem?.line == 41)
    report.findings[0].stacks[0].site = "Screen.swift"
    let other = report.forgeProblems(isNewOnly: false).first { $0.rule == rule }
    #expect(other?.file == "a.jsonl" && other?.line == 0)
  }

  @Test("has each crash that nothing explains at its log, unless only new findings count")
  func crashes() throws {
    var report = report
    report.failures = []
    report.inputs = ["a", "b", "c"].map {
      AuditReport.Input(path: "\($0).jsonl", kind: .jsonLines, eventCount: 3)
    }
    report.crashes = [(0, "SIGSEGV"), (1, "SIGABRT"), (2, "SIGBUS")].map { input, name in
      RecordedCrash(
        name: name,
        reason: nil,
        liveCount: nil,
        stack: Finding.Stack(role: .failed, event: 3),
        input: input
      )
    }
    for index in report.findings.indices { report.findings[index].input = 0 }
    let crashes = report.forgeProblems(isNewOnly: true).filter { $0.rule == "crash" }
    #expect(crashes.map(\.file) == ["b.jsonl", "c.jsonl"])
    #expect(crashes.map(\.fingerprint) == ["crash b.jsonl", "crash c.jsonl"])
    let words = "a process crashed, and nothing that was found explains it. "
    #expect(crashes.map(\.text) == [words + "SIGABRT", words + "SIGBUS"])
    report.compare(with: AuditReport(), at: "base.json", countsNewOnly: true)
    #expect(!report.forgeProblems(isNewOnly: true).contains { $0.rule == "crash" })
    #expect(report.forgeProblems(isNewOnly: false).count { $0.rule == "crash" } == 2)
  }

  @Test("is commands for GitHub, in which nothing of a log is a command")
  func gitHub() throws {
    let text = String(decoding: GitHubAnnotationRenderer(root: root).render(report), as: UTF8.self)
    #expect(
      text == #"""
        ::error title=unreadable-input an input was not read::b.jsonl: no such file
        ::error file=a%2Cb%3Ac%25.swift,line=2,endLine=2,col=3,endColumn=5,title=KVO001 observation removed twice::Screen#3 removed "balance" twice. Fix: remove it once
        ::notice title=KVO020 an object observes itself::100 %25 of\n::error::\u{1b}[31m]. Fix: remove it once

        """#
    )
    let commands = text.split(separator: "\n").map { RunnerCommand($0) }
    #expect(commands.map { $0?.name } == ["error", "error", "notice"])
    #expect(commands[1]?.properties["file"] == "a,b:c%.swift")
    #expect(commands[2]?.data == #"100 % of\n::error::\u{1b}[31m]. Fix: remove it once"#)
  }

  @Test("reports what GitHub does not show")
  func many() {
    var report = report
    report.failures = []
    let finding = report.findings[0]
    report.findings = (0..<25).map { number in
      var other = finding
      if number >= 12 { other.severity = .warning }
      return other
    }
    let text = String(decoding: GitHubAnnotationRenderer().render(report), as: UTF8.self)
    let lines = text.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("::error ") } == 10)
    #expect(lines.count { $0.hasPrefix("::warning ") } == 10)
    #expect(
      lines.last
        == "5 more findings without an annotation: GitHub shows ten of each kind for a step"
    )
  }

  @Test("has only new findings, if only those count, and errors in suppressions")
  func new() throws {
    var report = report
    report.failures = []
    for index in report.findings.indices { report.findings[index].baseline = .unchanged }
    report.findings[1].baseline = .new
    report.compare(with: AuditReport(), at: "base.json", countsNewOnly: true)
    report.findings[0].baseline = .unchanged
    let text = String(decoding: GitHubAnnotationRenderer().render(report), as: UTF8.self)
    #expect(text.split(separator: "\n").count == 1)
    #expect(text.hasPrefix("::notice title=KVO020"))
    #expect(GitLabReportRenderer().render(report).count > 600)
  }

  @Test("reports that GitLab's report omits findings")
  func omitted() {
    let limit = ReportLimit(byteCount: .max, findingCount: 1)
    let text = String(decoding: GitLabReportRenderer().render(report, within: limit), as: UTF8.self)
    #expect(text.contains("\"check_name\": \"left-out\""))
    #expect(text.contains("3 findings left out"))
  }

  @Test("shows a crash that nothing explains")
  func crash() {
    var report = AuditReport()
    report.crashes = [
      .init(name: "SIGSEGV", reason: nil, liveCount: nil, stack: .init(role: .failed, event: 0))
    ]
    let text = String(decoding: GitHubAnnotationRenderer().render(report), as: UTF8.self)
    #expect(
      text == """
        ::error title=crash a process crashed::a process crashed, and nothing that was found explains it. SIGSEGV

        """
    )
  }
}

/// A command as the runner of GitHub Actions reads a line.
///
/// Source: `ActionCommand.TryParseV2` of <https://github.com/actions/runner>.
private struct RunnerCommand {
  var name: String
  var properties: [String: String] = [:]
  var data: String

  init?(_ line: Substring) {
    guard let match = line.wholeMatch(of: /::(\w+)(?: (.*?))?::(.*)/) else { return nil }
    name = String(match.1)
    data = Self.unescaped(match.3)
    for pair in (match.2 ?? "").split(separator: ",") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      properties[String(parts[0])] = Self.unescaped(parts[1])
        .replacing("%3A", with: ":").replacing("%2C", with: ",").replacing("%25", with: "%")
    }
    data = data.replacing("%25", with: "%")
  }

  private static func unescaped(_ text: Substring) -> String {
    String(text).replacing("%0D", with: "\r").replacing("%0A", with: "\n")
  }
}
