import Foundation
import KVOTrace
import KVOTraceBinary
import TestSupport
import Testing

@Suite("The independent reader in Documentation") struct IndependentReaderTests {
  private static let script = ProgramRun.package.appending(path: "Documentation/read_kvolog.py")

  private static let python = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// What the script prints of `log`, and what it complains of.
  private func read(_ log: [UInt8]) throws -> ProgramRun {
    let folder = try ScratchFolder()
    let path = try folder.file("a.kvolog", log)
    return try ProgramRun(URL(filePath: #require(Self.python)), [Self.script.path, path])
  }

  @Test(
    "makes the same lines of random logs, byte for byte",
    .enabled(if: python != nil, "python3 is missing: install python3-minimal"),
    arguments: 0..<20 as Range<UInt64>
  )
  func randomLogs(seed: UInt64) throws {
    var source = RandomEvents(seed: seed)
    let events = (0..<10 * RandomEvents.bodyCount).map {
      source.event(kind: $0 % RandomEvents.bodyCount)
    }
    let log = BinaryReading.log(events, names: source.names, segmentByteCount: 4096)
    let own = BinaryReading(log)
    #expect(own.events.count == events.count)
    let other = try read(log)
    #expect(other.complaint == "")
    #expect(other.output == String(decoding: own.lines, as: UTF8.self))
  }

  @Test(
    "merges threads and turns ticks into times as ours does",
    .enabled(if: python != nil, "python3 is missing: install python3-minimal"),
    arguments: 0..<10 as Range<UInt64>
  )
  func threads(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var log = ThreadedLog()
    log.lostCount = 3
    log.start = BinaryFileHeader.Moment(tick: 1000, nanoseconds: 77)
    log.addTable([Event(.process(ProcessInfo(pid: 7)))])
    for _ in 0..<30 {
      let times = (0..<20).map { _ in UInt64.random(in: 0...5000, using: &random) }
      let end: ThreadedLog.End = [.sealed, .open, .counted].randomElement(using: &random) ?? .open
      log.add(thread: UInt64.random(in: 0..<5, using: &random), at: times, end: end)
    }
    let own = BinaryReading(log.bytes)
    #expect(own.problems == [])
    let other = try read(log.bytes)
    #expect(other.complaint == "")
    #expect(other.output == String(decoding: own.lines, as: UTF8.self))
  }
}
