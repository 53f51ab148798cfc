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

  @Test("a missed change that a test expects is expected, though it is reported at the end")
  func expectedMiss() {
    let log = SparseLog(
      "a missed change",
      [],
      """
      {"event":"scopeBegin","thread":1,"id":1,"name":"t"}
      {"event":"register","thread":1,$pair,"registration":1,"expectedToLive":"cache"}
      {"event":"scopeBegin","thread":1,"id":2,"parent":1,"name":"u"}
      {"event":"expects","thread":1,"rules":["KVO032"],"scope":2}
      {"event":"willChange","thread":1,$change,"change":1}
      {"event":"didChange","thread":1,$change,"change":1}
      {"event":"willChange","thread":1,"subject":$savings,"key":"balance"}
      {"event":"didChange","thread":1,"subject":$savings,"key":"balance"}
      {"event":"scopeEnd","thread":1,"id":2}
      {"event":"scopeEnd","thread":1,"id":1}
      {"event":"exit","status":0}
      """
    )
    let reader = JSONLinesReader()
    var events: [Event] = []
    reader.read(Array(log.text.utf8)[...], event: { events.append($1) }, problem: { _ in })
    let report = Audit().report(on: [.events(events, names: reader.names, label: "sparse")])
    #expect(report.findings.map(\.code) == [.missedDelivery])
    #expect(report.findings.map(\.isExpected) == [true])
  }
}
