package import KVOAudit
import KVOFindings
import KVORules
import KVOTraceJSON

/// The findings and crashes of an audit as log records of OpenTelemetry, in its JSON form: one line, as collectors read it
/// from files.
///
/// Source: <https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>, and `logs.proto`, `common.proto` of
/// <https://github.com/open-telemetry/opentelemetry-proto>.
package struct TelemetryLogs {
  private let report: AuditReport
  /// When the records were made, in nanoseconds since 1970.
  private let observedTime: UInt64

  package init(_ report: AuditReport, observedTime: UInt64) {
    self.report = report
    self.observedTime = observedTime
  }

  /// The document, with a newline at its end.
  ///
  /// Complexity: O(size of the report).
  package var json: [UInt8] {
    var text: [UInt8] = []
    text.append(contentsOf: #"{"resourceLogs":[{"resource":{"attributes":["#.utf8)
    Self.write("service.name", .text("kvo-audit"), to: &text)
    text.append(contentsOf: #"]},"scopeLogs":[{"scope":{"name":"kvo-audit","version":"#.utf8)
    text.append(jsonString: AuditVersion.current)
    text.append(contentsOf: #"},"logRecords":["#.utf8)
    let records =
      report.findings.filter { $0.suppression == nil }.map(record) + report.crashes.map(record)
    for (index, record) in records.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      write(record, to: &text)
    }
    text.append(contentsOf: "]}]}]}\n".utf8)
    return text
  }

  private struct Record {
    var event: String
    /// 9 is INFO, 13 WARN, 17 ERROR, 21 FATAL.
    var severityNumber: Int
    var severity: String
    var body: String
    var attributes: [Finding.Attribute]
    var stack: Finding.Stack?
  }

  private func record(_ finding: Finding) -> Record {
    // What a test expects must not alarm anybody.
    let severity = finding.isExpected ? .note : finding.severity
    let more: [Finding.Attribute] = [
      ("kvo.count", .integer(finding.count)),
      ("kvo.expected", finding.isExpected ? .flag(true) : nil),
    ]
    return Record(
      event: "kvo.finding",
      severityNumber: [.note: 9, .warning: 13, .error: 17][severity] ?? 0,
      severity: severity.rawValue.uppercased(),
      body: finding.message,
      attributes: finding.attributes + more + [finding.adviceAttribute],
      stack: finding.stacks.first
    )
  }

  private func record(_ crash: RecordedCrash) -> Record {
    Record(
      event: "kvo.crash",
      severityNumber: 21,
      severity: "FATAL",
      body: "The recorded process crashed: \(crash.phrases.joined(separator: ", "))",
      attributes: [
        ("exception.type", .text(crash.name)),
        ("exception.message", Finding.AttributeValue(crash.reason)),
        ("kvo.live_observations", crash.liveCount.map { .integer($0) }),
      ],
      stack: crash.stack
    )
  }

  private func write(_ record: Record, to text: inout [UInt8]) {
    // A 64-bit number is a text in this form.
    text.append(
      contentsOf: #"{"observedTimeUnixNano":"\#(observedTime)","eventName":"\#(record.event)","#
        .utf8
    )
    text.append(
      contentsOf:
        #""severityNumber":\#(record.severityNumber),"severityText":"\#(record.severity)","#.utf8
    )
    text.append(contentsOf: #""body":{"stringValue":"#.utf8)
    text.append(jsonString: record.body)
    text.append(contentsOf: #"},"attributes":["#.utf8)
    let attributes = record.attributes + (record.stack?.attributes ?? [])
    var isFirst = true
    for (key, value) in attributes {
      guard let value else { continue }
      if !isFirst { text.append(UInt8(ascii: ",")) }
      isFirst = false
      Self.write(key, value, to: &text)
    }
    text.append(contentsOf: "]}".utf8)
  }

  private static func write(
    _ key: String,
    _ value: Finding.AttributeValue,
    to text: inout [UInt8]
  ) {
    text.append(contentsOf: #"{"key":"\#(key)","value":{"#.utf8)
    switch value {
    case .text(let value):
      text.append(contentsOf: #""stringValue":"#.utf8)
      text.append(jsonString: value)
    // A number of 64 bits.
    case .integer(let value): text.append(contentsOf: #""intValue":"\#(value)""#.utf8)
    case .flag(let value): text.append(contentsOf: #""boolValue":\#(value)"#.utf8)
    }
    text.append(contentsOf: "}}".utf8)
  }
}
