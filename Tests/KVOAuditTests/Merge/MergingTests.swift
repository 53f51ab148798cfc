import Foundation
import KVOAudit
import KVOFindings
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

  /// Merges `reports` in groups of a random shape, each of which went through a file; with a limit, inputs beyond it are
  /// counted in some of the groups.
  private func merged(
    _ reports: [AuditReport],
    limit: Int? = nil,
    _ random: inout SplitMix64
  ) throws -> AuditReport {
    if reports.count < 3 { return AuditReport.merging(reports.shuffled(using: &random)) }
    let cut = Int.random(in: 1..<reports.count, using: &random)
    let mixed = reports.shuffled(using: &random)
    var halves = [
      try merged(Array(mixed[..<cut]), limit: limit, &random),
      try merged(Array(mixed[cut...]), limit: limit, &random),
    ]
    if let limit {
      for index in halves.indices where Bool.random(using: &random) {
        halves[index].collapseInputs(limit: limit)
      }
    }
    return AuditReport.merging(
      try halves.shuffled(using: &random).map {
        try ReportFile.report(in: JSONReportRenderer().render($0), label: "part")
      }
    )
  }

  @Test("of many inputs are the same however they were grouped and counted", arguments: 0..<12)
  func collapses(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let limit = 5
    let paths = try logs(Int.random(in: 8...24, using: &random), &random)
    let all = AuditReport.merging([report(paths)])
    var whole = all
    whole.collapseInputs(limit: limit)
    #expect(whole.inputCount == all.inputs.count && whole.inputs.count <= all.inputs.count)
    #expect(whole.summary == all.summary && whole.isIncomplete == all.isIncomplete)
    // What a finding says of its input is the same.
    let places = [all, whole].map { report in
      report.findings.map { "\($0.signature) \(report.inputs[$0.input].path)" }
        + report.crashes.map { report.inputs[$0.input].path }
    }
    #expect(places[0] == places[1])
    for _ in 0..<4 {
      var parts: [[String]] = Array(repeating: [], count: Int.random(in: 2...6, using: &random))
      for path in paths.shuffled(using: &random) {
        parts[Int.random(in: parts.indices, using: &random)].append(path)
      }
      var grouped = try merged(parts.map { report($0.sorted()) }, limit: limit, &random)
      grouped.collapseInputs(limit: limit)
      #expect(json(grouped) == json(whole))
    }
  }

  @Test("of many inputs name those of which there is something to say, and count the others")
  func names() throws {
    var paths: [String] = []
    for number in 10..<20 { paths.append(try folder.file("\(number).jsonl", LogText.exit)) }
    paths.append(try folder.file("20.jsonl", LogText.exit + "broken\n"))
    paths.append(try folder.file("21.jsonl", LogText.doubleRemove(process: 1) + LogText.exit))
    paths.append(try folder.file("22.jsonl", LogText.doubleRemove(process: 2) + LogText.exit))
    var report = report(paths)
    report.collapseInputs(limit: 13)
    #expect(report.inputs.count == 13 && report.unlistedInputs == [])
    // What a snapshot says of an observation in the last log stays with it.
    report.snapshot = SnapshotReport(path: "", processName: "app", processID: 1, objectCount: 0)
    report.snapshot?.registrations = [
      SnapshotReport.HeldRegistration(
        LoggedProcess.LiveRegistration(
          subject: Finding.Object(className: "Account", id: "1"),
          observer: nil,
          keyPath: "balance",
          location: nil,
          event: 1
        ),
        input: 11,
        held: []
      )
    ]
    report.collapseInputs(limit: 12)
    #expect(report.snapshot?.registrations.map(\.input) == [4])
    let listed = report.inputs.map { URL(filePath: $0.path).lastPathComponent }
    // The first three, the damaged one, and the first with the finding.
    #expect(listed == ["10.jsonl", "11.jsonl", "12.jsonl", "20.jsonl", "21.jsonl"])
    let text = String(decoding: TextReportRenderer().render(report), as: UTF8.self)
    #expect(
      text.contains(
        """
        NOT LISTED: 8 of 13 inputs (--all-inputs lists them)
          8 jsonl: ended by exit

        """
      ),
      "\(text)"
    )
    #expect(text.contains("21.jsonl") && !text.contains("22.jsonl"))
  }

  @Test("that claim more together than any report may have the greatest count")
  func claims() throws {
    let most = 1 << 48
    var report = AuditReport()
    let key = RegistrationCount.Key(
      origin: Origin(),
      subject: "Account",
      observer: nil,
      keyPath: "balance",
      location: nil
    )
    let claim = RegistrationCount(key: key, madeCount: most, liveCount: most)
    report.registrations = Array(repeating: claim, count: 40_000)
    let inputs = AuditReport.UnlistedInputs(
      kind: .ips,
      endings: [],
      count: most,
      reportCount: most
    )
    report.unlistedInputs = Array(repeating: inputs, count: 40_000)
    let affected = AuditReport.NotJudged.AffectedInputs(count: most, paths: [])
    let rule = AuditReport.NotJudged(code: .doubleRemove, why: "x", in: affected)
    report.notJudged = Array(repeating: rule, count: 40_000)
    let merged = AuditReport.merging([report])
    #expect(merged.registrations == [claim])
    #expect(merged.unlistedInputs.map(\.reportCount) == [most] && merged.inputCount == most)
    _ = try ReportFile.report(in: JSONReportRenderer().render(merged), label: "merged")
  }

  /// CrashReports.md, "Exit status": also as parts of a fleet.
  @Test("of crash reports fail for a crash without a finding, whether it is listed or counted")
  func unexplainedCrashes() throws {
    var report = AuditReport()
    for number in 10..<20 {
      var input = AuditReport.Input(path: "\(number).ips", kind: .ips, eventCount: 0)
      input.isCrash = number > 12
      input.hasOwnReport = number == 12
      report.inputs.append(input)
    }
    #expect(report.hasFindings(atLeast: .error))
    let read = try ReportFile.report(in: JSONReportRenderer().render(report), label: "part")
    #expect(read.inputs == report.inputs)
    var merged = AuditReport.merging([read])
    #expect(merged.hasFindings(atLeast: .error))
    merged.collapseInputs(limit: 9)
    // The first three, and the first three that crashed.
    let listed = merged.inputs.map(\.path)
    #expect(listed == ["10.ips", "11.ips", "12.ips", "13.ips", "14.ips", "15.ips"])
    #expect(merged.hasFindings(atLeast: .error))
  }

  /// Fleet.md: a report does not grow with the fleet, in which any recorder may lose events.
  @Test("of many inputs count those that lack events, and say so")
  func gaps() throws {
    let dropped = #"{"event":"dropped","count":17}"# + "\n"
    var paths = try (10..<20).map { try folder.file("\($0).jsonl", dropped + LogText.exit) }
    paths.append(try folder.file("20.jsonl", LogText.exit))
    var report = report(paths)
    #expect(report.incompleteness.count == 10)
    report.collapseInputs(limit: 10)
    #expect(report.inputs.count == 3)
    let read = try ReportFile.report(in: JSONReportRenderer().render(report), label: "")
    for report in [report, read] {
      let lost = "could not be recorded, and are missing from"
      #expect(
        report.incompleteness.map { $0.replacing(folder.url.path + "/", with: "") } == [
          "10.jsonl: 17 events \(lost) the log", "11.jsonl: 17 events \(lost) the log",
          "12.jsonl: 17 events \(lost) the log", "119 events \(lost) 7 logs not listed",
        ]
      )
      let text = String(decoding: TextReportRenderer().render(report), as: UTF8.self)
      #expect(
        text.contains(
          """
          NOT LISTED: 8 of 11 inputs (--all-inputs lists them)
            1 jsonl: ended by exit
            7 jsonl: ended by exit; 119 events could not be recorded

          """
        ),
        "\(text)"
      )
    }
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
    #expect(whole.findings[0].consequences.map(\.suppression) == [whole.findings[0].suppression])
    #expect(whole.inputs.map(\.path) == ["0.jsonl", "a.jsonl"])
    #expect(whole.suppressions.map(\.state) == [.used])
    #expect(whole.summary.suppressedCount == 1 && whole.summary.errorCount == 0)
    #expect(whole.summary.droppedEventCount == .max)
  }

  /// Baselines.md: in whichever order and groups.
  @Test("of several runtimes, or of logs and crash reports, are the same however they were grouped")
  func groups() throws {
    func report(_ path: String, _ change: (inout Finding) -> Void) -> AuditReport {
      var report = AuditReport.sample
      report.inputs = [AuditReport.Input(path: path, kind: .jsonLines, eventCount: 400)]
      report.findings[0].consequences = []
      change(&report.findings[0])
      return report
    }
    let effects: [(Severity, Profile, Consequence)] = [
      (.warning, .swift, .contained), (.error, .gnustep128, .hang),
      (.error, .appleModern, .crash), (.error, .appleLegacy, .crash),
    ]
    let runtimes = effects.map { effect in
      report(effect.1.rawValue) { ($0.severity, $0.profile, $0.consequence) = effect }
    }
    let reports = (0..<4).map { number in
      report("\(number)") {
        $0.message = "\(number)"
        $0.crashFacts = number == 2 ? nil : CrashFacts(version: "1.\(number)")
      }
    }
    var random = SplitMix64(seed: 1)
    for parts in [runtimes, reports, Array(reports[..<2]) + reports[3...]] {
      let whole = json(AuditReport.merging(parts))
      for _ in 0..<24 { #expect(json(try merged(parts, &random)) == whole) }
    }
    let worst = AuditReport.merging(runtimes).findings[0]
    #expect(worst.severity == .error && worst.consequence == .crash)
    #expect(worst.profile == .appleLegacy)
    // Of a log and crash reports, the log is described; crash reports alone are counted as such.
    let logged = AuditReport.merging(reports).findings[0]
    #expect(logged.message == "2" && logged.crashFacts == nil && logged.count == 12)
    let crashed = AuditReport.merging(Array(reports[..<2])).findings[0]
    #expect(crashed.message == "0" && crashed.crashFacts?.reportCount == 2)
  }

  @Test("suppress what follows in one from a finding that is suppressed in another")
  func suppressedRoot() throws {
    let line = Array("KVO001 until=2027-01-01 because x".utf8)
    let file = try SuppressionFile(path: "kvo", bytes: line)
    let day = try #require(CalendarDay("2026-01-01"))
    var alone = AuditReport.sample
    alone.findings[0].consequences = []
    alone.suppress(file.suppressions, on: day)
    for reports in [[alone, .sample], [.sample, alone]] {
      let root = AuditReport.merging(reports).findings[0]
      #expect(root.consequences.map(\.isSuppressed) == [true])
      #expect(root.suppression != nil)
      #expect(root.consequences.map(\.suppression) == [root.suppression])
    }
    let root = AuditReport.merging([.sample, .sample]).findings[0]
    #expect(root.consequences.map(\.isSuppressed) == [false])
  }

  @Test("of none are an empty report")
  func none() {
    #expect(json(AuditReport.merging([])) == json(AuditReport()))
  }
}
