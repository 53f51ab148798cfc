import BenchmarkDriver
import Foundation
import Glibc
import KVOAudit
import KVORules
import KVOTrace
import KVOTraceJSON

/// Reads and judges logs, and writes those that are read.
///
/// Cases:
/// - `write-json <live> <file>`: a log of at least that many events, of ``EventSource``.
/// - `rules <live>`: the sequencer and all rules over events in memory; they are made in blocks while
///   the clock stands.
/// - `read-json <file>`: the reader alone, over as many lines from the start of the file as there are
///   operations.
/// - `audit <file>`: the whole pipeline, from a file of as many lines to the report.
/// - `foundation <file>`: JSONSerialization on as many lines, the peer of the reader.
@main
enum ReplayDriver {
  static func main() throws {
    let run = MeasuredRun()
    switch (run.name, run.rest.first) {
    case ("write-json", let live?) where run.rest.count == 2:
      try writeJSON(run, live: Int(live) ?? 1, path: run.rest[1])
    case ("rules", let live?): judge(run, live: Int(live) ?? 1)
    case ("read-json", let path?): try readJSON(run, path)
    case ("audit", let path?): try audit(run, path)
    case ("foundation", let path?): try parse(run, path)
    default: MeasuredRun.fail("no case \"\(run.name)\" with these arguments", status: 64)
    }
  }

  private static func writeJSON(_ run: MeasuredRun, live: Int, path: String) throws {
    guard let file = fopen(path, "w") else { MeasuredRun.fail("cannot write \(path)") }
    var source = EventSource(liveCount: live)
    let names = source.names
    var line: [UInt8] = []
    var count = 0
    func write(_ event: Event) {
      line.removeAll(keepingCapacity: true)
      JSONLinesWriter.append(event, names: names, to: &line)
      guard fwrite(line, 1, line.count, file) == line.count else {
        MeasuredRun.fail("cannot write \(path)")
      }
      count += 1
    }
    source.begin(write)
    while count < run.operationCount { source.next(write) }
    guard fclose(file) == 0 else { MeasuredRun.fail("cannot write \(path)") }
    print("events=\(count)")
  }

  private static func judge(_ run: MeasuredRun, live: Int) {
    var source = EventSource(liveCount: live)
    var sequencer = EventSequencer()
    var engine = RuleEngine()
    var verdictCount = 0
    var number = 0
    func judge(_ events: [Event]) {
      for event in events {
        number += 1
        sequencer.push(event, number: number) { event, number in
          verdictCount += engine.consume(event, number: number).count
        }
      }
    }
    var block: [Event] = []
    source.begin { event in
      block.append(event)
      if block.count == blockCount {
        judge(block)
        block.removeAll(keepingCapacity: true)
      }
    }
    judge(block)
    var spent: UInt64 = 0
    var left = run.operationCount
    while left > 0 {
      block.removeAll(keepingCapacity: true)
      while block.count < min(left, blockCount) { source.next { block.append($0) } }
      block.removeLast(max(0, block.count - left))
      let before = MeasuredRun.nanoseconds(CLOCK_THREAD_CPUTIME_ID)
      judge(block)
      spent += MeasuredRun.nanoseconds(CLOCK_THREAD_CPUTIME_ID) - before
      left -= block.count
    }
    guard verdictCount == 0, engine.liveRegistrationCount >= live - 1 else {
      MeasuredRun.fail("\(verdictCount) verdicts on a log without a fault")
    }
    run.report(threadNanoseconds: spent, processNanoseconds: spent)
  }

  private static let blockCount = 1 << 16

  private static func readJSON(_ run: MeasuredRun, _ path: String) throws {
    let bytes = [UInt8](try lines(run, of: path))
    var count = 0
    run.measure {
      let reader = JSONLinesReader()
      reader.read(bytes[...]) { _, content in
        if case .event = content { count += 1 }
      }
      reader.finish { _, _ in }
    }
    check(count, run)
  }

  private static func audit(_ run: MeasuredRun, _ path: String) throws {
    let part = "\(run.scratch)/part.jsonl"
    try lines(run, of: path).write(to: URL(filePath: part))
    var report = AuditReport()
    run.measure { report = Audit().report(on: [.file(path: part)]) }
    check(report.inputs.first?.eventCount ?? 0, run)
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

  /// A figure for other events than were asked for would be wrong.
  private static func check(_ count: Int, _ run: MeasuredRun) {
    guard count == run.operationCount else {
      MeasuredRun.fail("\(count) events where there are \(run.operationCount)")
    }
  }
}
