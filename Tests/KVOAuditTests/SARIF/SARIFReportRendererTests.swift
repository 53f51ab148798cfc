import Foundation
import KVOAudit
import KVOFindings
import KVOReports
import KVORules
import Testing

@Suite("The report as SARIF")
struct SARIFReportRendererTests {
  private typealias Object = [String: Any]

  private func run(_ report: AuditReport) throws -> Object {
    let log = try JSONSerialization.jsonObject(with: Data(SARIFReportRenderer().render(report)))
    let object = try #require(log as? Object)
    #expect(object["version"] as? String == "2.1.0")
    return try #require((object["runs"] as? [Object])?.first)
  }

  private func expect(_ value: Any?, _ expected: String) throws {
    let value = try #require(value)
    let expected = try JSONSerialization.jsonObject(with: Data(expected.utf8))
    #expect(value as? NSObject == expected as? NSObject)
  }

  @Test("reports every rule, in the order that results refer to")
  func rules() throws {
    let tool = try #require(run(.sample)["tool"] as? Object)
    let driver = try #require(tool["driver"] as? Object)
    #expect(driver["name"] as? String == "kvo-audit")
    #expect(driver["semanticVersion"] as? String == AuditVersion.current)
    let rules = try #require(driver["rules"] as? [Object])
    #expect(rules.map { $0["id"] as? String } == RuleCatalogue.entries.map(\.code.rawValue))
    #expect(rules.first?["name"] as? String == "DoubleRemove")
    for rule in rules {
      for key in ["shortDescription", "fullDescription", "help"] {
        #expect((rule[key] as? Object)?["text"] as? String != "")
      }
    }
  }

  @Test("has a finding at its first own frame, with its stacks and its signature")
  func result() throws {
    try expect(
      run(.sample)["results"],
      """
      [{
        "ruleId": "KVO001", "ruleIndex": 0, "level": "error",
        "message": {"text": "Screen#3 removed \\"balance\\" twice. Fix: remove it once"},
        "locations": [{
          "physicalLocation": {
            "artifactLocation": {"uri": "Screen.swift"}, "region": {"startLine": 41}
          },
          "logicalLocations": [{"fullyQualifiedName": "Screen.deinit", "kind": "function"}]
        }],
        "relatedLocations": [],
        "stacks": [{
          "message": {"text": "Failed at, on thread 1 (main)"},
          "frames": [
            {
              "location": {
                "physicalLocation": {
                  "artifactLocation": {"uri": "Screen.swift"}, "region": {"startLine": 41}
                },
                "logicalLocations": [{"fullyQualifiedName": "Screen.deinit", "kind": "function"}]
              },
              "module": "app"
            },
            {"location": {"physicalLocation": {"address": {"absoluteAddress": 16}}}}
          ]
        }],
        "occurrenceCount": 3,
        "partialFingerprints": {"kvoAuditSignature/v1": "5f0c2a91"},
        "suppressions": [],
        "properties": {
          "profile": "swift", "consequence": "contained", "confidence": "high",
          "events": [118, 240, 377]
        }
      }]
      """
    )
  }

  @Test("lists what was not read and what was not judged")
  func notifications() throws {
    try expect(
      run(.wholeSample)["invocations"],
      """
      [{
        "executionSuccessful": false,
        "toolExecutionNotifications": [
          {"level": "error", "message": {"text": "b.jsonl: no such file"}}
        ],
        "toolConfigurationNotifications": [{
          "level": "note", "associatedRule": {"id": "KVO014"},
          "message": {"text": "KVO014 was not judged: no writes"}
        }]
      }]
      """
    )
  }

  @Test("notifies of a crash that no finding explains")
  func crash() throws {
    var report = AuditReport(
      inputs: [AuditReport.Input(path: "a.jsonl", kind: .jsonLines, eventCount: 3)]
    )
    report.crashes = [
      RecordedCrash(
        name: "SIGSEGV",
        reason: nil,
        liveCount: 2,
        stack: Finding.Stack(role: .failed, event: 3)
      )
    ]
    try expect(
      run(report)["invocations"],
      """
      [{
        "executionSuccessful": true,
        "toolExecutionNotifications": [{
          "level": "error",
          "message": {
            "text": "a.jsonl: a process crashed, and nothing that was found explains it. SIGSEGV"
          }
        }],
        "toolConfigurationNotifications": []
      }]
      """
    )
    // The twin: a finding of its log explains it.
    report.findings = AuditReport.sample.findings
    let invocations = try #require(run(report)["invocations"] as? [Object])
    try expect(invocations[0]["toolExecutionNotifications"], "[]")
  }

  @Test("shows a finding at its log if no frame has a file")
  func noFile() throws {
    var report = AuditReport.sample
    report.findings[0].stacks = []
    let results = try #require(run(report)["results"] as? [Object])
    try expect(
      results[0]["locations"],
      #"[{"physicalLocation": {"artifactLocation": {"uri": "a.jsonl"}}}]"#
    )
  }

  @Test(
    "lets no text of a log be a link",
    arguments: [
      ("[a](b)", "[a\\](b)"), ("[a\\](b)", "[a\\\\\\](b)"), ("](](", "\\](\\]("),
      ("](\u{301}b", "\\](\u{301}b"), ("a\\] (b", "a\\] (b"),
    ]
  )
  func links(_ message: String, _ shown: String) throws {
    var report = AuditReport.sample
    report.findings[0].message = message
    let result = try #require((run(report)["results"] as? [Object])?.first)
    let text = try #require((result["message"] as? Object)?["text"] as? String)
    #expect(text.unicodeScalars.starts(with: "\(shown). Fix: ".unicodeScalars), "\(text)")
  }

  @Test("suppresses expected and suppressed findings", arguments: [false, true])
  func suppressed(isExpected: Bool) throws {
    var report = AuditReport.sample
    report.findings[0].isExpected = isExpected
    report.findings[0].isSuppressed = !isExpected
    let reason =
      isExpected ? "a test says that this is meant" : "suppressed by the project"
    let results = try #require(run(report)["results"] as? [Object])
    try expect(
      results[0]["suppressions"],
      #"[{"kind": "external", "justification": "\#(reason)"}]"#
    )
  }

  @Test(
    "writes paths as URIs",
    arguments: [
      ("/a b/Ü.swift", "file:///a%20b/%C3%9C.swift"), ("Sources/A.swift", "Sources/A.swift"),
      ("c:/x", "./c:/x"), ("a%\u{1}", "a%25%01"), ("x/y:z", "x/y:z"),
    ]
  )
  func uris(path: String, uri: String) throws {
    var report = AuditReport.sample
    report.findings[0].stacks[0].frames[0].file = path
    let results = try #require(run(report)["results"] as? [Object])
    let locations = try #require(results[0]["locations"] as? [Object])
    let place = try #require(locations[0]["physicalLocation"] as? Object)
    try expect(place["artifactLocation"], #"{"uri": "\#(uri)"}"#)
  }
}
