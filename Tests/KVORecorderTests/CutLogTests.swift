import Foundation
import KVOTrace
import KVOTraceBinary
import TestSupport
import Testing

@Suite("A log of which something is missing")
struct CutLogTests {
  /// The bytes of a log up to an offset, or with a page of zeros.
  private struct Damaged: BinaryLogBytes {
    let bytes: [UInt8]
    var byteCount: Int
    var zeros = 0..<0

    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
      let range = min(offset, byteCount)..<min(offset + buffer.count, byteCount)
      bytes[range].withUnsafeBytes { buffer.copyMemory(from: $0) }
      for place in range.clamped(to: zeros) { buffer[place - offset] = 0 }
      return range.count
    }
  }

  enum End: CaseIterable {
    case exit, kill, crash
  }

  /// The log of four threads whose process ended so.
  private func log(_ end: End) throws -> [UInt8] {
    let folder = try ScratchFolder()
    let path = folder.path("log")
    let probe = try DrivenChild(log: path)
    try probe.tell("named 1 60")
    try probe.tell("threads 3 1 300")
    switch end {
    case .exit: break
    case .kill: probe.child.kill(SIGKILL)
    case .crash:
      probe.child.kill(SIGSEGV)
      // Any thread may receive the signal, and none may be requested to end before.
      probe.child.waitUntilExit()
    }
    _ = try probe.end()
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  private func summary(of log: Damaged) -> BinaryLogSummary {
    let reader = BinaryLogReader(log)
    var events: [Event] = []
    while reader.next(into: &events) != .end {}
    return reader.summary
  }

  @Test(
    "has the reason for its end",
    arguments: Tool.isSanitized ? [End.exit, .kill] : End.allCases
  )
  func end(_ end: End) throws {
    let bytes = try log(end)
    let found = summary(of: Damaged(bytes: bytes, byteCount: bytes.count))
    #expect(found.cutAt == nil)
    #expect(found.lostSegmentCount == 0 && found.partSegmentCount == 0)
    switch end {
    case .exit: #expect(found.end == .stopped)
    case .kill: #expect(found.end == BinaryFileHeader.End.none)
    case .crash: #expect(found.end == .crashed)
    }
  }

  // `KVO_SAFETY_CUTS=10` cuts ten logs at every byte of their end.
  private static let logCount =
    ProcessInfo.processInfo.environment["KVO_SAFETY_CUTS"].flatMap { Int($0) } ?? 0

  @Test("is detected", arguments: [End.exit, .kill], 0...max(0, logCount / 2 - 1))
  func cut(_ end: End, number: Int) throws {
    let bytes = try log(end)
    let length = Int(try #require(BinaryFileHeader(bytes: bytes)?.account).length)
    #expect(length > 4096 && length <= bytes.count)
    let borders = stride(from: 4096, to: length, by: 4096)
    let step = Self.logCount > 0 ? 1 : 211
    let tail = stride(from: max(4096, length - (64 << 10)), to: length, by: step)
    for cut in borders.flatMap({ [$0 - 1, $0, $0 + 1] }) + Array(tail) + [length - 1] {
      let reader = BinaryLogReader(Damaged(bytes: bytes, byteCount: cut))
      #expect(reader.summary.cutAt == cut)
    }
    // What was never written is not missing.
    for cut in [length, bytes.count] {
      let reader = BinaryLogReader(Damaged(bytes: bytes, byteCount: cut))
      #expect(reader.summary.cutAt == nil)
    }
  }

  @Test("with an empty page is detected, whatever it contained", arguments: [End.exit, .kill])
  func emptied(_ end: End) throws {
    let bytes = try log(end)
    let whole = summary(of: Damaged(bytes: bytes, byteCount: bytes.count))
    #expect(whole.isWhole)
    var emptiedCount = 0
    for start in stride(from: 4096, to: bytes.count, by: 4096) {
      let page = start..<min(start + 4096, bytes.count)
      guard bytes[page].contains(where: { $0 != 0 }) else { continue }
      emptiedCount += 1
      let found = summary(of: Damaged(bytes: bytes, byteCount: bytes.count, zeros: page))
      // A thread that was killed while it wrote has left bytes that no record counts yet.
      let isUncounted =
        end == .kill && found.eventCount == whole.eventCount && found.stringlessEventCount == 0
      #expect(!found.isWhole || isUncounted, "byte \(start)")
    }
    #expect(emptiedCount > 1)
  }
}
