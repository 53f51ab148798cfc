import KVOAudit
import KVORules
import TestSupport
import Testing

@Suite("What went on in a log")
struct ActivityTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func report(_ logs: [String], collects: Bool = true) throws -> AuditReport {
    let inputs = try logs.enumerated().map {
      AuditInput.file(path: try folder.file("\($0.offset).jsonl", $0.element))
    }
    return Audit(options: AuditOptions(followsActivity: collects)).report(on: inputs)
  }

  private func register(_ number: Int, at line: Int = 12) -> String {
    #"{"event":"register","t":\#(number),"registration":\#(number),"subject":{"class":"Account","id":"\#(number)"},"#
      + #""observer":{"class":"Screen","id":"3"},"keyPath":"balance","#
      + #""stack":["Screen.init (Screen.swift:\#(line))","main (main.swift:4)"]}"# + "\n"
  }

  private func remove(_ number: Int) -> String {
    #"{"event":"remove","registration":\#(number),"subject":{"class":"Account","id":"\#(number)"},"#
      + #""observer":{"class":"Screen","id":"3"},"keyPath":"balance"}"# + "\n"
  }

  @Test("is collected on request, and changes nothing else")
  func asked() throws {
    let log = LogText.doubleRemove(process: 1)
    var asked = try report([log])
    let unasked = try report([log], collects: false)
    #expect(unasked.activity == Activity())
    #expect(asked.activity.processes.count == 1)
    asked.activity = Activity()
    #expect(asked.findings == unasked.findings && asked.summary == unasked.summary)
  }

  @Test("is a curve of live registrations, event by event")
  func followed() throws {
    let log = register(1) + register(2) + remove(1) + register(3, at: 20) + LogText.exit
    let curve = try #require(try report([log]).activity.processes.first).curve
    #expect(curve.steps.map(\.live) == [1, 2, 1, 2, 2])
    #expect(curve.steps.map(\.lastEvent) == [1, 2, 3, 4, 5])
    #expect(curve.steps[0].time == 1 && curve.steps[2].time == nil)
  }

  @Test("each process of each log has a curve of its own, up to some, and all are counted")
  func processes() throws {
    let two = LogText.doubleRemove(process: 1) + LogText.doubleRemove(process: 2)
    let activity = try report([two, LogText.doubleRemove(process: 3)]).activity
    #expect(activity.processes.map(\.input) == [0, 0, 1])
    #expect(activity.processes.map(\.firstEvent) == [3, 9, 3])
    let many = try report([(1...20).map { LogText.doubleRemove(process: $0) }.joined()]).activity
    #expect(many.processes.count == Activity.processLimit)
    #expect(many.omittedProcessCount == 20 - Activity.processLimit)
  }

  @Test("is the same whether logs are read side by side or one after the other")
  func sideBySide() throws {
    let logs = (1...6).map { number in
      (1...number * 3).map { register($0, at: $0) }.joined() + LogText.exit
    }
    let inputs = try logs.enumerated().map {
      AuditInput.file(path: try folder.file("\($0.offset).jsonl", $0.element))
    }
    let options = AuditOptions(followsActivity: true)
    let one = Audit(options: options, workerCount: 1).report(on: inputs).activity
    #expect(Audit(options: options, workerCount: 4).report(on: inputs).activity == one)
    #expect(one.processes.map(\.curve.peak) == [3, 6, 9, 12, 15, 18])
  }

  @Test("is bounded, however long the log is")
  func bounds() throws {
    let log = (1...20_000).map { register($0, at: $0) + remove($0) }.joined() + LogText.exit
    let activity = try report([log]).activity
    #expect(activity.processes[0].curve.steps.count <= LiveCurve.limit)
    #expect(activity.processes[0].curve.steps.last?.lastEvent == 40_001)
  }
}
