import Foundation
import KVOTrace
import KVOTraceBinary
import TestSupport
import Testing

@Suite("A log whose process was killed")
struct KilledTests {
  /// How a process is made to end.
  enum End: CaseIterable {
    case kill, segmentationFault, abort, exit
  }

  struct Run: CustomStringConvertible {
    let end: End
    let threadCount: Int
    let isInParts: Bool
    var description: String { "\(end), \(threadCount) threads\(isInParts ? ", in parts" : "")" }
  }

  // Sanitizers make something else of the two signals between.
  private static let ends: [End] = Tool.isSanitized ? [.kill, .exit] : End.allCases

  private static let runs = ends.flatMap { end in
    [(1, false), (2, false), (3, false), (2, true)].map {
      Run(end: end, threadCount: $0.0, isInParts: $0.1)
    }
  }

  // Two hundred and eight in the long form.
  @Test("has every event that was recorded, whole and in order", arguments: runs)
  func killed(_ run: Run) throws {
    for seed in 1...(Rounds.areMany ? 13 : 3) as ClosedRange<UInt32> { try kill(run, seed: seed) }
  }

  private func kill(_ run: Run, seed: UInt32) throws {
    let folder = try ScratchFolder()
    let path = folder.path("log")
    let page = try folder.file("page", [UInt8](repeating: 0, count: 4096))
    // A moment without a pattern, and up to forty milliseconds for a log that has to have parts.
    let delay = seed &* 2_654_435_761 % (run.isInParts ? 40_000 : 5_000)
    let child = try Child(
      "RecorderProbe",
      ["killed", page, "\(run.threadCount)"] + (run.end == .exit ? ["\(delay)"] : []),
      environment: [
        "KVO_SAFETY_LOG": path, "SWIFT_BACKTRACE": "enable=no",
        "KVO_SAFETY_LOG_LIMIT": run.isInParts ? "1M" : "",
      ]
    )
    while try acknowledged(page)[0] == 0, child.isRunning { usleep(200) }
    usleep(delay)
    switch run.end {
    case .kill: child.kill(SIGKILL)
    case .segmentationFault: child.kill(SIGSEGV)
    case .abort: child.kill(SIGABRT)
    case .exit: break
    }
    let outcome = try child.end()
    switch run.end {
    case .kill: #expect(outcome.ending == .signal && outcome.status == SIGKILL)
    case .segmentationFault: #expect(outcome.ending == .signal && outcome.status == SIGSEGV)
    case .abort: #expect(outcome.ending == .signal && outcome.status == SIGABRT)
    case .exit: #expect(outcome.ending == .exit && outcome.status == 3)
    }
    try expectWhole(LogParts(path), acknowledged(page), run, seed)
  }

  private func acknowledged(_ page: String) throws -> [UInt64] {
    try Data(contentsOf: URL(fileURLWithPath: page)).withUnsafeBytes {
      $0.bindMemory(to: UInt64.self).map { $0 }
    }
  }

  private func expectWhole(
    _ log: LogParts,
    _ acknowledged: [UInt64],
    _ run: Run,
    _ seed: UInt32
  ) throws {
    #expect(!log.parts.isEmpty, "\(seed)")
    for part in log.parts {
      // A record that was being written may be there in part: that is said, and costs no other.
      #expect(
        part.problems.allSatisfy { $0.message.hasSuffix("ends in the middle of a record") },
        "\(seed): \(part.problems)"
      )
      #expect(part.problems.count <= run.threadCount + 1)
      #expect(part.summary.stringlessEventCount == 0)
      #expect(part.summary.stacklessEventCount == 0)
      #expect(part.summary.partSegmentCount == 0)
      #expect(part.summary.lostSegmentCount == 0)
      // The newest part may have come to no more than its head, and a crash.
      #expect(
        part.eventNames.first == "process" || part.writes.isEmpty && log.parts.count > 1,
        "\(seed): \(part.eventNames.prefix(5))"
      )
      _ = part.judge()
    }
    let writes = log.writes
    for thread in 0..<run.threadCount {
      let numbers = writes["Thread\(thread)"] ?? []
      let last = acknowledged[thread]
      // The one after the last may be there: its acknowledgement was not.
      #expect(last == 0 || numbers.last == last || numbers.last == last + 1, "\(seed)")
      let first = run.isInParts ? numbers.first ?? 1 : 1
      #expect(numbers == Array(first..<first + UInt64(numbers.count)), "\(seed)")
    }
    #expect(run.isInParts || log.parts.count == 1)
  }
}
