import Foundation
import KVOAudit
import KVOReportFile
import KVOReports
import KVORules
import TestSupport
import Testing

@Suite("Findings by origin") struct OriginTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func log(_ head: String, _ faultCount: Int = 1) -> String {
    let fault = LogText.doubleRemove(process: nil)
    return #"{"event":"process","schema":1\#(head)}"# + "\n"
      + String(repeating: fault, count: faultCount) + LogText.exit
  }

  private func report(_ paths: [String], pattern: String? = nil) throws -> AuditReport {
    let options = AuditOptions(
      countsByOrigin: true,
      pathPattern: try pattern.map { try PathPattern($0) }
    )
    let inputs = paths.map { AuditInput.file(path: $0) }
    return Audit(options: options, workerCount: 1).report(on: inputs)
  }

  private func sighting(_ origin: Origin, _ count: Int, runs: Int = 1) -> Finding.Sighting {
    Finding.Sighting(origin: origin, count: count, processCount: runs, runCount: runs)
  }

  @Test("are counted by version, system and day, as the log or else its path states them")
  func counts() throws {
    let first = #","os":"iOS 16.4","started":"2026-11-01T08:00:00Z","appVersion":"1.0""#
    let paths = [
      try folder.file("9.9-2026-11-09.jsonl", log(first)),
      try folder.file("9.8-2026-11-09.jsonl", log(first, 2)),
      try folder.file("1.1-2026-11-02.jsonl", log("")),
      try folder.file("odd.jsonl", log("")),
    ]
    let report = try report(paths, pattern: "{version}-{day}.jsonl")
    let finding = try #require(report.findings.first { $0.code == .doubleRemove })
    #expect(
      finding.sightings == [
        sighting(Origin(), 1),
        sighting(Origin(version: "1.0", system: "iOS 16.4", day: "2026-11-01"), 3, runs: 2),
        sighting(Origin(version: "1.1", day: "2026-11-02"), 1),
      ]
    )
    #expect(finding.count == finding.sightings.map(\.count).reduce(0, +))
    #expect(finding.days == "2026-11-01"..."2026-11-02")
    #expect(report.inputs.map { $0.origin?.origin.version } == ["1.0", "1.0", "1.1", nil])
    let registrations = try #require(report.registrations)
    #expect(registrations.map(\.madeCount) == [1, 3, 1])
    #expect(Set(registrations.map(\.key.subject)) == ["Account"])
  }

  @Test("have no day that is none")
  func noDay() throws {
    let path = try folder.file("a.jsonl", log(#","started":"yesterday""#))
    #expect(try report([path]).findings[0].sightings.map(\.origin) == [Origin()])
  }

  @Test("are not counted unless asked for, and the report has no key of them")
  func unasked() throws {
    let path = try folder.file("a.jsonl", log(#","appVersion":"1.0""#))
    let report = Audit().report(on: [.file(path: path)])
    let text = String(decoding: JSONReportRenderer().render(report), as: UTF8.self)
    for key in ["sightings", "registrations", "origin"] { #expect(!text.contains("\"\(key)\"")) }
  }

  @Test("of merged reports are those of one audit", arguments: 0..<8 as Range<UInt64>)
  func merging(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let paths = try (0..<9).map { number in
      let version = Int.random(in: 1...3, using: &random)
      let day = Int.random(in: 1...2, using: &random)
      let head = #","started":"2026-11-0\#(day)T08:00:00Z","appVersion":"\#(version).0""#
      return try folder.file(
        "\(number).jsonl",
        log(head, Int.random(in: 0...3, using: &random))
      )
    }
    let whole = JSONReportRenderer().render(AuditReport.merging([try report(paths)]))
    var parts = try paths.map { try report([$0]) }
    while parts.count > 1 {
      parts.shuffle(using: &random)
      let group = parts.suffix(Int.random(in: 2...min(4, parts.count), using: &random))
      parts.removeLast(group.count)
      let merged = JSONReportRenderer().render(AuditReport.merging(Array(group)))
      parts.append(try ReportFile.report(in: merged, label: "part"))
    }
    let pieces = JSONReportRenderer().render(AuditReport.merging(parts))
    #expect(String(decoding: pieces, as: UTF8.self) == String(decoding: whole, as: UTF8.self))
  }

  @Test("are added up in the order of the origins")
  func order() {
    var one = Finding(
      code: .doubleRemove,
      severity: .error,
      profile: .appleModern,
      consequence: .crash,
      message: "",
      hint: ""
    )
    one.add(sightings: [sighting(Origin(day: "2026-11-02"), 1)])
    one.add(sightings: [sighting(Origin(day: "2026-11-01"), 2)])
    one.add(sightings: [sighting(Origin(day: "2026-11-02"), 4)])
    #expect(one.sightings.map(\.count) == [2, 5])
    #expect(one.sightings.map(\.runCount) == [1, 2])
  }
}
