import Foundation
import KVOAudit
import KVOReports
import KVORules
import TestSupport
import Testing

@Suite("A flight recording")
struct FlightRecordingTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// How a program went, and which files it left.
  private struct Flight {
    var outcome: Child.Outcome
    var files: [String]
    /// What `kvo-audit` finds in the newest file of each log that is left, by name.
    var reports: [String: AuditReport]
  }

  private func fly(
    _ steps: String...,
    keep: String = "finding,crash",
    limit: String = "1M"
  ) throws -> Flight {
    let child = try Child(
      "RecorderProbe",
      ["flight"] + steps,
      environment: [
        "KVO_SAFETY_LOG": folder.path("log"), "KVO_SAFETY_KEEP": keep,
        "KVO_SAFETY_LOG_LIMIT": limit, "SWIFT_BACKTRACE": "enable=no",
      ]
    )
    let outcome = try child.end()
    let files = try folder.names.sorted()
    let newest = files.filter { Int($0.split(separator: ".").last ?? "") == nil }
    let reports = newest.map { ($0, Audit().report(on: [.file(path: folder.path($0))])) }
    return Flight(
      outcome: outcome,
      files: files,
      reports: Dictionary(uniqueKeysWithValues: reports)
    )
  }

  /// What holds of everything that is left: it is whole, and says no more than is true.
  private func expectTrue(
    _ report: AuditReport,
    codes: [String] = [],
    _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(report.failures == [], sourceLocation: location)
    #expect(report.incompleteness == [], sourceLocation: location)
    #expect(report.findings.map(\.code.rawValue) == codes, sourceLocation: location)
    #expect(report.summary.eventCount > 40, sourceLocation: location)
  }

  private func text(of report: AuditReport) -> String {
    String(decoding: TextReportRenderer().render(report), as: UTF8.self)
  }

  @Test("is deleted if the program ends without a reason to keep it", arguments: ["exit", "few"])
  func thrownAway(_ last: String) throws {
    let flight = try fly("many", "state", last)
    #expect(flight.outcome.status == (last == "exit" ? 7 : 0))
    #expect(flight.outcome.complaint == "")
    #expect(flight.outcome.output.contains("true\nstate\n"))
    #expect(flight.files == [])
  }

  @Test("is deleted when it is stopped")
  func stopped() throws {
    let flight = try fly("few", "stop", "state", "call", "kill")
    #expect(flight.outcome.output == "few\nstop\nfalse\nstate\nnothing\ncall\n")
    #expect(flight.files == [])
  }

  @Test("is kept up to a violation, and goes on")
  func finding() throws {
    let flight = try fly("few", "finding", "many", "finding", "exit")
    #expect(flight.outcome.status == 7)
    #expect(flight.files == ["log.kept-1"])
    let report = try #require(flight.reports["log.kept-1"])
    expectTrue(report, codes: ["KVO001"])
    #expect(report.inputs.first?.endings == [.kept])
    #expect(report.inputs.first?.keptReason == "KVO001 double-remove")
    #expect(report.inputs.first?.earlierEventCount == 0)
    let text = text(of: report)
    #expect(text.contains("log.kept-1 ends where the recorder kept it: KVO001 double-remove."))
  }

  @Test("is not kept for a violation if that is not a reason")
  func otherReason() throws {
    #expect(try fly("few", "finding", "exit", keep: "crash").files == [])
  }

  @Test("says how many events are gone, and accuses nobody for them")
  func leftOut() throws {
    let flight = try fly("many", "call", "exit", keep: "call")
    #expect(flight.outcome.output.contains("log.kept-1\ncall\n"))
    #expect(flight.files == (0..<4).map { "log.kept-1" + ($0 == 0 ? "" : ".\($0)") })
    let report = try #require(flight.reports["log.kept-1"])
    expectTrue(report)
    let input = try #require(report.inputs.first)
    #expect(input.keptReason == "asked by a test")
    // Of each round: two additions and their ends, two changes with three callbacks, a removal with its end, the
    // end of a token, and the deinit of two objects.
    #expect(input.earlierEventCount > 20_000)
    #expect(input.earlierEventCount + report.summary.eventCount > 12_000 * 15)
    let text = text(of: report)
    #expect(text.contains("NOT FROM THE BEGINNING: "))
    #expect(text.contains("events of this log are not kept: only objects of live lines count"))
    // The registration from before the first event.
    #expect(report.summary.liveRegistrationCount == 1)
  }

  @Test(
    "is left by a program that cannot delete it",
    arguments: ["kill", "terminate", "abort", "leave"]
  )
  func left(_ end: String) throws {
    // A sanitizer makes something else of the signal.
    if Tool.isSanitized, end == "abort" { return }
    let flight = try fly("many", end)
    let report = try #require(flight.reports["log"])
    #expect(flight.files == ["log", "log.1", "log.2", "log.3"])
    expectTrue(report)
    #expect(report.inputs.first?.endings == [end == "abort" ? .crash : .open])
    #expect(report.inputs.first?.earlierEventCount ?? 0 > 20_000)
    #expect(report.summary.liveRegistrationCount == 1)
  }

  @Test("is kept after a crash that the program survives, if that is a reason")
  func survived() throws {
    let kept = try fly("few", "survive", "few", "exit")
    #expect(kept.files == ["log"])
    try expectTrue(#require(kept.reports["log"]))
  }

  @Test("is deleted after a crash that the program survives, if that is not a reason")
  func survivedWithoutReason() throws {
    #expect(try fly("few", "survive", "few", "exit", keep: "finding").files == [])
  }

  @Test("is kept eight times, and then replaces the oldest")
  func manyTimes() throws {
    let flight = try fly(
      "call",
      "few",
      "call",
      "few",
      "call",
      "few",
      "call",
      "few",
      "call",
      "few",
      "call",
      "few",
      "call",
      "few",
      "call",
      "few",
      "call",
      "few",
      "exit"
    )
    #expect(flight.files == (1...8).map { "log.kept-\($0)" })
    let earlier = flight.files.map { flight.reports[$0]?.inputs.first?.earlierEventCount ?? 0 }
    // The first is the ninth by now: more came before it than before any other.
    #expect(earlier.max() == earlier.first)
    #expect(Array(earlier.dropFirst()) == earlier.dropFirst().sorted())
  }

  @Test("never replaces a file that is not a log, and is not deleted then")
  func foreignFile() throws {
    for number in 1...8 { _ = try folder.file("log.kept-\(number)", "mine") }
    let flight = try fly("few", "call", "few", "exit")
    #expect(flight.outcome.output.contains("/log\ncall\n"))
    #expect(flight.files == ["log", "log.1"] + (1...8).map { "log.kept-\($0)" })
    for number in 1...8 {
      #expect(
        try String(contentsOfFile: folder.path("log.kept-\(number)"), encoding: .utf8) == "mine"
      )
    }
    let report = try #require(flight.reports["log"])
    #expect(report.inputs.first?.endings == [.exit])
    expectTrue(report)
  }

  @Test("is an ordinary log if the reasons cannot be read, which is said once")
  func wrongReasons() throws {
    let flight = try fly("few", "exit", keep: "finding,crush")
    #expect(flight.outcome.status == 7)
    #expect(
      flight.outcome.complaint
        == "KVOSafety: KVO_SAFETY_KEEP is \"finding,crush\", and must be a list of finding, crash and call, "
        + "such as finding,crash. Every recording is kept.\n"
    )
    #expect(flight.files == ["log"])
  }
}
