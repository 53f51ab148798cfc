import Foundation
import KVOAudit
import KVOCompression
import KVORules
import TestSupport
import Testing

@testable import KVOReports

@Suite("SARIF, as GitHub's code scanning reads it")
struct CodeScanningTests {
  private typealias Object = [String: Any]

  private static let source = """
    final class Screen {
      init(account: Account) {
        account.addObserver(self, forKeyPath: "balance")
      }

      func close() {
    \t\taccount.removeObserver(self, forKeyPath: "balance")\u{20}
      }

      deinit { account.removeObserver(self, forKeyPath: "balance") }
    }

    """

  /// A finding of three calls, the first two on another thread than the last.
  private func finding(in file: String) -> Finding {
    func stack(_ role: Evidence.Role, _ event: Int, thread: String, line: Int) -> Finding.Stack {
      Finding.Stack(
        role: role,
        thread: thread,
        event: event,
        frames: [
          Finding.StackFrame(symbol: "Screen.f", file: file, line: line, isFirstOwn: true),
          Finding.StackFrame(symbol: "main", file: file, line: 1),
        ]
      )
    }
    return Finding(
      code: .doubleRemove,
      severity: .error,
      profile: .swift,
      consequence: .contained,
      message: "Screen#3 removed \"balance\" from [Account](https://example.org) twice",
      events: [31],
      stacks: [
        stack(.failed, 31, thread: "2", line: 10), stack(.removed, 24, thread: "1", line: 7),
        stack(.registered, 12, thread: "1", line: 3),
      ],
      hint: "remove it once",
      signature: "2:6898ccf5d80123456789abcdef012345"
    )
  }

  private func results(_ bytes: [UInt8]) throws -> [Object] {
    let file = try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? Object)
    let run = try #require((file["runs"] as? [Object])?.first)
    return try #require(run["results"] as? [Object])
  }

  @Test("names the region, the fingerprint and the calls in their order")
  func whole() throws {
    let folder = try ScratchFolder()
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "Sources"),
      withIntermediateDirectories: true
    )
    let file = try folder.file("Sources/Screen.swift", Self.source)
    let root = try #require(SourceRoot(path: folder.path))
    let report = AuditReport(findings: [finding(in: file)])
    let bytes = SARIFReportRenderer(root: root, category: "linux").render(report)
    #expect(CodeScanningLinter(bytes).problems == [])

    var result = try #require(results(bytes).first)
    result["stacks"] = nil
    result["properties"] = nil
    func place(_ line: Int, _ columns: String, _ rest: String = "") -> String {
      """
      {
        "physicalLocation": {
          "artifactLocation": {"uri": "Sources/Screen.swift", "uriBaseId": "%SRCROOT%"},
          "region": {"startLine": \(line), "endLine": \(line), \(columns)}
        },
        "logicalLocations": [{"fullyQualifiedName": "Screen.f", "kind": "function"}]\(rest)
      }
      """
    }
    let last = #""startColumn": 3, "endColumn": 65"#
    let middle = #""startColumn": 3, "endColumn": 54"#
    let first = #""startColumn": 5, "endColumn": 53"#
    func step(_ number: Int, _ importance: String, _ place: String) -> String {
      #"{"executionOrder": \#(number), "importance": "\#(importance)", "location": \#(place)}"#
    }
    func said(_ text: String) -> String { #", "message": {"text": "\#(text)"}"# }
    let expected = """
      {
        "ruleId": "KVO001", "ruleIndex": 0, "level": "error",
        "message": {"text": "Screen#3 removed \\"balance\\" from [Account\\\\](https://example.org) twice. \
      Fix: remove it once. See: [Previously removed at, on thread 1](1), [Registered at, on thread 1](2)"},
        "locations": [\(place(10, last))],
        "relatedLocations": [
          \(place(7, middle, said("Previously removed at, on thread 1") + ", \"id\": 1")),
          \(place(3, first, said("Registered at, on thread 1") + ", \"id\": 2"))
        ],
        "codeFlows": [{"threadFlows": [
          {
            "message": {"text": "on thread 1"},
            "locations": [
              \(step(1, "important", place(3, first, said("Registered at, on thread 1")))),
              \(step(2, "important", place(7, middle, said("Previously removed at, on thread 1"))))
            ]
          },
          {
            "message": {"text": "on thread 2"},
            "locations": [\(step(3, "essential", place(10, last, said("Failed at, on thread 2"))))]
          }
        ]}],
        "occurrenceCount": 1,
        "partialFingerprints": {
          "kvoAuditSignature/v2": "2:6898ccf5d80123456789abcdef012345",
          "primaryLocationLineHash": "\(SourceLines(Self.source).hashes[9])"
        },
        "suppressions": []
      }
      """
    let wanted = try JSONSerialization.jsonObject(with: Data(expected.utf8))
    #expect(result as NSObject == wanted as? NSObject)

    let run = try #require(
      (JSONSerialization.jsonObject(with: Data(bytes)) as? Object)?["runs"] as? [Object]
    )[0]
    #expect((run["automationDetails"] as? Object)?["id"] as? String == "linux/")
    let base = (run["originalUriBaseIds"] as? Object)?["%SRCROOT%"] as? Object
    #expect(base?["uri"] as? String == "file://\(root.path)/")
  }

  @Test("has nothing about lines that are not available")
  func noSource() throws {
    let root = try #require(SourceRoot(path: "/usr"))
    let report = AuditReport(findings: [finding(in: "/usr/app/Screen.swift")])
    let bytes = SARIFReportRenderer(root: root).render(report)
    #expect(CodeScanningLinter(bytes).problems == [])
    let result = try #require(results(bytes).first)
    let locations = try #require(result["locations"] as? [Object])
    let place = try #require(locations[0]["physicalLocation"] as? NSObject)
    #expect(
      place == [
        "artifactLocation": ["uri": "app/Screen.swift", "uriBaseId": "%SRCROOT%"],
        "region": ["startLine": 10],
      ] as NSDictionary
    )
    #expect((result["partialFingerprints"] as? Object)?["primaryLocationLineHash"] == nil)
  }

  @Test("identifies a finding without a source line by its signature")
  func noLine() throws {
    var finding = finding(in: "A.swift")
    finding.stacks = []
    let result = try #require(
      results(SARIFReportRenderer().render(AuditReport(findings: [finding]))).first
    )
    let prints = try #require(result["partialFingerprints"] as? Object)
    #expect(prints["primaryLocationLineHash"] as? String == "6898ccf5d8012345:1")
    #expect(result["codeFlows"] == nil)
  }

  @Test("describes every rule with help, precision and severity")
  func rules() throws {
    var report = AuditReport.sample
    let entry = try #require(RuleCatalogue.entries.first { $0.severity == .note })
    report.findings[0].code = entry.code
    let bytes = SARIFReportRenderer().render(report)
    #expect(CodeScanningLinter(bytes).problems == [])
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.contains(#""problem.severity": "recommendation""#))
    #expect(text.contains("**Fix.** "))
    #expect(text.components(separatedBy: "```swift").count - 1 == 2 * RuleCatalogue.entries.count)
  }

  @Test(
    "takes the most severe findings of a report with too many, and says how many are left out"
  )
  func large() throws {
    // A debug build takes minutes for GitHub's limit.
    var limit = ReportLimit.sarif
    if !Rounds.areMany { limit.findingCount /= 50 }
    var report = AuditReport.sample
    let finding = finding(in: "/none/Screen.swift")
    let errorCount = limit.findingCount / 2
    report.findings = (0..<limit.findingCount + 100).map { number in
      var other = finding
      other.message = "message \(number)"
      other.severity = number < errorCount ? .error : .warning
      return other
    }
    let bytes = SARIFReportRenderer(byteCount: GzipSize.byteCount).render(report, within: limit)
    #expect(CodeScanningLinter(bytes).problems == [])
    let levels = try results(bytes).map { $0["level"] as? String }
    #expect(levels.count == limit.findingCount)
    #expect(levels.count { $0 == "error" } == errorCount)
    #expect(String(decoding: bytes, as: UTF8.self).contains("100 findings left out"))
  }

  @Test("has no more locations in a result than GitHub takes, and says how many are left out")
  func manyLocations() throws {
    var finding = finding(in: "/none/Screen.swift")
    let registered = finding.stacks[2]
    finding.stacks += (0..<1_500).map { number in
      var other = registered
      other.event = 100 + number
      return other
    }
    let bytes = SARIFReportRenderer().render(AuditReport(findings: [finding]))
    #expect(CodeScanningLinter(bytes).problems == [])
    let result = try #require(results(bytes).first)
    // The primary location is one of the thousand.
    #expect((result["relatedLocations"] as? [Object])?.count == 999)
    let message = (result["message"] as? Object)?["text"] as? String
    #expect(message?.contains(". 503 locations left out. See: ") == true, "\(message ?? "")")
  }

  @Test("is refused by the linter if it is broken")
  func broken() throws {
    let root = try #require(SourceRoot(path: "/usr"))
    let report = AuditReport(findings: [finding(in: "/usr/app/Screen.swift")])
    let text = String(decoding: SARIFReportRenderer(root: root).render(report), as: UTF8.self)
    #expect(CodeScanningLinter(Array(text.utf8)).problems == [])
    let edits = [
      ("\"version\": \"2.1.0\"", "\"version\": \"2.0.0\""), ("\"kvo-audit/\"", "\"kvo-audit\""),
      ("\"very-high\"", "\"certain\""),
      ("\"problem.severity\": \"error\"", "\"problem.severity\": \"bad\""),
      ("\"ruleIndex\": 0", "\"ruleIndex\": 1"), ("\"startLine\": 10", "\"startLine\": 0"),
      ("\"app/Screen.swift\"", "\"\""), ("\"app/Screen.swift\"", "\"/app/Screen.swift\""),
      ("\"id\": 2", "\"id\": 1"), ("\"%SRCROOT%\": {", "\"ROOT\": {"),
      ("\"id\": \"KVO002\"", "\"id\": \"KVO001\""), ("file:///usr/", "file:///usr"),
      ("\"markdown\": \"", "\"markdown\": \"\", \"old\": \""),
      ("\"text\": \"Screen#3", "\"old\": \""),
    ]
    for (old, new) in edits {
      let broken = text.replacing(old, with: new)
      #expect(broken != text && CodeScanningLinter(Array(broken.utf8)).problems != [], "\(new)")
    }
    #expect(CodeScanningLinter(Array("[]".utf8)).problems == ["the file is not a JSON object"])
  }

  @Test("has the size that gzip gives it")
  func gzip() throws {
    let folder = try ScratchFolder()
    for count in [0, 1, 200_000] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
      let file = try folder.file("bytes", bytes)
      let run = try ProgramRun(command: ["sh", "-c", "gzip -nc '\(file)' | wc -c"])
      let length = try #require(Int(run.output.trimmingCharacters(in: .whitespacesAndNewlines)))
      #expect(abs(GzipSize.byteCount(of: bytes) - length) <= max(20, length / 100))
    }
  }
}
