import Foundation
import KVOTrace
import TestSupport
import Testing

@Suite(
  "A log across forks",
  .enabled(if: !Tool.hasThreadSanitizer, "ThreadSanitizer ends a child that starts a thread")
)
struct ForkTests {
  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder()
    path = folder.path("log")
  }

  /// Runs a mode of the probe; returns the processes that it reports, in order.
  private func run(_ way: String) throws -> [(kind: Substring, id: String)] {
    let outcome = try Child("RecorderProbe", ["fork", way, path]).end()
    #expect(outcome.ending == .exit && outcome.status == 0 && outcome.complaint == "")
    return outcome.output.split(separator: "\n").map { line in
      let words = line.split(separator: " ")
      #expect(words.count < 3 || words[2] == "0", "\(line)")
      return (words[0], String(words[1]))
    }
  }

  private func pid(of log: LogReading) -> String? {
    guard case .process(let process)? = log.events.first?.body else { return nil }
    return process.pid.map(String.init)
  }

  private func expectParent(_ id: String?, threads: Int = 0) throws {
    let log = try LogReading(path)
    #expect(log.problems == [])
    #expect(pid(of: log) == id)
    #expect(log.writes["Thread0"] == [1, 2])
    #expect(log.writes.count == 1 + threads)
    #expect(log.eventNames.last == "exit")
  }

  private func expectChild(_ name: String, _ id: String?, _ numbers: [UInt64]) throws {
    let log = try LogReading(folder.path(name))
    #expect(log.problems == [])
    #expect(pid(of: log) == id)
    #expect(log.liveNumbers == [1])
    #expect(log.writes == ["Thread0": numbers])
    #expect(log.orphanCount == 0 && !log.modules.isEmpty)
    guard case .process(let process)? = log.events.first?.body else { return }
    #expect(!process.isComplete)
    _ = log.judge()
  }

  @Test(
    "is the parent's own, and the child that records has its own",
    arguments: ["records", "records-bare", "ends", "ends-bare"]
  )
  func childThatRecords(way: String) throws {
    let processes = try run(way)
    #expect(processes.map(\.kind) == ["child", "parent"])
    try #require(processes.count == 2)
    #expect(try folder.names == ["log", "log.\(processes[0].id)"])
    try expectParent(processes[1].id)
    try expectChild("log.\(processes[0].id)", processes[0].id, [11])
  }

  @Test("is not there for a child that records nothing", arguments: ["exits", "is-silent"])
  func silentChild(way: String) throws {
    let processes = try run(way)
    #expect(processes.map(\.kind) == ["child", "parent"])
    try #require(processes.count == 2)
    #expect(try folder.names == ["log"])
    try expectParent(processes[1].id)
  }

  @Test("is not that of a child whose parent has ended")
  func orphan() throws {
    let processes = try run("outlives")
    #expect(processes.map(\.kind) == ["parent", "child"])
    try #require(processes.count == 2)
    #expect(try folder.names == ["log", "log.\(processes[1].id)"])
    try expectParent(processes[0].id)
    try expectChild("log.\(processes[1].id)", processes[1].id, [11])
  }

  @Test("is a third one for a child's child")
  func grandchild() throws {
    let processes = try run("has-grandchild")
    #expect(processes.map(\.kind) == ["child", "child", "parent"])
    try #require(processes.count == 3)
    #expect(try folder.names == (["log"] + processes.prefix(2).map { "log.\($0.id)" }.sorted()))
    try expectParent(processes[2].id)
    try expectChild("log.\(processes[0].id)", processes[0].id, [21])
    try expectChild("log.\(processes[1].id)", processes[1].id, [11, 12])
  }

  @Test("stays whole when a program is started by vfork, which has its own")
  func startedProgram() throws {
    let processes = try run("runs")
    #expect(processes.map(\.kind) == ["child", "parent"])
    try #require(processes.count == 2)
    #expect(try folder.names == ["log", "log.\(processes[0].id)"])
    try expectParent(processes[1].id)
    let log = try LogReading(folder.path("log.\(processes[0].id)"))
    #expect(log.problems == [])
    #expect(log.writes == ["Thread0": [31]])
  }

  @Test("stays when the process becomes another program, which has its own")
  func becomesAnother() throws {
    #expect(try run("becomes").isEmpty)
    let names = try folder.names
    try #require(names.count == 2)
    let previous = try LogReading(path)
    #expect(previous.problems == [])
    #expect(previous.writes == ["Thread0": [1]])
    let id = try #require(pid(of: previous))
    #expect(names == ["log", "log.\(id)"])
    let next = try LogReading(folder.path(names[1]))
    #expect(next.problems == [])
    #expect(pid(of: next) == id)
    #expect(next.writes == ["Thread0": [31]])
    #expect(next.eventNames.last == "exit")
  }

  @Test("is whole in the children of a process whose threads record")
  func amongThreads() throws {
    let processes = try run("among-threads")
    let children = processes.filter { $0.kind == "child" }
    #expect(children.count == 40)
    try expectParent(processes.last?.id, threads: 4)
    let parent = try LogReading(path)
    let writes = parent.writes
    for thread in 1...4 { #expect(writes["Thread\(thread)"] == Array(1...3_000)) }
    for (index, child) in children.enumerated() {
      let log = try LogReading(folder.path("log.\(child.id)"))
      #expect(log.problems == [])
      #expect(log.liveNumbers == [1])
      #expect(log.writes == ["Thread0": [UInt64(index) + 1_000_001]])
      #expect(log.orphanCount == 0)
    }
  }
}
