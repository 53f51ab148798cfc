import Foundation
import KVOTrace
import KVOTraceBinary
import TestSupport
import Testing

@testable import KVORecorder

@Suite("A log in parts")
struct RotationTests {
  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder()
    path = folder.path("log")
  }

  private func isComplete(_ log: LogReading) -> Bool? {
    guard case .process(let process)? = log.events.first?.body else { return nil }
    return process.isComplete
  }

  /// What holds of every part, read alone.
  private func expectWhole(_ log: LogReading) {
    #expect(log.problems == [])
    #expect(isComplete(log) == (log.part == 1))
    #expect(log.modules.count > 3)
    #expect(log.orphanCount == 0)
    #expect(log.summary.isWhole)
    let times = log.events.filter { $0.thread != nil }.compactMap(\.time)
    #expect(times == times.sorted())
    _ = log.judge()
  }

  @Test("has the four newest parts, each whole in itself, and nothing missing between them")
  func fourParts() throws {
    let probe = try Child(
      "RecorderProbe",
      ["driven"],
      environment: ["KVO_SAFETY_LOG": path, "KVO_SAFETY_LOG_LIMIT": "1M"]
    )
    try probe.send("register 5\nplain 1 280000\nnamed 1 1\n")
    for _ in 0..<3 { #expect(try probe.line() == "done") }
    #expect(try probe.end() == Child.Outcome())
    let log = try LogParts(path)
    let last = try #require(log.numbers.last ?? nil)
    #expect(last > 4)
    #expect(log.numbers == (last - 3...last).map { $0 })
    #expect(try folder.names == ["log", "log.1", "log.2", "log.3"])
    for part in log.parts {
      expectWhole(part)
      #expect(part.liveNumbers == [5])
    }
    let ends = log.ends
    let first = try #require(ends.first)
    #expect(ends == Array(first...280_000))
    #expect(log.parts.last?.eventNames.suffix(2) == ["write", "exit"])
    for name in try folder.names {
      let byteCount = try Data(contentsOf: URL(fileURLWithPath: folder.path(name))).count
      #expect(byteCount < 512 << 10)
    }
  }

  @Test("lists the live registrations in each log file")
  func liveRegistrations() throws {
    let probe = try DrivenChild(log: path, limit: 1 << 20)
    var number: UInt64 = 0
    func advance(to part: Int) throws {
      while try Int(probe.tell("part")) ?? 0 < part {
        try probe.tell("plain \(number + 1) \(number + 1_000)")
        number += 1_000
      }
    }
    try probe.tell("register 1")
    try probe.tell("register 2")
    try advance(to: 2)
    try probe.tell("register 3")
    try advance(to: 3)
    try probe.tell("remove 1")
    try probe.tell("remove 3")
    try advance(to: 4)
    try probe.tell("plain \(number + 1) \(number + 1)")
    try probe.tell("stop")
    #expect(try probe.end() == Child.Outcome())
    let log = try LogParts(path)
    #expect(log.numbers == [1, 2, 3, 4])
    for part in log.parts { expectWhole(part) }
    #expect(log.parts.map { $0.liveNumbers.sorted() } == [[], [1, 2], [1, 2, 3], [2]])
    #expect(log.ends == Array(1...number + 1))
    let texts = log.parts.map { part in
      part.events.compactMap { event -> String? in
        switch event.body {
        case .register(let registration), .live(let registration):
          part.names[registration.keyPath]
        case .remove(let removal): part.names[removal.keyPath]
        default: nil
        }
      }.sorted()
    }
    #expect(
      texts == [
        ["path1", "path2"], ["path1", "path2", "path3"],
        ["path1", "path1", "path2", "path3", "path3"], ["path2"],
      ]
    )
  }

  @Test("keeps every thread's events in order when eight begin parts at once")
  func manyThreads() throws {
    let probe = try DrivenChild(log: path, limit: 1 << 20)
    #expect(try probe.tell("threads 8 1 4000") == "done")
    try probe.tell("stop")
    #expect(try probe.end() == Child.Outcome())
    let log = try LogParts(path)
    // How full a part is differs from run to run: threads that wait for a processor leave less room unused.
    #expect(log.parts.count > 2)
    for part in log.parts { expectWhole(part) }
    let writes = log.writes
    for (_, numbers) in writes {
      #expect(numbers == Array((numbers.first ?? 0)...4_000))
    }
    #expect(writes.count > 1)
  }

  @Test("begins a part where names alone have filled one")
  func namesAlone() throws {
    let probe = try DrivenChild(log: path, limit: 1 << 20)
    try probe.tell("plain 1 10")
    // Sixteen megabytes are kept for names beyond the events.
    #expect(try probe.tell("names 400000") == "done")
    #expect(try probe.tell("named 1 10") == "done")
    #expect(try probe.tell("part") == "2")
    try probe.tell("stop")
    #expect(try probe.end() == Child.Outcome())
    let log = try LogParts(path)
    for part in log.parts { expectWhole(part) }
    #expect(log.ends == Array(1...10))
    #expect(log.writes == ["Thread1": Array(1...10)])
  }
}
