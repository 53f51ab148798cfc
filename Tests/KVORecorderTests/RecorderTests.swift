import Foundation
import KVOTrace
import KVOTraceBinary
import TestSupport
import Testing

@testable import KVORecorder

@Suite("The recorder")
struct RecorderTests {
  private let folder: ScratchFolder
  private let recorder = Recorder.shared

  init() throws { folder = try ScratchFolder() }

  @Test("gives names back as they were, and the same id to the same")
  func names() {
    let texts = ["", "balance", "été", String(repeating: "long", count: 1_000)]
    let ids = texts.map { recorder.id(of: $0) }
    #expect(ids == texts.map { recorder.id(of: $0) })
    #expect(ids[0] == .none && Set(ids).count == 4)
    #expect(ids.map { recorder.text(of: $0) } == texts)
    let names = recorder.names
    #expect(ids.map { names[$0] } == texts)
    let line = recorder.id(ofLine: 12, file: "File.swift", module: "Module", function: "f()")
    #expect(
      recorder.names[line] == [
        Frame(
          symbol: recorder.id(of: "f()"),
          module: recorder.id(of: "Module"),
          file: recorder.id(of: "File.swift"),
          line: 12
        )
      ]
    )
  }

  @Test("cuts a string that is not a name, between two characters")
  func longString() {
    let id = recorder.id(of: String(repeating: "é", count: 40_000) + "e")
    #expect(recorder.text(of: id) == String(repeating: "é", count: 32_768))
    let shifted = recorder.id(of: "e" + String(repeating: "é", count: 40_000))
    #expect(recorder.text(of: shifted) == "e" + String(repeating: "é", count: 32_767))
  }

  @Test("begins a log with the process, its images, and the thread")
  func head() throws {
    let path = folder.path("log")
    let probe = try DrivenChild()
    try probe.tell("plain 9 9")
    #expect(try probe.tell("path") == "none")
    #expect(try probe.tell("start \(folder.path("%"))") == "done")
    #expect(try probe.tell("path") == folder.path("%"))
    #expect(try probe.tell("start \(path)") == "done")
    #expect(try probe.tell("path") == path)
    try probe.tell("plain 3 3")
    try probe.tell("stop")
    #expect(try probe.tell("path") == "none")
    try probe.tell("plain 4 4")
    let id = Int(probe.child.id)
    #expect(try probe.end() == Child.Outcome())

    let log = try LogReading(path)
    #expect(log.problems == [])
    #expect(log.summary.isWhole)
    #expect(log.eventNames.filter { $0 != "module" } == ["process", "threadName", "registerEnd"])
    #expect(log.ends == [3])
    #expect(log.orphanCount == 0 && Set(log.modules).count == log.modules.count)
    guard case .process(let process)? = log.events.first?.body else { return }
    #expect(process.isComplete && process.schema == 1 && process.pid == id)
    #expect(process.executable == log.modules.first { $0.path.hasSuffix("RecorderProbe") }?.path)
    #expect(process.runtime == .swift && process.os == "Linux")
    #expect(process.started?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
    guard case .threadName(let name)? = log.events.first(where: { $0.thread != nil })?.body else {
      return
    }
    #expect(log.names[name] == "main")
  }

  @Test("ends one log where the next begins")
  func nextLog() throws {
    let probe = try DrivenChild()
    for name in ["first", "second"] {
      #expect(try probe.tell("start \(folder.path(name))") == "done")
      try probe.tell("named 1 500")
      try probe.tell("threads 3 1 200")
    }
    try probe.tell("stop")
    #expect(try probe.end() == Child.Outcome())
    for name in ["first", "second"] {
      let log = try LogReading(folder.path(name))
      #expect(log.problems == [])
      #expect(log.summary.isWhole)
      #expect(log.writes["Thread1"]?.count == 700)
      #expect(log.writes.count == 3)
      #expect(log.part == 1)
    }
    #expect(try folder.names == ["first", "second"])
  }

  @Test("starts and ends thirty logs while threads record, and events are in one of them or none")
  func manyLogs() throws {
    let probe = try DrivenChild()
    #expect(try probe.tell("restart \(folder.path("log")) 30") == "done")
    #expect(try probe.end() == Child.Outcome())
    #expect(try folder.names.count == 30)
    var last: [String: UInt64] = [:]
    for number in 1...30 {
      let log = try LogReading(folder.path("log\(number)"))
      #expect(log.problems == [])
      #expect(log.eventNames.first == "process")
      for (thread, numbers) in log.writes {
        #expect(numbers == numbers.sorted() && numbers.first ?? 0 > last[thread] ?? 0)
        last[thread] = numbers.last
      }
    }
    #expect(last.count == 4)
  }

  @Test("changes nothing where a log cannot be opened")
  func refusedLog() throws {
    let path = folder.path("log")
    let probe = try DrivenChild(log: path)
    try probe.tell("plain 1 1")
    #expect(
      try probe.tell("start \(folder.path("no/log"))")
        == "cannot write the log \"\(folder.path("no/log"))\": No such file or directory"
    )
    #expect(try probe.tell("path") == path)
    try probe.tell("plain 2 2")
    #expect(try probe.end() == Child.Outcome())
    #expect(try LogReading(path).ends == [1, 2])
  }
}
