import KVOAudit
import KVOReports
import KVORules
import TestSupport
import Testing

@Suite("An audit of a damaged log") struct DamagedInputTests {
  private static let log = Array(
    (LogText.doubleRemove(process: 1) + """
      {"event":"willChange","thread":1,"subject":{"class":"Account","id":"12"},"key":"balance","change":1}
      {"event":"didChange","thread":1,"subject":{"class":"Account","id":"12"},"key":"balance","change":1}
      {"event":"deinit","thread":1,"object":{"class":"Account","id":"12"}}
      {"event":"deinitEnd","thread":1,"object":{"class":"Account","id":"12"}}

      """ + LogText.exit).utf8
  )

  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func audit(_ bytes: some Collection<UInt8>) throws -> AuditReport {
    Audit().report(on: [.file(path: try folder.file("a.jsonl", Array(bytes)))])
  }

  @Test("cut at any byte has the findings of the whole log up to there, and no others")
  func truncation() throws {
    let whole = try audit(Self.log)
    #expect(whole.findings.map(\.code) == [.doubleRemove])
    let lineEnds = Self.log.indices.filter { Self.log[$0] == 0x0a }
    // Every byte in the long form, and around the ends of lines in any.
    for cut in Self.log.indices
    where Rounds.includes(cut, every: 5) || lineEnds.contains(where: { abs($0 - cut) < 2 }) {
      let report = try audit(Self.log[..<cut])
      // The second removal is line 6, which is whole without its line end.
      let isFound = cut >= lineEnds[5]
      #expect(report.findings.map(\.signature) == (isFound ? whole.findings.map(\.signature) : []))
      // Nothing at all can be said before the first line is whole.
      #expect(report.failures.isEmpty == (cut >= lineEnds[0]))
    }
  }

  @Test("with any bytes changed ends in a report")
  func flips() throws {
    var state: UInt64 = 42
    func random(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    for _ in 0..<Rounds.count(200) {
      var log = Self.log
      for _ in 0...random(8) { log[random(log.count)] = UInt8(random(256)) }
      let report = try audit(log)
      #expect(report.inputs.count + report.failures.count == 1)
      #expect(report.summary.eventCount <= 12)
      #expect(!JSONReportRenderer().render(report).isEmpty)
      #expect(!TextReportRenderer().render(report).isEmpty)
    }
  }
}
