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
    return Audit(options: AuditOptions(collectsActivity: collects)).report(on: inputs)
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

  @Test("is collected where somebody asks, and changes nothing else")
  func asked() throws {
    let log = LogText.doubleRemove(process: 1)
    var asked = try report([log])
    let unasked = try report([log], collects: false)
    #expect(unasked.activity == Activity())
    #expect(asked.activity.processes.count == 1)
    asked.activity = Activity()
    #expect(asked.findings == unasked.findings && asked.summary == unasked.summary)
  }

  @Test("is a curve of what was live, event by event, and the calls that registered")
  func collected() throws {
    let log = register(1) + register(2) + remove(1) + register(3, at: 20) + LogText.exit
    let activity = try report([log]).activity
    let curve = try #require(activity.processes.first).curve
    #expect(curve.steps.map(\.live) == [1, 2, 1, 2, 2])
    #expect(curve.steps.map(\.lastEvent) == [1, 2, 3, 4, 5])
    #expect(curve.steps[0].time == 1 && curve.steps[2].time == nil)
    func row(_ line: Int, _ made: Int, _ live: Int) -> CallSites.Row {
      CallSites.Row(
        calls: [
          .init(name: "main", place: "main.swift:4"),
          .init(name: "Screen.init", place: "Screen.swift:\(line)", isFirstOwn: true),
        ],
        observed: "Account.balance",
        madeCount: made,
        liveCount: live
      )
    }
    #expect(activity.callSites.rows == [row(12, 2, 1), row(20, 1, 1)])
  }

  @Test("what was there before the log began was made, too; the compiler's line stands for a stack")
  func live() throws {
    let log =
      #"{"event":"live","registration":1,"subject":{"class":"Account","id":"1"},"observer":{"class":"Screen","id":"3"},"keyPath":"balance","site":"Screen.swift:9"}"#
      + "\n" + LogText.exit
    let sites = try report([log]).activity.callSites
    #expect(
      sites.rows == [
        CallSites.Row(
          calls: [.init(name: "(call)", place: "Screen.swift:9", isFirstOwn: true)],
          observed: "Account.balance",
          madeCount: 1,
          liveCount: 1
        )
      ]
    )
  }

  @Test("each process of each log has a curve of its own, up to some, and all are counted")
  func processes() throws {
    let two = LogText.doubleRemove(process: 1) + LogText.doubleRemove(process: 2)
    let activity = try report([two, LogText.doubleRemove(process: 3)]).activity
    #expect(activity.processes.map(\.input) == [0, 0, 1])
    #expect(activity.processes.map(\.firstEvent) == [3, 9, 3])
    #expect(activity.callSites.madeCount == 3)
    let many = try report([(1...20).map { LogText.doubleRemove(process: $0) }.joined()]).activity
    #expect(many.processes.count == Activity.processLimit)
    #expect(many.omittedProcessCount == 20 - Activity.processLimit)
    #expect(many.callSites.madeCount == 20)
  }

  @Test("is the same whether logs are read side by side or one after the other")
  func sideBySide() throws {
    let logs = (1...6).map { number in
      (1...number * 3).map { register($0, at: $0) }.joined() + LogText.exit
    }
    let inputs = try logs.enumerated().map {
      AuditInput.file(path: try folder.file("\($0.offset).jsonl", $0.element))
    }
    let options = AuditOptions(collectsActivity: true)
    let one = Audit(options: options, workerCount: 1).report(on: inputs).activity
    #expect(Audit(options: options, workerCount: 4).report(on: inputs).activity == one)
    #expect(one.callSites.madeCount == 63)
  }

  @Test("is bounded, however long the log is")
  func bounds() throws {
    let log = (1...20_000).map { register($0, at: $0) + remove($0) }.joined() + LogText.exit
    let activity = try report([log]).activity
    #expect(activity.processes[0].curve.steps.count <= LiveCurve.limit)
    #expect(activity.processes[0].curve.steps.last?.lastEvent == 40_001)
    #expect(activity.callSites.rows.count == CallSites.limit)
    #expect(activity.callSites.madeCount == 20_000)
    #expect(activity.callSites.rest.madeCount == 20_000 - CallSites.limit)
  }

  @Test("a finding of a growth has its figures")
  func growth() throws {
    let log = (0..<4).map { run in
      #"{"event":"scopeBegin","id":\#(run),"name":"open"}"# + "\n"
        + register(run + 1).replacing(#""t":"#, with: #""scope":\#(run),"t":"#)
        + #"{"event":"scopeEnd","id":\#(run)}"# + "\n"
    }
    let findings = try report([log.joined() + LogText.exit]).findings
    let growths = findings.flatMap(\.withConsequences).filter { $0.code == .registrationGrowth }
    #expect(
      growths.map(\.growth) == [.init(scope: "open", runCount: 4, counts: [1, 2, 3, 4])]
    )
    #expect(findings.flatMap(\.withConsequences).count { $0.growth != nil } == 1)
  }
}
