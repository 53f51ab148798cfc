import Foundation
import KVOTrace
import KVOTraceBinary
import TestSupport
import Testing

// `KVO_SAFETY_CRASHES=1000` crashes so often at each limit.
@Suite("A crash while the log rotates", .serialized, .enabled(if: !Tool.isSanitized))
struct RotatedCrashTests {
  private static let runCount =
    ProcessInfo.processInfo.environment["KVO_SAFETY_CRASHES"].flatMap { UInt64($0) } ?? 4

  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Runs the probe; how many crash records remain, and what is wrong with the parts.
  private func crash(
    limit: Int,
    run: UInt64 = 1,
    delay: Int,
    backtrace: String = "enable=no"
  ) throws -> (Int, [BinaryLogProblem]) {
    let path = folder.path("log")
    for name in try folder.names { try FileManager.default.removeItem(atPath: folder.path(name)) }
    let outcome = try Child(
      "RecorderProbe",
      ["crashes", path, String(limit), "8", String(1 + run * 997 % 20_000), String(delay)],
      environment: ["SWIFT_BACKTRACE": backtrace]
    ).end()
    #expect(CrashReading.Ending(outcome) == .init(.signal, SIGSEGV))
    let log = try LogParts(path)
    let count = log.parts.reduce(0) { count, part in
      count + part.events.count { if case .crash = $0.body { true } else { false } }
    }
    // What another thread was writing as the process ended is there in part, which is said.
    return (count, log.problems.filter { !$0.message.hasSuffix("ends in the middle of a record") })
  }

  // A handler of the program lets the other threads go on for a tenth of a second.
  @Test("is in what remains of the log", arguments: [1 << 20, 3 << 20], [0, 100_000])
  func remains(limit: Int, delay: Int) throws {
    for run in 0..<Self.runCount {
      let (count, problems) = try crash(limit: limit, run: run, delay: delay)
      #expect(count == 1, "run \(run)")
      #expect(problems == [], "run \(run)")
    }
  }

  // Which runs for a second or more, and lets the other threads go on before and after it.
  @Test("is there after Swift's own crash report")
  func remainsAfterBacktrace() throws {
    let backtrace = "enable=yes,interactive=no,color=no,output-to=\(folder.path("report"))"
    let (count, problems) = try crash(limit: 1 << 20, delay: 0, backtrace: backtrace)
    #expect(count == 1)
    #expect(problems == [])
  }

  @Test("that the program survives keeps the log from rotating until its thread records again")
  func survived() throws {
    let path = folder.path("log")
    let probe = try DrivenChild()
    try probe.tell("survive")
    try probe.tell("start \(path) \(1 << 20)")
    try probe.tell("plain 1 10")
    #expect(try probe.tell("raise") == "done")
    // Some hundred kilobytes more than a part has.
    #expect(try probe.tell("threads 2 1 5000") == "done")
    #expect(try probe.tell("part") == "1")
    try probe.tell("plain 11 11")
    #expect(try probe.tell("part") == "2")
    try probe.tell("stop")
    #expect(try probe.end() == Child.Outcome())
    let log = try LogParts(path)
    #expect(log.numbers == [1, 2])
    #expect(log.problems == [])
    #expect(log.ends == Array(1...11))
    #expect(log.writes.values.map(\.count) == [5_000, 5_000])
    #expect(log.parts.map { $0.eventNames.count { $0 == "crash" } } == [1, 0])
  }
}
