import BenchmarkDriver
import Foundation
import KVOAudit
import KVORules

/// A log in which each registration is removed on the next line, once or, as a fault, twice.
///
/// One call site registers them all, on one object, so that a log with a fault has one finding
/// regardless of its length.
enum RemovedLog {
  /// Audits a log of as many lines as there are operations.
  static func measure(_ run: MeasuredRun, isFaulty: Bool) throws {
    let path = "\(run.scratch)/removed.jsonl"
    let lines = [
      line("register", "Screen.swift:12 show()"), line("remove", "Screen.swift:30 hide()"),
      line("remove", "Screen.swift:40 deinit"),
    ]
    let period = isFaulty ? 3 : 2
    var text = ""
    for index in 0..<run.operationCount { text += lines[index % period] }
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    var report = AuditReport()
    run.measure { report = Audit().report(on: [.file(path: path)]) }
    let expected = isFaulty ? run.operationCount / period : 0
    guard report.inputs.first?.eventCount == run.operationCount,
      report.findings.reduce(0, { $0 + $1.count }) == expected
    else { MeasuredRun.fail("\(report.findings.count) findings in \(report.inputs)") }
  }

  private static func line(_ event: String, _ site: String) -> String {
    #"{"event":"\#(event)","subject":{"class":"Account","id":"a"},"observer":{"class":"Screen","id":"s"},"#
      + #""keyPath":"balance","site":"\#(site)"}"# + "\n"
  }
}
