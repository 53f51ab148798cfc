import Foundation
import KVOAudit
import KVOExport
import KVOFindings
import KVORules
import Testing

@Suite("Log records of OpenTelemetry") struct TelemetryLogsTests {
  @Test("of a finding that a test expects say so, with the severity of a note")
  func expected() throws {
    func records(isExpected: Bool) throws -> String {
      let finding = Finding(
        code: .doubleRemove,
        severity: .error,
        profile: .swift,
        consequence: .contained,
        message: "twice",
        hint: "once",
        signature: "2:00",
        isExpected: isExpected
      )
      let json = TelemetryLogs(AuditReport(findings: [finding]), observedTime: 1).json
      let text = String(decoding: json, as: UTF8.self)
      let start = try #require(text.firstRange(of: #""logRecords":["#)).upperBound
      return String(text[start...])
    }
    func record(_ severity: String, _ mark: String) -> String {
      #"{"observedTimeUnixNano":"1","eventName":"kvo.finding",\#(severity),"#
        + #""body":{"stringValue":"twice"},"attributes":["#
        + #"{"key":"kvo.rule","value":{"stringValue":"KVO001"}},"#
        + #"{"key":"kvo.rule.name","value":{"stringValue":"double-remove"}},"#
        + #"{"key":"kvo.signature","value":{"stringValue":"2:00"}},"#
        + #"{"key":"kvo.consequence","value":{"stringValue":"contained"}},"#
        + #"{"key":"kvo.count","value":{"intValue":"1"}},\#(mark)"#
        + #"{"key":"kvo.advice","value":{"stringValue":"once"}}]}]}]}]}"# + "\n"
    }
    #expect(
      try records(isExpected: true)
        == record(
          #""severityNumber":9,"severityText":"NOTE""#,
          #"{"key":"kvo.expected","value":{"boolValue":true}},"#
        )
    )
    #expect(
      try records(isExpected: false)
        == record(#""severityNumber":17,"severityText":"ERROR""#, "")
    )
  }

  @Test("have a record for each finding and crash, as its JSON form spells them")
  func records() throws {
    let stack = Finding.Stack(
      role: .failed,
      event: 1,
      frames: [
        Finding.StackFrame(
          symbol: "Screen.\"close\"",
          file: "/a/Screen.swift",
          line: 7,
          isFirstOwn: true
        )
      ]
    )
    let finding = Finding(
      code: .doubleRemove,
      severity: .warning,
      profile: .swift,
      consequence: .contained,
      message: "removed\ntwice",
      subject: .init(className: "Account", id: "1"),
      events: [1],
      stacks: [stack],
      hint: "once",
      signature: "2:00"
    )
    var hidden = finding
    hidden.suppression = SuppressionNote(reason: "old", until: "2027-01-31", location: "x:1")
    var report = AuditReport(findings: [finding, hidden])
    report.crashes = [RecordedCrash(name: "SIGSEGV", reason: nil, liveCount: 3, stack: stack)]
    let json = TelemetryLogs(report, observedTime: 1_700_000_000_000_000_001).json
    #expect(json.count { $0 == UInt8(ascii: "\n") } == 1 && json.last == UInt8(ascii: "\n"))
    let document = try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any]
    let resource = (document?["resourceLogs"] as? [[String: Any]])?.first
    let scope = (resource?["scopeLogs"] as? [[String: Any]])?.first
    let records = scope?["logRecords"] as? [[String: Any]] ?? []
    #expect(records.map { $0["eventName"] as? String } == ["kvo.finding", "kvo.crash"])
    #expect(records.map { $0["severityNumber"] as? Int } == [13, 21])
    // A 64-bit number is a text.
    #expect(records.allSatisfy { $0["observedTimeUnixNano"] as? String == "1700000000000000001" })
    #expect((records[0]["body"] as? [String: String])?["stringValue"] == "removed\ntwice")
    let attributes = records.map { record in
      (record["attributes"] as? [[String: Any]] ?? []).map { attribute in
        // A number of 64 bits is a text in JSON, too.
        let value = attribute["value"] as? [String: String] ?? [:]
        let shown = value["stringValue"] ?? value["intValue"].map { "int \($0)" } ?? "?"
        return "\(attribute["key"] as? String ?? "?")=\(shown)"
      }
    }
    #expect(
      attributes == [
        [
          "kvo.rule=KVO001", "kvo.rule.name=double-remove", "kvo.signature=2:00",
          "kvo.observed.class=Account", "kvo.consequence=contained", "kvo.count=int 1",
          "kvo.advice=once",
          "code.function.name=Screen.\"close\"", "code.file.path=/a/Screen.swift",
          "code.line.number=int 7",
          "code.stacktrace=Screen.\"close\" Screen.swift:7",
        ],
        [
          "exception.type=SIGSEGV", "kvo.live_observations=int 3",
          "code.function.name=Screen.\"close\"", "code.file.path=/a/Screen.swift",
          "code.line.number=int 7",
          "code.stacktrace=Screen.\"close\" Screen.swift:7",
        ],
      ]
    )
  }
}
