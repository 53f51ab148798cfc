import KVOAudit
import KVORules
import KVOTrace
import KVOTraceJSON
import Testing

@Suite("Logs with few keys")
struct SparseLogTests {
  @Test("there are more than a hundred of them, each under a name of its own")
  func count() {
    #expect(SparseLog.all.count > 100)
    #expect(Set(SparseLog.all.map(\.name)).count == SparseLog.all.count)
  }

  @Test("each is judged as its author expected", arguments: SparseLog.all)
  func whole(log: SparseLog) {
    let reader = JSONLinesReader()
    var events: [Event] = []
    reader.read(Array(log.text.utf8)[...], event: { events.append($1) }, problem: { _ in })
    #expect(reader.problems == [], "\(log.text)")
    #expect(reader.unknownEvents.isEmpty && reader.unknownKeys.isEmpty, "\(log.text)")
    let report = Audit().report(on: [.events(events, names: reader.names, label: "sparse")])
    let found = report.findings.map { "\($0.code.rawValue) \($0.severity.rawValue)" }
    #expect(found.sorted() == log.expected, "\(log.text)")
    let notJudged = Set(report.notJudged.map(\.code.rawValue))
    #expect(notJudged.isSuperset(of: log.notJudged), "\(log.text)")
  }
}
