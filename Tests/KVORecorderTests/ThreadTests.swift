import Foundation
import KVOTrace
import KVOTraceBinary
import TestSupport
import Testing

@Suite("Threads that record")
struct ThreadTests {
  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder()
    path = folder.path("log")
  }

  private func read(_ command: String) throws -> LogReading {
    let probe = try DrivenChild(log: path)
    #expect(try probe.tell(command) == "done")
    try probe.tell("stop")
    #expect(try probe.end() == Child.Outcome())
    let log = try LogReading(path)
    #expect(log.problems == [])
    #expect(log.summary.isWhole)
    return log
  }

  @Test("leave all their events, each thread's in their order, and their names")
  func many() throws {
    let log = try read("threads 8 1 500")
    let writes = log.writes
    #expect(Set(writes.keys) == Set((1...8).map { "Thread\($0)" }))
    #expect(writes.values.allSatisfy { $0 == Array(1...500) })
    #expect(log.eventNames.filter { $0 == "process" }.count == 1)
    #expect(log.eventNames.filter { $0 == "threadName" }.count == 8)
    #expect(Set(log.eventNames) == ["process", "module", "threadName", "write"])
    #expect(log.orphanCount == 0)
    var times: [ThreadID: [UInt64]] = [:]
    for event in log.events {
      guard let thread = event.thread, let time = event.time else { continue }
      times[thread, default: []].append(time)
    }
    #expect(times.values.allSatisfy { $0 == $0.sorted() })
  }

  @Test("leave their events, a thousand at once")
  func thousandAtOnce() throws {
    let log = try read("threads 1000 1 3")
    #expect(log.writes.count == 1_000)
    #expect(log.writes.values.allSatisfy { $0 == [1, 2, 3] })
  }

  @Test("leave their events, ten thousand one after the other")
  func tenThousandInTurn() throws {
    let log = try read("turns 1 10000")
    #expect(log.ends == Array(1...10_000))
    let threads = Set(log.events.compactMap { $0.body.name == "registerEnd" ? $0.thread : nil })
    #expect(threads.count == 10_000)
  }

  @Test("leave what they record while they end, after their writer has ended")
  func ending() throws {
    let log = try read("ending 1 20")
    #expect(log.ends == Array(2...41))
    let threads = Set(log.events.compactMap { $0.body.name == "registerEnd" ? $0.thread : nil })
    #expect(threads.count == 20)
    #expect(log.eventNames.filter { $0 == "threadName" }.count <= 20)
  }

  // A handler may come at any instruction of the thread that it interrupts.
  @Test("leave every event, or count it, when a signal's handler records amid their records")
  func signalHandler() throws {
    let child = try Child("RecorderProbe", ["signals", path, "300", "1", "1000000000"])
    let outcome = try child.end()
    let counts = outcome.output.split { !$0.isNumber }.compactMap { UInt64($0) }
    try #require(counts.count == 2 && outcome.status == 0)
    let log = try LogReading(path)
    #expect(log.problems == [])
    let start: UInt64 = 1 << 32
    let ends = log.ends
    let ofThread = ends.filter { $0 < start }
    let ofHandler = ends.filter { $0 > start }.map { $0 - start }
    #expect(ofThread == Array(1...counts[0]))
    #expect(ofHandler == ofHandler.sorted() && Set(ofHandler).count == ofHandler.count)
    #expect(ofHandler.last ?? 0 <= counts[1])
    #expect(UInt64(ofHandler.count) + log.droppedCount == counts[1])
  }

  @Test("go on when a signal's handler begins the next part")
  func signalHandlerAndParts() throws {
    let outcome = try Child("RecorderProbe", ["signals", path, "300", "200000", "1048576"]).end()
    #expect(outcome.ending == .exit && outcome.status == 0)
    let log = try LogParts(path)
    #expect(log.problems == [])
    #expect(log.parts.count == 4)
    let ofThread = log.ends.filter { $0 < 1 << 32 }
    let first = try #require(ofThread.first)
    #expect(ofThread == Array(first..<first + UInt64(ofThread.count)))
  }

  @Test(
    "have stacks in a library that was loaded later, which is in the log",
    .enabled(if: Tool.hasCompiler, "needs gcc")
  )
  func lateLibrary() throws {
    let source = try folder.file("late.c", "void late(void (*body)(void)) { body(); body(); }")
    let library = folder.path("late.so")
    try Tool.run("/usr/bin/gcc", ["-O0", "-shared", "-fPIC", "-o", library, source])
    let probe = try DrivenChild(log: path)
    try probe.tell("named 1 10")
    let address = try #require(UInt64(try probe.tell("library \(library) late")))
    try probe.tell("stop")
    #expect(try probe.end() == Child.Outcome())
    let log = try LogReading(path)
    #expect(log.problems == [])
    #expect(log.orphanCount == 0)
    let module = try #require(log.modules.first { $0.path == library })
    #expect(module.contains(address))
    let stacks = log.events.suffix(2).map { log.names[$0.stack].map(\.address) }
    #expect(stacks.allSatisfy { $0.contains { address < $0 && $0 < address + 64 } })
    #expect(stacks.count == 2 && stacks[0] != stacks[1])
    #expect(Set(log.modules).count == log.modules.count)
  }
}
