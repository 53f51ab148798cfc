import Foundation
import KVOAudit
import KVOFindings
import KVOReports
import KVORules
import KVOTrace
import TestSupport
import Testing

@Suite("The report of a log that ends in a crash") struct CrashReportTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private static let log =
    LogText.threadName + """
      {"event":"register","thread":1,"subject":{"class":"Account","id":"12"},"keyPath":"balance","registration":5,"form":"token"}
      {"event":"registerEnd","thread":1,"registration":5}
      {"event":"crash","thread":1,"signal":"SIGSEGV","reason":"access to 0x10","live":1,"stack":["Screen.show() (Screen.swift:41)","main (main.swift:6)"]}
      {"event":"live","subject":{"class":"Account","id":"12"},"keyPath":"balance","registration":5,"form":"token"}

      """

  private func report(_ logs: [String]) throws -> AuditReport {
    let inputs = try logs.enumerated().map { number, text in
      AuditInput.file(path: try folder.file("\(number).jsonl", text))
    }
    return Audit().report(on: inputs)
  }

  private func text(_ report: AuditReport) -> String {
    String(decoding: TextReportRenderer().render(report), as: UTF8.self)
      .replacing(folder.url.path + "/", with: "")
  }

  @Test("reports the crash with its stack, beside the findings, and not as one of them")
  func text() throws {
    let report = try report([Self.log])
    #expect(
      text(report) == """
        CRASHED: SIGSEGV, access to 0x10, on thread 1 (main), with 1 observation live
          > #0 Screen.show()   Screen.swift:41
            #1 main            main.swift:6

        NOT JUDGED, which is not clean:
          KVO008–KVO010, KVO017, KVO027, KVO039: no notify events in this log
          KVO011, KVO012, KVO024, KVO032: no changes in this log
          KVO013: no prior notifications in this log
          KVO014: no write events in this log
          KVO015, KVO016: no attach events in this log
          KVO018: no registration in this log says its site or its stack
          KVO019: no hold events in this log
          KVO021: no scope ended in this log
          KVO022: no scope was run three times in this log
          KVO023: no registration in this log says its executor
          KVO025: no removeEnd events in this log
          KVO026: no lock events in this log
          KVO028: no declares events in this log
          KVO030: no class events in this log

        SUMMARY: 0 errors, 0 warnings in 5 events from 1 process (1 observation live at the end)

        """
    )
    #expect(report.findings.isEmpty)
    // Not clean all the same.
    #expect(report.hasFindings(atLeast: .error))
  }

  @Test("of several logs names the one that crashed, and has its index in JSON")
  func severalLogs() throws {
    let clean = LogText.threadName + LogText.exit
    let report = try report([clean, Self.log, clean])
    var crash = RecordedCrash(
      name: "SIGSEGV",
      reason: "access to 0x10",
      liveCount: 1,
      stack: try #require(report.crashes.first).stack,
      input: 1
    )
    crash.findingCount = 0
    #expect(report.crashes == [crash])
    #expect(
      text(report).split(separator: "\n").prefix(4) == [
        "CRASHED: SIGSEGV, access to 0x10, on thread 1 (main), with 1 observation live",
        "  > #0 Screen.show()   Screen.swift:41",
        "    #1 main            main.swift:6",
        "  Log: 1.jsonl",
      ]
    )
  }

  @Test("escapes control sequences, and omits what the log does not have")
  func hostile() throws {
    let log = #"{"event":"crash","exception":"\u001b[2Jbad","reason":"a\nb"}"# + "\n"
    let lines = try text(report([log])).split(separator: "\n")
    #expect(lines.prefix(2) == [#"CRASHED: \u{1b}[2Jbad, a\nb"#, "    (no stack, event 1)"])
    let silent = try text(report([#"{"event":"crash"}"# + "\n"])).split(separator: "\n")
    #expect(silent.prefix(2) == ["CRASHED: crash", "    (no stack, event 1)"])
  }

  @Test("is silent about a log that ends in order")
  func silentTwin() throws {
    let log = LogText.doubleRemove(process: 1) + LogText.exit
    #expect(try report([log]).crashes == [])
  }
}
