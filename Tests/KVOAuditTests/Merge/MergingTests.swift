import Foundation
import KVOAudit
import KVOReportFile
import KVOReports
import KVORules
import TestSupport
import Testing

@Suite("Merged reports") struct MergingTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func json(_ report: AuditReport) -> String {
    String(decoding: JSONReportRenderer().render(report), as: UTF8.self)
      .replacing(folder.url.path + "/", with: "")
  }

  /// Logs with findings that others have too, with their own, with damage and with reasons not to judge.
  private func logs(_ count: Int, _ random: inout SplitMix64) throws -> [String] {
    try (0..<count).map { number in
      var text = ""
      for process in 0..<Int.random(in: 1...3, using: &random) {
        let line = Int.random(in: 41...44, using: &random)
        text += LogText.doubleRemove(process: number * 10 + process)
          .replacing("Screen.swift:41", with: "Screen.swift:\(line)")
          .replacing("Screen.deinit", with: "Screen.end\(line / 2)()")
      }
      switch Int.random(in: 0..<5, using: &random) {
      case 0: text += "broken\n"
      case 1: text += #"{"event":"dropped","count":\#(number)}"# + "\n"
      case 2: text += #"{"event":"crash","thread":1,"signal":"SIGSEGV"}"# + "\n"
      case 3: text = "no log at all"
      default: text += LogText.exit
      }
      return try folder.file("\(number % 7)-\(number).jsonl", text)
    }
    .sorted()
  }

  private func report(_ paths: [String]) -> AuditReport {
    Audit(workerCount: 1).report(on: paths.map { AuditInput.file(path: $0) })
  }

  /// Merges `reports` in groups of a random shape, each of which went through a file.
  private func merged(_ reports: [AuditReport], _ random: inout SplitMix64) throws -> AuditReport {
    if reports.count < 3 { return AuditReport.merging(reports.shuffled(using: &random)) }
    let cut = Int.random(in: 1..<reports.count, using: &random)
    let mixed = reports.shuffled(using: &random)
    let halves = [
      try merged(Array(mixed[..<cut]), &random), try merged(Array(mixed[cut...]), &random),
    ]
    return AuditReport.merging(
      try halves.shuffled(using: &random).map {
        try ReportFile.report(in: JSONReportRenderer().render($0), label: "part")
      }
    )
  }

  @Test("are the same however logs are split, grouped and ordered", arguments: 0..<12)
  func splits(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let paths = try logs(Int.random(in: 2...14, using: &random), &random)
    let whole = json(AuditReport.merging([report(paths)]))
    for _ in 0..<4 {
      var parts: [[String]] = Array(repeating: [], count: Int.random(in: 1...5, using: &random))
      for path in paths.shuffled(using: &random) {
        parts[Int.random(in: parts.indices, using: &random)].append(path)
      }
      // A part may be empty: a machine that got no log.
      #expect(json(try merged(parts.map { report($0.sorted()) }, &random)) == whole)
    }
  }

  @Test("have the number of processes and runs in which each finding was seen")
  func seen() throws {
    let two = LogText.doubleRemove(process: 1) + LogText.doubleRemove(process: 2)
    let paths = try [two, LogText.exit, LogText.doubleRemove(process: 3)].enumerated().map {
      try folder.file("\($0).jsonl", $1)
    }
    for report in [report(paths), AuditReport.merging(paths.map { report([$0]) })] {
      #expect(report.findings.map(\.processCount) == [3])
      #expect(report.findings.map(\.runCount) == [2])
      #expect(report.findings.map(\.count) == [3])
      let text = String(decoding: TextReportRenderer().render(report), as: UTF8.self)
      #expect(text.contains("\n  Seen in 3 processes of 2 runs\n"))
    }
  }

  @Test("keep the worse severity, the first input's words, and all suppressions")
  func choice() throws {
    var first = AuditReport.sample
    first.findings[0].severity = .warning
    var second = AuditReport.sample
    second.inputs[0].path = "0.jsonl"
    second.findings[0].message = "of the other"
    let lines = Array("KVO001 until=2027-01-01 because x".utf8)
    let file = try SuppressionFile(path: "kvo", bytes: lines)
    second.suppress(file.suppressions, on: try #require(CalendarDay("2026-01-01")))
    let whole = AuditReport.merging([first, second])
    #expect(whole.findings.map(\.message) == ["of the other"])
    #expect(whole.findings.map(\.severity) == [.error])
    #expect(whole.findings.map(\.isSuppressed) == [true])
    #expect(whole.findings[0].consequences.map(\.count) == [2])
    #expect(whole.inputs.map(\.path) == ["0.jsonl", "a.jsonl"])
    #expect(whole.suppressions.map(\.state) == [.used])
    #expect(whole.summary.suppressedCount == 1 && whole.summary.errorCount == 0)
    #expect(whole.summary.droppedEventCount == .max)
  }

  @Test("of none are an empty report")
  func none() {
    #expect(json(AuditReport.merging([])) == json(AuditReport()))
  }
}
