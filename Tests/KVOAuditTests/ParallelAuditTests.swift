import Foundation
import KVOAudit
import KVOReports
import KVORules
import KVOTrace
import TestSupport
import Testing

@Suite("An audit of many inputs") struct ParallelAuditTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Logs of all lengths: with findings that others have too, with their own, damaged and unreadable.
  private func inputs() throws -> [AuditInput] {
    try (0..<40).map { number in
      let name = "\(number).jsonl"
      switch number % 8 {
      case 0: return .file(path: folder.url.path + "/none-\(number)")
      case 1: return .file(path: try folder.file(name, "no log"))
      case 2: return .file(path: try folder.file(name, LogText.exit + "broken\n"))
      case 3:
        let text = (0..<Rounds.count(20)).map { LogText.doubleRemove(process: $0) }.joined()
        return .file(path: try folder.file(name, text + LogText.exit))
      case 4:
        let text = LogText.doubleRemove(process: 1)
          .replacing("Screen.deinit", with: "Screen.end\(number)()")
        return .file(path: try folder.file(name, text))
      case 5:
        let dropped = #"{"event":"dropped","count":\#(number)}"# + "\n"
        return .file(path: try folder.file(name, dropped + LogText.doubleRemove(process: nil)))
      case 6:
        return .file(path: try folder.file(name, LogText.exit + #"{"event":"process","schema":9}"#))
      default: return .events([Event(.exit(status: 0))], names: TraceNames(), label: name)
      }
    }
  }

  private func text(_ report: AuditReport) -> String {
    String(decoding: JSONReportRenderer().render(report), as: UTF8.self)
      + String(decoding: TextReportRenderer().render(report), as: UTF8.self)
      + report.failures.map { "\($0)\n" }.joined()
  }

  @Test("have the same result as sequential audits", arguments: [2, 3, 8, 40])
  func sameReport(workerCount: Int) throws {
    let inputs = try inputs()
    let serial = Audit(workerCount: 1).report(on: inputs)
    #expect(serial.failures.count == 15)
    #expect(serial.inputs.count == 25)
    #expect(serial.findings.count > 5)
    for _ in 0..<Rounds.count(2) {
      let parallel = Audit(workerCount: workerCount).report(on: inputs)
      #expect(text(parallel) == text(serial))
    }
    #expect(text(Audit().report(on: inputs)) == text(serial))
  }

  @Test("says the same of a large log that one thread reads and another judges")
  func largeLog() throws {
    // Each process needs the names when it ends, and a damaged line is passed on between events.
    let processes = (0..<3_200).map { LogText.doubleRemove(process: $0) }
    let text = processes[..<3_000].joined() + "broken\n" + processes[3_000...].joined()
    let path = try folder.file("large.jsonl", text)
    let serial = Audit(workerCount: 1).report(on: [.file(path: path)])
    #expect((serial.inputs.first?.eventCount ?? 0) > 19_000)
    #expect(serial.findings.contains { $0.count > 3_000 })
    for _ in 0..<Rounds.count(1) {
      let parallel = Audit(workerCount: 2).report(on: [.file(path: path)])
      #expect(self.text(parallel) == self.text(serial))
    }
  }

  @Test("fails as one thread does if a large log cannot be read on")
  func largeRefusedLog() throws {
    let processes = (0..<3_200).map { LogText.doubleRemove(process: $0) }
    let text = processes.joined() + #"{"event":"process","schema":9}"# + "\n"
    let path = try folder.file("refused.jsonl", text)
    let serial = Audit(workerCount: 1).report(on: [.file(path: path)])
    #expect(serial.failures.count == 1)
    let parallel = Audit(workerCount: 2).report(on: [.file(path: path)])
    #expect(self.text(parallel) == self.text(serial))
  }

  @Test("reports its progress by one thread at a time, and of every input that it reads")
  func progress() throws {
    // Not guarded: an audit that called from two threads at a time would be seen by the sanitizer, and
    // would lose labels here.
    var calls: [String: Int] = [:]
    var isInside = false
    let report = Audit(workerCount: 8).report(on: try inputs()) { label, read, _ in
      #expect(!isInside)
      isInside = true
      calls[label, default: 0] += read > 0 ? 1 : 0
      isInside = false
    }
    let files = report.inputs.filter { $0.kind != .memory }.map(\.path)
    #expect(Set(files).isSubset(of: calls.keys))
  }

  @Test("of nothing is an empty report")
  func nothing() {
    #expect(text(Audit().report(on: [])) == text(AuditReport()))
  }
}
