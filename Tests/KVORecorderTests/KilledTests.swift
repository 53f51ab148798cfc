import Foundation
import KVOTrace
import TestSupport
import Testing

@Suite("A log whose program was killed", .serialized)
struct KilledTests {
  @Test("has every line but perhaps the last whole", arguments: 1...20 as ClosedRange<UInt64>)
  func killed(seed: UInt64) throws {
    let folder = try ScratchFolder()
    let path = folder.path("log")
    let child = try Child("KilledMidway", environment: ["KVO_SAFETY_LOG": path])
    #expect(try child.line() == "working")
    // A random moment: when the log has so many bytes.
    let byteCount = Int(seed &* 0x9e37_79b9_7f4a_7c15 % 1_000_000)
    var status = stat()
    while stat(path, &status) == 0, Int(status.st_size) < byteCount, child.isRunning {
      sched_yield()
    }
    child.kill(SIGKILL)
    let outcome = try child.end()
    #expect(outcome.ending == .signal)
    #expect(outcome.status == SIGKILL)

    let log = try LogReading(path)
    #expect(log.events.first?.body.name == "process")
    #expect(log.events.count == log.lineCount)
    #expect(log.problems.allSatisfy { $0.hasPrefix("\(log.lineCount + 1):") })
    #expect(log.problems.count <= 1)
    // Nothing is missing in between: the changes are numbered one after the other.
    let changes = log.events.compactMap { event -> UInt64? in
      guard case .willChange(let change) = event.body else { return nil }
      return change.id?.number
    }
    #expect(changes == changes.first.map { Array($0..<$0 + UInt64(changes.count)) } ?? [])
    #expect(byteCount < 50_000 || !changes.isEmpty)
  }
}
