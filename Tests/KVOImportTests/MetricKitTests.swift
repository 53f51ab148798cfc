import Foundation
import KVORules
import Testing

/// Payloads of MetricKit, whose sentences may have lost their arguments.
@Suite("Payloads of MetricKit") struct MetricKitTests {
  private static let fault = ReportedFault("", .removal, "Meter", ["level"], "GaugeView")

  private static func payload(_ reason: [String: Any]) -> String {
    var diagnostic = Container.diagnostic("NSRangeException", "")
    var data = diagnostic["diagnosticMetaData"] as? [String: Any]
    data?["objectiveCexceptionReason"] = reason
    diagnostic["diagnosticMetaData"] = data
    return Container.json(["timeStampEnd": "2024-03-05 10:11:12", "crashDiagnostics": [diagnostic]])
  }

  @Test("name process, version, system, date and exception, and the tree's frames")
  func facts() throws {
    let finding = try #require(
      Reading.findings(
        Self.payload(["composedMessage": Self.fault.sentence, "exceptionName": "NSRangeException"])
      ).first
    )
    #expect(
      finding.crashFacts
        == CrashFacts(
          exception: "NSRangeException",
          process: "org.example.gauges",
          version: "1.9",
          system: "iOS 17.4",
          date: "2024-03-05 10:11:12"
        )
    )
    #expect(finding.stacks.first?.frames.map(\.module) == ["CoreFoundation", "Gauges"])
  }

  @Test("name the images of the interface of iOS 27, listed by identifier in either form")
  func images() throws {
    var diagnostic = Container.diagnostic27("NSRangeException", Self.fault.sentence)
    let list = try #require(Reading.findings(Container.json(diagnostic)).first)
    #expect(list.stacks.first?.frames.map(\.module) == ["CoreFoundation", "Gauges"])
    #expect(list.crashFacts?.exception == "NSRangeException")
    var tree = try #require(diagnostic["callStackTree"] as? [String: Any])
    tree["binaryInfo"] = [
      "11111111-2222-3333-4444-555555555555": ["name": "CoreFoundation"],
      "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee": ["name": "Gauges"],
    ]
    diagnostic["callStackTree"] = tree
    let table = try #require(Reading.findings(Container.json(diagnostic)).first)
    #expect(table.stacks == list.stacks)
    // A hang has a tree, and nothing of a crash.
    #expect(Reading.summary(Container.json(["hang": ["_0": ["callStackTree": tree]]])) == [])
  }

  @Test("a message without its arguments is completed, or reported as hidden")
  func redacted() throws {
    let format =
      "Cannot remove an observer <%@ %p> for the key path \"%@\" from <%@ %p> because it is not registered as an observer."
    let given = Reading.summary(
      Self.payload([
        "composedMessage": format, "formatString": format,
        "arguments": ["GaugeView", "0x1", "level", "Meter", "0x2"],
      ])
    )
    #expect(given == ["KVO002 Meter.level < GaugeView"])
    let hidden = try #require(
      Reading.findings(
        Self.payload(["composedMessage": format, "formatString": format, "arguments": []])
      ).first
    )
    #expect(hidden.code == .removeUnregistered)
    #expect(hidden.crashFacts?.masked == ["observer", "subject", "keyPath"])
  }

  @Test("hangs, other exceptions and payloads without a fault stay silent")
  func others() {
    let other = Self.payload(["composedMessage": "index 3 beyond bounds [0 .. 1]"])
    #expect(Reading.summary(other) == [])
    let hang = Container.diagnostic("NSRangeException", Self.fault.sentence)["callStackTree"] ?? ""
    #expect(
      Reading.summary(Container.json(["hangDiagnostics": [["callStackTree": hang]]])) == []
    )
  }

  @Test("the line of a sentence in JSON is that of its string")
  func line() {
    let text =
      "{\n  \"event_id\": \"1\",\n  \"exception\": {\"values\": [\n    {\"value\": \""
      + Self.fault.sentence.replacing("\"", with: "\\\"") + "\"}\n  ]}\n}\n"
    #expect(Reading.findings(text).first?.events == [4])
  }
}
