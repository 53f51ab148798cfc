import Foundation
import KVOAudit
import KVOReports
import KVORules
import KVOTrace
import KVOTraceJSON
import TestSupport
import Testing

@Suite("An audit") struct AuditTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func report(
    _ logs: [(name: String, text: String)],
    options: AuditOptions = AuditOptions()
  ) throws -> AuditReport {
    let inputs = try logs.map { AuditInput.file(path: try folder.file($0.name, $0.text)) }
    return Audit(options: options).report(on: inputs)
  }

  private func text(_ report: AuditReport) -> String {
    String(decoding: TextReportRenderer().render(report), as: UTF8.self)
      .replacing(folder.url.path + "/", with: "")
  }

  @Test("reports findings, damage, unjudged rules and figures, in this order")
  func wholeReport() throws {
    let log = LogText.doubleRemove(process: 1) + "broken\n" + LogText.exit
    #expect(
      try text(report([("a.jsonl", log)])) == """
        WARNING: KVOSafety: observation removed twice (KVO001 double-remove)
          Screen#3 removed its observation of "balance" from Account#12 a second time, on thread 1 (main)
          > #0 Screen.deinit               Screen.swift:41
            #1 main                        main.swift:6
          Previously removed at, on thread 1 (main)
          > #0 Screen.viewDidDisappear()   Screen.swift:29
          Registered at, on thread 1 (main)
          > #0 Screen.init(account:)       Screen.swift:12
          Fix: remove it in one place only, or keep a token, \
        `token = account.observe(keyPath: "balance") { _, _ in … }`, and end it by \
        `token?.invalidate(); token = nil`, which may be done twice
          Signature: 2:623bc7cd9d · seen once · event 6 · error, contained

        DAMAGED: 1 line of a.jsonl cannot be read, and what it said is lost
          a.jsonl:7:1: not JSON: invalid value

        NOT JUDGED, which is not clean:
          KVO008–KVO010, KVO017, KVO027, KVO039: no notify events in this log
          KVO011–KVO013, KVO021, KVO022, KVO031, KVO032: events are missing at event 7, and absence \
        proves nothing from there
          KVO014: no write events in this log
          KVO015, KVO016: no attach events in this log
          KVO019: no hold events in this log
          KVO023: no registration in this log says its executor
          KVO024: no changes in this log
          KVO025: no removeEnd events in this log
          KVO026: no lock events in this log
          KVO028: no declares events in this log
          KVO030: no class events in this log

        SUMMARY: 1 error, 0 warnings in 7 events from 1 process (0 observations live at the end)

        """
    )
  }

  @Test("of several logs folds findings by signature and keeps the first log's events")
  func folding() throws {
    let report = try report([
      ("a.jsonl", LogText.exit),
      ("b.jsonl", LogText.doubleRemove(process: 1)),
      ("c.jsonl", LogText.threadName + LogText.doubleRemove(process: 2)),
    ])
    #expect(report.inputs.map(\.eventCount) == [1, 6, 7])
    #expect(report.findings.map(\.code) == [.doubleRemove])
    let finding = try #require(report.findings.first)
    #expect(finding.count == 2)
    #expect(finding.input == 1)
    #expect(finding.events == [6])
    #expect(report.summary.errorCount == 1)
    #expect(report.summary.processCount == 3)
    #expect(text(report).contains("\n  Log: b.jsonl\n"))
  }

  @Test("distinguishes the processes of one log, but not the files of one process")
  func processes() throws {
    let two = LogText.doubleRemove(process: 1) + LogText.doubleRemove(process: 2)
    #expect(try report([("a.jsonl", two)]).summary.processCount == 2)
    // The second part registers the observation again, so its removals are those of a second one.
    let parts = LogText.doubleRemove(process: 1) + LogText.doubleRemove(process: 1)
    let report = try report([("a.jsonl", parts)])
    #expect(report.summary.processCount == 1)
    #expect(report.findings.map(\.count) == [2])
  }

  @Test("gives a fault of several processes the consequence on the runtime on which it is worst")
  func runtimes() throws {
    func log(_ process: Int, on runtime: String) -> String {
      """
      {"event":"process","pid":\(process),"runtime":"\(runtime)"}
      {"event":"remove","thread":1,"subject":{"class":"A","id":"1"},"observer":{"class":"S","id":"2"},"keyPath":"k","registration":null}

      """
    }
    let (old, new) = (log(1, on: "gnustep-1.28"), log(2, on: "apple"))
    for logs in [
      [("a.jsonl", old + new)], [("a.jsonl", new + old)], [("a.jsonl", old), ("b.jsonl", new)],
    ] {
      let finding = try #require(try report(logs).findings.first)
      #expect(finding.count == 2)
      #expect(finding.severity == .error)
      #expect(finding.consequence == .crash)
      #expect(finding.profile == .appleModern)
    }
  }

  @Test("sorts by severity, then code, then event")
  func order() throws {
    let selfObservation = """
      {"event":"register","subject":{"class":"A","id":"1"},"observer":{"class":"A","id":"1"},"keyPath":"k"}

      """
    let unregistered = """
      {"event":"remove","subject":{"class":"B","id":"2"},"observer":{"class":"A","id":"1"},"keyPath":"k"}
      {"event":"remove","subject":{"class":"A","id":"3"},"observer":{"class":"A","id":"1"},"keyPath":"k"}

      """
    let log = selfObservation + unregistered + LogText.doubleRemove(process: nil)
    let report = try report([("a.jsonl", log)])
    #expect(
      report.findings.map { "\($0.severity) \($0.code.rawValue) \($0.events)" } == [
        "error KVO001 [8]", "error KVO002 [2]", "error KVO002 [3]", "note KVO020 [1]",
      ]
    )
    #expect(report.hasFindings(atLeast: .error))
    #expect(report.summary.noteCount == 1)
  }

  @Test("judges by the profile")
  func profile() throws {
    let log = LogText.doubleRemove(process: 1)
    let options = AuditOptions(profile: .gnustep128)
    let report = try report([("a.jsonl", log)], options: options)
    #expect(report.findings.map(\.severity) == [.warning])
    #expect(report.findings.map(\.profile) == [.gnustep128])
    #expect(!report.hasFindings(atLeast: .error))
  }

  @Test("of some inputs that cannot be read reports the others")
  func unreadable() throws {
    let path = try folder.file("a.jsonl", LogText.exit)
    let later = try folder.file(
      "later.jsonl",
      LogText.doubleRemove(process: 1) + #"{"event":"process","schema":9}"#
    )
    let report = Audit().report(on: [
      .file(path: folder.url.path + "/none"), .file(path: later), .file(path: path),
    ])
    #expect(report.inputs.map(\.path) == [path])
    #expect(
      report.failures.map(\.reason) == [
        "no such file", "the log is written to schema 9; this version reads schemas up to 1",
      ]
    )
    // Nothing of a log that is refused counts, not even what stood before.
    #expect(report.findings == [])
  }

  @Test("of events in memory is that of their log")
  func memory() throws {
    var names = TraceNames()
    let a = ObjectRef(id: names.identifier("1"), className: names.id(of: "A"))
    let b = ObjectRef(id: names.identifier("2"), className: names.id(of: "B"))
    let key = names.id(of: "k")
    let events = [
      Event(.register(Registration(id: Identifier(1), subject: a, observer: b, keyPath: key))),
      Event(.deinitEnd(b)), Event(.exit(status: 0)),
    ]
    var bytes: [UInt8] = []
    for event in events { JSONLinesWriter.append(event, names: names, to: &bytes) }
    let path = try folder.file("a.jsonl", bytes)
    var fromFile = Audit().report(on: [.file(path: path)])
    let fromMemory = Audit().report(on: [.events(events, names: names, label: path)])
    #expect(fromMemory.inputs.map(\.kind) == [.memory])
    fromFile.inputs = fromMemory.inputs
    #expect(
      JSONReportRenderer().render(fromMemory) == JSONReportRenderer().render(fromFile)
    )
    #expect(fromMemory.findings.map(\.code) == [.observerDeinitWhileRegistered])
  }

  @Test("counts events that the recorder dropped, but not damage, as dropped")
  func dropped() throws {
    let log = LogText.exit + "x\n" + #"{"event":"dropped","count":17}"# + "\n"
    #expect(try report([("a.jsonl", log)]).summary.droppedEventCount == 17)
  }
}
