import Foundation
import KVOAudit
import KVOImport
import KVOReportFile
import KVORules
import TestSupport
import Testing

@Suite("Reports that are merged one after another") struct ReportMergeTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Logs and crash reports with findings that others have too, with their own, and with damage.
  private func inputs(_ count: Int, _ random: inout SplitMix64) throws -> [String] {
    try (0..<count).map { number in
      if Int.random(in: 0..<4, using: &random) == 0 {
        let sentence =
          "Cannot remove an observer <Screen\(number % 2) 0x1> for the key path \"balance\" from "
          + "<Account 0x2> because it is not registered as an observer."
        let repeated = Int.random(in: 1...3, using: &random)
        return try folder.file(
          "\(number).txt",
          String(
            repeating: "*** Terminating app due to uncaught exception 'NSRangeException', "
              + "reason: '\(sentence)'\n",
            count: repeated
          )
        )
      }
      let day = Int.random(in: 1...2, using: &random)
      var text =
        #"{"event":"process","schema":1,"started":"2026-11-0\#(day)T08:00:00Z","appVersion":"1.\#(number % 2)"}"#
        + "\n"
      // Some violations are meant.
      if Int.random(in: 0..<3, using: &random) == 0 {
        text += #"{"event":"scopeBegin","thread":1,"id":1,"name":"s"}"# + "\n"
        text += #"{"event":"expects","thread":1,"rules":["KVO001"],"scope":1}"# + "\n"
      }
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let line = Int.random(in: 41...46, using: &random)
        text += LogText.doubleRemove(process: nil)
          .replacing("Screen.swift:41", with: "Screen.swift:\(line)")
          .replacing("Screen.deinit", with: "Screen.end\(line / 2)()")
      }
      if Int.random(in: 0..<4, using: &random) == 0 { text += "broken\n" }
      return try folder.file("\(number).jsonl", text + LogText.exit)
    }
  }

  private func report(_ paths: [String]) -> AuditReport {
    Audit(
      options: AuditOptions(countsByOrigin: true),
      importer: ReportImporter(),
      workerCount: 1
    )
    .report(on: paths.map { AuditInput.file(path: $0) })
  }

  private func write(_ report: AuditReport, _ name: String) throws -> String {
    try folder.file(name, String(decoding: ReportFile.bytes(of: report), as: UTF8.self))
  }

  /// The merged report as it is written, which is also what is in memory.
  private func merged(_ files: [String], inputLimit: Int? = nil) throws -> String {
    // Some findings are in memory, and some in the file.
    var merge = ReportMerge(memoryLimit: 6_000)
    for file in files { try merge.add(fileAt: file) }
    var whole = try merge.merged()
    if let inputLimit { try whole.collapseInputs(limit: inputLimit) }
    var bytes: [UInt8] = []
    try whole.write {
      bytes += $0
      return true
    }
    let report = try whole.report()
    #expect(ReportFile.bytes(of: report) == bytes)
    for severity in Severity.allCases {
      #expect(whole.hasFindings(atLeast: severity) == report.hasFindings(atLeast: severity))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(
    "are the same as one audit, however they are grouped, with suppressions and baselines in them",
    arguments: 0..<10 as Range<UInt64>
  )
  func groups(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let paths = try inputs(Int.random(in: 4...16, using: &random), &random)
    let known = try SuppressionFile(
      path: "known",
      bytes: Array("KVO001 frame=Screen.end21* until=2027-01-01 because x\n".utf8)
    )
    let day = try #require(CalendarDay("2026-11-25"))
    func audited(_ paths: [String]) -> AuditReport {
      var report = report(paths)
      report.suppress(known.suppressions, on: day)
      return report
    }
    let limit = 5
    for hasSuppressions in [false, true] {
      var parts: [[String]] = Array(repeating: [], count: Int.random(in: 1...5, using: &random))
      for path in paths { parts[Int.random(in: parts.indices, using: &random)].append(path) }
      var reports = parts.map { hasSuppressions ? audited($0.sorted()) : report($0.sorted()) }
      // A suppression counts the findings of each part.
      var whole = AuditReport.merging(hasSuppressions ? reports : [report(paths.sorted())])
      // A comparison of a part is not one of the whole.
      reports[0].compare(with: report([paths[0]]), at: "old", countsNewOnly: false)
      var files = try reports.enumerated().map { try write($1, "part-\($0).json") }
      while files.count > 2 {
        files.shuffle(using: &random)
        let some = Array(files.suffix(2))
        files.removeLast(2)
        files.append(try folder.file("merged-\(files.count).json", merged(some)))
      }
      expectSame(try merged(files), whole)
      whole.collapseInputs(limit: limit)
      expectSame(try merged(files, inputLimit: limit), whole)
    }
  }

  private func expectSame(_ text: String, _ report: AuditReport) {
    let expected = String(decoding: ReportFile.bytes(of: report), as: UTF8.self)
    guard text != expected else { return }
    let different = zip(text.split(separator: "\n"), expected.split(separator: "\n")).first {
      $0 != $1
    }
    Issue.record("\(different.map { "\($0) instead of \($1)" } ?? "one is longer")")
  }

  @Test("without any, are an empty report")
  func none() throws {
    let empty = String(decoding: ReportFile.bytes(of: AuditReport()), as: UTF8.self)
    #expect(try merged([]) == empty)
    #expect(try merged([write(AuditReport(), "empty.json")]) == empty)
  }

  @Test("leave nothing of a damaged one, and say what is wrong with it")
  func damaged() throws {
    let good = try write(.sample, "good.json")
    let text = String(decoding: ReportFile.bytes(of: .sample), as: UTF8.self)
    let bad = try folder.file("bad.json", text.replacing("\"summary\": {", with: "\"summary\": {1"))
    let odd = try folder.file(
      "odd.json",
      text.replacing("\"events\": 1204,\n    \"errors\"", with: "\"errors\"")
    )
    var merge = ReportMerge()
    try merge.add(fileAt: good)
    #expect(throws: InputFailure.self) { try merge.add(fileAt: bad) }
    let reason = #expect(throws: InputFailure.self) { try merge.add(fileAt: odd) }?.reason
    #expect(reason == "a damaged report: at summary: no \"events\"")
    var bytes: [UInt8] = []
    try merge.merged().write {
      bytes += $0
      return true
    }
    #expect(String(decoding: bytes, as: UTF8.self) == (try merged([good])))
  }

  @Test("may be longer than what is written at a time, and end when the reader has enough")
  func pieces() throws {
    var report = AuditReport.sample
    let finding = report.findings[0]
    report.findings = (0..<1_000).map { number in
      var finding = finding
      finding.signature = "\(number)"
      finding.message += String(repeating: "x", count: 1_500)
      return finding
    }
    var merge = ReportMerge()
    try merge.add(report)
    let whole = try merge.merged()
    var counts: [Int] = []
    try whole.write {
      counts.append($0.count)
      return true
    }
    #expect(counts.count > 2 && counts.allSatisfy { $0 < 2 << 20 })
    #expect(counts.reduce(0, +) == ReportFile.bytes(of: try whole.report()).count)
    var first = 0
    try whole.write {
      first = $0.count
      return false
    }
    #expect(first == counts[0])
  }

  @Test("with findings of crash reports between those of logs, have one order")
  func order() throws {
    func finding(_ code: RuleCode, _ reportCount: Int?) -> Finding {
      var finding = AuditReport.sample.findings[0]
      (finding.code, finding.signature) = (code, "\(code)")
      finding.crashFacts = reportCount.map {
        var facts = CrashFacts()
        facts.reportCount = $0
        return facts
      }
      return finding
    }
    // Many crash reports before few, and otherwise by code: each of them would be before the next one, and the last
    // one before the first.
    let findings = [
      finding(.deliveryToDead, 9), finding(.doubleRemove, 5), finding(.removeUnregistered, nil),
    ]
    let orders = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]].map { order in
      order.map { findings[$0] }.sorted(by: Finding.isReportedBefore).map(\.code)
    }
    #expect(Set(orders).count == 1)
    for left in findings {
      for right in findings {
        #expect(!Finding.isReportedBefore(left, right) || !Finding.isReportedBefore(right, left))
      }
    }
  }
}
