import KVOAudit
import KVOHeap
import KVOHeapAudit
import KVOReportFile
import KVOReports
import KVORules
import TestSupport
import Testing

@Suite("A report beside a heap snapshot") struct SnapshotJoinTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func report(_ log: String, _ snapshot: HeapSnapshot) throws -> AuditReport {
    let input = AuditInput.file(path: try folder.file("app.jsonl", log))
    var report = Audit(options: AuditOptions(keepsProcesses: true)).report(on: [input])
    SnapshotJoin(snapshot, path: "app.kvoheap").join(&report)
    return report
  }

  private func text(_ report: AuditReport) -> String {
    let text = String(decoding: TextReportRenderer().render(report), as: UTF8.self)
    // What other tests compare.
    return text.split(separator: "\n\n").filter { !$0.hasPrefix("NOT JUDGED") }
      .joined(separator: "\n\n")
  }

  @Test("says what leaked, and what holds the objects of findings and of live observations")
  func held() throws {
    let report = try report(SnapshotSample.log, SnapshotSample.snapshot)
    #expect(
      text(report) == """
        WARNING: KVOSafety: observation removed twice (KVO001 double-remove)
          Screen#3 removed its observation of "balance" from Account#12 a second time, on thread 1
            (no stack, event 5)
          Registered at, on thread 1
          > #0 (call)   Screen.swift:12
          Fix: remove it in one place only, or keep a token, \
        `token = account.observe(keyPath: "balance") { _, _ in … }`, and end it by \
        `token?.invalidate(); token = nil`, which may be done twice
          Signature: 2:eac8fb4c49 · seen once · event 5 · error, contained
          Held: Account#12 at 0x1100, by global at 0x180 → Bank.accounts.[…] → Account
          Held: Screen#3 at 0x1200, by stack at 0x7fff0000 ⇢ Screen

        HEAP SNAPSHOT app.kvoheap: app (process 4711), 6 objects
          1 leak, 2 objects, 128 bytes, one at 0x1300: Screen.action → closure.capture 0 → Screen
          1 of 2 observations that are live at the end have objects in it:
          Screen#4 observes "balance" of Account#13, registered at Screen.swift:12
            Held: Account#13 at 0x1500, by leaked objects alone
            Held: Screen#4 at 0x1300, by nothing but the cycle Screen.action → closure.capture 0 → Screen

        SUMMARY: 1 error, 0 warnings in 8 events from 1 process (2 observations live at the end)

        """
    )
    #expect(report.snapshot?.problem == nil)
  }

  @Test("keeps in JSON what it says, and reads it back")
  func file() throws {
    let report = try report(SnapshotSample.log, SnapshotSample.snapshot)
    let bytes = JSONReportRenderer().render(report)
    let read = try ReportFile.report(in: bytes, label: "a.json")
    #expect(read.snapshot == report.snapshot)
    #expect(JSONReportRenderer().render(read) == bytes)
    // It is of one process, whose log may not be among those of a merged report.
    #expect(AuditReport.merging([report]).snapshot == nil)
  }

  @Test("is in the page: the leaks, and what holds the objects")
  func page() throws {
    let report = try report(SnapshotSample.log, SnapshotSample.snapshot)
    let page = String(decoding: HTMLReportRenderer().render(report), as: UTF8.self)
    for text in [
      ##"<a href="#heap">Heap snapshot</a>"##,
      "1 leak, 2 objects, 128 bytes, one at 0x1300: "
        + "<code>Screen.action → closure.capture 0 → Screen</code>",
      "<h4>In the heap snapshot</h4>",
      "<code>Account#12 at 0x1100</code>, held by "
        + "<code>global at 0x180 → Bank.accounts.[…] → Account</code>",
      "Screen#4 observes &quot;balance&quot; of Account#13, registered at Screen.swift:12",
    ] {
      #expect(page.contains(text), "\(text)")
    }
  }

  /// The silent twins: one difference each, after which no object may be found.
  @Test(
    "finds no object unless both files are of one process",
    arguments: [
      (
        "another id",
        "it is of process 4712, and no log is"
      ),
      (
        "other addresses",
        "process 4711 of the log is another one: its images were at other addresses"
      ),
      (
        "no image",
        "the log and it have no image in common, so that they may be of two processes"
      ),
      ("started later", "process 4711 of the log is another one: it was not running at that time"),
      ("written before", "process 4711 of the log is another one: it was not running at that time"),
      ("no time", "process 4711 of the log is another one: it was not running at that time"),
      ("no process", "the log does not name its process"),
      ("another runtime", "it is of process 4711, and no log is"),
      (
        "addresses alone",
        "the log knows objects by their addresses alone, which other objects may have had"
      ),
      (
        "an earlier version",
        "it is of an earlier version, which does not say which objects logs name; write it anew"
      ),
    ]
  )
  func otherProcess(difference: String, problem: String) throws {
    var log = SnapshotSample.log
    var snapshot = SnapshotSample.snapshot
    switch difference {
    case "another id": snapshot.processID = 4712
    case "other addresses": snapshot.images[0].start += 0x1000
    case "no image": log = SnapshotSample.process + SnapshotSample.events
    case "started later": snapshot.processStart = SnapshotSample.start + 3_000_000_000
    case "written before": snapshot.time = SnapshotSample.start - 3_000_000_000
    case "no time":
      log = log.replacing(#","started":"2026-02-03T04:05:06Z""#, with: "")
    case "no process": log = SnapshotSample.image + SnapshotSample.events
    case "another runtime": log = log.replacing(#""runtime":"swift""#, with: #""runtime":"apple""#)
    case "addresses alone": log = log.replacing(#""id":"14""#, with: #""address":"0x1100""#)
    default: snapshot.numbered = nil
    }
    let report = try report(log, snapshot)
    #expect(report.snapshot?.problem == problem)
    #expect(report.snapshot?.findings == [])
    #expect(report.snapshot?.registrations == [])
    #expect(text(report).contains("\n  Not compared with the log: \(problem).\n\nSUMMARY"))
    #expect(!text(report).contains("Held:"))
    // The leaks need no log.
    #expect(report.snapshot?.leaks.count == 1)
  }

  @Test("an image that was loaded again has one of its addresses in the snapshot")
  func reloadedImage() throws {
    var snapshot = SnapshotSample.snapshot
    snapshot.images.append(
      HeapSnapshot.Image(path: "/lib/plugin.so", buildID: "", start: 0x900, end: 0xa00)
    )
    func module(_ start: String) -> String {
      #"{"event":"module","path":"/lib/plugin.so","textStart":"\#(start)","textEnd":"0xb00"}"#
        + "\n"
    }
    func log(_ modules: String) -> String {
      SnapshotSample.process + SnapshotSample.image + modules + SnapshotSample.events
    }
    let reloaded = try report(log(module("0xa00") + module("0x900")), snapshot)
    #expect(reloaded.snapshot?.problem == nil)
    #expect(reloaded.snapshot?.findings.count == 1)
    let other = try report(log(module("0xa00")), snapshot)
    #expect(
      other.snapshot?.problem
        == "process 4711 of the log is another one: its images were at other addresses"
    )
  }

  @Test("finds no object whose class or number is another one", arguments: [0, 1])
  func otherObject(change: Int) throws {
    var snapshot = SnapshotSample.snapshot
    if change == 0 {
      snapshot.numbered?[0].className = "Bank"
    } else {
      snapshot.numbered?[0].number = 99
    }
    let report = try report(SnapshotSample.log, snapshot)
    let held = report.snapshot?.findings.flatMap(\.held).map(\.object.description)
    #expect(held == ["Screen#3"])
  }

  @Test("leaves out the middle of a long path")
  func longPath() throws {
    var snapshot = SnapshotSample.snapshot
    // A list of 50 banks leads to the account.
    let count = snapshot.objects.count
    for number in 0..<50 {
      let edge = snapshot.edges.count
      snapshot.edges.append(
        HeapSnapshot.Edge(
          target: number == 49 ? 1 : count + number + 1,
          label: "next",
          isProven: true
        )
      )
      snapshot.objects.append(
        HeapSnapshot.Object(
          address: 0x10_000 + UInt64(number) * 64,
          byteCount: 64,
          classIndex: 0,
          edges: edge..<edge + 1
        )
      )
    }
    snapshot.roots[0].object = count
    let report = try report(SnapshotSample.log, snapshot)
    let path = try #require(report.snapshot?.findings.first?.held.first?.path)
    #expect(path.steps.count == 20)
    #expect(path.leftOutCount == 31)
    #expect(
      text(report).contains(
        "by global at 0x180 → " + String(repeating: "Bank.next → ", count: 10)
          + "… (31 more) … " + String(repeating: "Bank.next → ", count: 9) + "Account\n"
      )
    )
  }
}
