import BenchmarkDriver
import Foundation
import KVOAudit
import KVORules
import KVOTrace
import KVOTraceJSON

/// Reads and judges logs, and writes those to read.
///
/// Cases:
/// - `write-json <live> <file>`: a log of at least the number of events, of ``EventSource``.
/// - `write-binary <live> <file>`: the same events, written by this process's recorder.
/// - `rules <live>`: the ordering of events and all rules, for events in memory.
/// - `order <shape>`: the same for events that were written in another order, of
///   ``OrderedEvents/Shape``.
/// - `read-json <file>`: only the reader, for as many lines from the start of the file as there are
///   operations.
/// - `audit-json <file>`: the whole pipeline, from a file of as many lines to the report.
/// - `audit-removed once|twice`: the same, for a log of ``RemovedLog``.
/// - `read-binary <file>`: only the reader, for the whole file.
/// - `audit-binary <file>`: the whole pipeline, from the whole file to the report.
/// - `audit-alone <file>`: the same, for a file of either form, by one thread: how often two of them wait for each
///   other, and then work differently, depends on what else the machine does.
/// - `elapsed <workers> <file>`: as `audit-binary`, by so many workers at most, in the time that passes.
/// - `foundation <file>`: JSONSerialization on as many lines, the peer of the reader.
@main
enum ReplayDriver {
  static func main() throws {
    let run = MeasuredRun()
    switch (run.name, run.rest.first, run.rest.dropFirst().first) {
    case ("write-json", let live?, let path?):
      try LogMaker.writeJSON(run, live: Int(live) ?? 1, path: path)
    case ("write-binary", let live?, let path?):
      try LogMaker.record(run, live: Int(live) ?? 1, path: path)
    case ("rules", let live?, nil): JudgedEvents.measure(run, live: Int(live) ?? 1)
    case ("order", let shape?, nil):
      guard let shape = OrderedEvents.Shape(rawValue: shape) else {
        MeasuredRun.fail("no shape \"\(shape)\"", status: 64)
      }
      OrderedEvents.measure(run, shape)
    case ("read-json", let path?, nil): try readJSON(run, path)
    case ("audit-json", let path?, nil): try auditJSON(run, path)
    case ("audit-removed", "once"?, nil): try RemovedLog.measure(run, isFaulty: false)
    case ("audit-removed", "twice"?, nil): try RemovedLog.measure(run, isFaulty: true)
    case ("read-binary", let path?, nil): readBinary(run, path)
    case ("audit-binary", let path?, nil): audit(run, path)
    case ("audit-alone", let path?, nil): audit(run, path, workerCount: 1)
    case ("elapsed", let workers?, let path?):
      audit(run, path, workerCount: Int(workers) ?? 1, isElapsed: true)
    case ("foundation", let path?, nil): try parse(run, path)
    default: MeasuredRun.fail("no case \"\(run.name)\" with these arguments", status: 64)
    }
  }

  private static func readJSON(_ run: MeasuredRun, _ path: String) throws {
    let bytes = [UInt8](try lines(run, of: path))
    var count = 0
    run.measure {
      let reader = JSONLinesReader()
      reader.read(bytes[...], event: { _, _ in count += 1 }, problem: { _ in })
      reader.finish(event: { _, _ in count += 1 }, problem: { _ in })
    }
    check(count, run)
  }

  private static func auditJSON(_ run: MeasuredRun, _ path: String) throws {
    let part = "\(run.scratch)/part.jsonl"
    try lines(run, of: path).write(to: URL(filePath: part))
    audit(run, part)
  }

  private static func readBinary(_ run: MeasuredRun, _ path: String) {
    var count = 0
    run.measure {
      let reading = try? LogSource(.file(path: path)).read { content, _ in
        if case .events(let events, _) = content { count += events.count }
      }
      if reading?.problemCount != 0 { count = 0 }
    }
    check(count, run)
  }

  private static func audit(
    _ run: MeasuredRun,
    _ path: String,
    workerCount: Int? = nil,
    isElapsed: Bool = false
  ) {
    var report = AuditReport()
    func work() { report = Audit(workerCount: workerCount).report(on: [.file(path: path)]) }
    if isElapsed { run.measureElapsed(work) } else { run.measure(work) }
    check(report.inputs.first?.eventCount ?? 0, run)
    guard report.findings.isEmpty, report.summary.droppedEventCount == 0 else {
      MeasuredRun.fail("\(report.findings.count) findings in a log without a fault")
    }
  }

  private static func parse(_ run: MeasuredRun, _ path: String) throws {
    let data = try lines(run, of: path)
    var count = 0
    run.measure {
      for line in data.split(separator: 0x0a) {
        if let object = try? JSONSerialization.jsonObject(with: line) as? [String: Any],
          object["event"] is String
        {
          count += 1
        }
      }
    }
    check(count, run)
  }

  /// As many lines from the start of the file as there are operations.
  private static func lines(_ run: MeasuredRun, of path: String) throws -> Data {
    let data = try Data(contentsOf: URL(filePath: path))
    var byteCount = 0
    data.withUnsafeBytes { bytes in
      for _ in 0..<run.operationCount {
        guard byteCount < bytes.count, let base = bytes.baseAddress,
          let end = memchr(base + byteCount, 0x0a, bytes.count - byteCount)
        else { MeasuredRun.fail("\(path) has fewer lines than \(run.operationCount)") }
        byteCount = UnsafeRawPointer(end) - base + 1
      }
    }
    return data.prefix(byteCount)
  }

  /// A figure for a different number of events would be wrong.
  private static func check(_ count: Int, _ run: MeasuredRun) {
    guard count == run.operationCount else {
      MeasuredRun.fail("\(count) events where there are \(run.operationCount)")
    }
  }
}
