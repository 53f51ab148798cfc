import Foundation
import KVOTrace
import TestSupport
import Testing

@testable import KVORecorder

@Suite("The recorder")
struct RecorderTests {
  private let folder: ScratchFolder
  private let recorder = Recorder()

  init() throws { folder = try ScratchFolder() }

  private func registration(_ number: UInt64) -> Registration {
    Registration(
      id: RegistrationID(number),
      subject: ObjectRef(id: ObjectID(number + 100), className: recorder.id(of: "Account")),
      observer: ObjectRef(id: ObjectID(number + 200), className: recorder.id(of: "Screen")),
      keyPath: recorder.id(of: "balance"),
      options: [.new]
    )
  }

  @Test("hands the same events to every sink, and none to one that was detached")
  func sinks() {
    let first = EventMemory()
    let second = EventMemory()
    #expect(!recorder.isRecording)
    recorder.record(.registerEnd(RegistrationID(1)))
    recorder.attach(first)
    recorder.record(.registerEnd(RegistrationID(2)))
    recorder.attach(second)
    #expect(recorder.isRecording)
    recorder.record(.registerEnd(RegistrationID(3)), order: 7)
    recorder.detach(first)
    recorder.record(.registerEnd(RegistrationID(4)))
    recorder.detach(second)
    #expect(!recorder.isRecording)
    recorder.record(.registerEnd(RegistrationID(5)))
    #expect(first.events.map(\.body) == [2, 3].map { .registerEnd(RegistrationID($0)) })
    #expect(second.events.map(\.body) == [3, 4].map { .registerEnd(RegistrationID($0)) })
    #expect(first.events.last == second.events.first)
    #expect(second.events.map(\.order) == [7, nil])
    #expect(first.events.allSatisfy { $0.thread == Recorder.currentThread && $0.time != nil })
  }

  @Test("says of each event the innermost scope of its task, or that of the process")
  func scopes() {
    let memory = EventMemory()
    recorder.attach(memory)
    RecordingScope.$ofTask.withValue(ScopeID(1)) {
      recorder.record(.exit(status: 0))
      RecordingScope.$ofTask.withValue(ScopeID(2)) { recorder.record(.exit(status: 0)) }
      recorder.record(.exit(status: 0))
    }
    #expect(memory.events.map(\.scope) == [1, 2, 1].map { ScopeID($0) })
  }

  @Test("begins a log with the process and what is registered already")
  func midRunStart() throws {
    let path = folder.path("log")
    recorder.record(.registerEnd(RegistrationID(9)))
    try recorder.startLog(path: path, isComplete: false) { [registration(1), registration(2)] }
    #expect(recorder.logPath == path)
    recorder.record(.registerEnd(RegistrationID(3)))
    recorder.stopLog()
    #expect(recorder.logPath == nil)
    recorder.record(.registerEnd(RegistrationID(4)))

    let log = try LogReading(path)
    #expect(log.problems == [])
    let bodies = log.events.filter { $0.body.name != "threadName" }.map(\.body)
    guard case .process(let process)? = bodies.first else {
      Issue.record("no process line")
      return
    }
    #expect(process.isComplete == false)
    #expect(process.schema == 1)
    #expect(process.pid == Int(getpid()))
    #expect(try process.executable == executablePath())
    #expect(process.runtime == .swift)
    #expect(process.os == "Linux")
    #expect(process.started?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
    var names = log.names
    let subject = names.id(of: "Account")
    let observer = names.id(of: "Screen")
    let keyPath = names.id(of: "balance")
    #expect(
      bodies.dropFirst() == [
        .live(
          Registration(
            id: RegistrationID(1),
            subject: ObjectRef(id: ObjectID(101), className: subject),
            observer: ObjectRef(id: ObjectID(201), className: observer),
            keyPath: keyPath,
            options: [.new]
          )
        ),
        .live(
          Registration(
            id: RegistrationID(2),
            subject: ObjectRef(id: ObjectID(102), className: subject),
            observer: ObjectRef(id: ObjectID(202), className: observer),
            keyPath: keyPath,
            options: [.new]
          )
        ),
        .registerEnd(RegistrationID(3)),
      ]
    )
  }

  @Test("ends one log where the next begins, and lets memory sinks be")
  func nextLog() throws {
    let memory = EventMemory()
    recorder.attach(memory)
    try recorder.startLog(path: folder.path("first"), isComplete: true) { [] }
    recorder.record(.registerEnd(RegistrationID(1)))
    try recorder.startLog(path: folder.path("second"), isComplete: false) { [] }
    recorder.record(.registerEnd(RegistrationID(2)))
    recorder.stopLog()
    recorder.record(.registerEnd(RegistrationID(3)))
    recorder.detach(memory)
    for (name, number) in [("first", 1), ("second", 2)] as [(String, UInt64)] {
      let log = try LogReading(folder.path(name))
      #expect(log.events.first?.body.name == "process")
      #expect(log.events.last?.body == .registerEnd(RegistrationID(number)))
    }
    #expect(memory.events.map(\.body) == (1...3).map { .registerEnd(RegistrationID($0)) })
  }

  @Test("changes nothing where a log cannot be opened")
  func refusedLog() throws {
    try recorder.startLog(path: folder.path("log"), isComplete: true) { [] }
    #expect(throws: LogFileError.self) {
      try recorder.startLog(path: folder.path, isComplete: true) { [] }
    }
    #expect(recorder.logPath == folder.path("log"))
    recorder.record(.registerEnd(RegistrationID(1)))
    recorder.stopLog()
    #expect(
      try LogReading(folder.path("log")).events.last?.body == .registerEnd(RegistrationID(1))
    )
  }

  @Test("keeps the lines of many threads whole, and each thread's in their order")
  func manyThreads() throws {
    let path = folder.path("log")
    try recorder.startLog(path: path, isComplete: true) { [] }
    let threadCount = 8
    let eventCount: UInt64 = 1_000
    onThreads(count: threadCount) { [recorder] index in
      for number in 1...eventCount {
        recorder.record(
          .registerEnd(RegistrationID(UInt64(index) * 1_000_000 + number)),
          stack: recorder.captureStack()
        )
      }
    }
    recorder.stopLog()
    let log = try LogReading(path)
    #expect(log.problems == [])
    #expect(log.lineCount == log.events.count)
    #expect(log.events.first?.body.name == "process")
    var numbers: [ThreadID: [UInt64]] = [:]
    var times: [ThreadID: [UInt64]] = [:]
    for event in log.events {
      guard case .registerEnd(let id) = event.body, let thread = event.thread else { continue }
      numbers[thread, default: []].append(id.rawValue)
      times[thread, default: []].append(try #require(event.time))
    }
    let recorded = (0..<UInt64(threadCount)).map { index in
      (1...eventCount).map { index * 1_000_000 + $0 }
    }
    #expect(Set(numbers.values) == Set(recorded))
    #expect(times.values.allSatisfy { $0 == $0.sorted() })
    // One line a thread names it, and no other line is there.
    let others = log.eventNames.filter { $0 != "registerEnd" && $0 != "module" }
    #expect(others.filter { $0 == "process" }.count == 1)
    #expect(others.filter { $0 == "threadName" }.count <= threadCount + 1)
    #expect(Set(others) == ["process", "threadName"])
    expectModulesBeforeStacks(log)
  }

  @Test("lists an image before the first stack in it, whichever thread writes first")
  func overtakingThread() throws {
    let sink = LogFileSink(file: try LogFile(path: folder.path("log")))
    var names = TraceNames()
    let stack = names.id(of: StackCapture.frames(.full))
    let first = sink.take(Event(.registerEnd(RegistrationID(1)), stack: stack), names: names)
    let second = sink.take(Event(.registerEnd(RegistrationID(2)), stack: stack), names: names)
    second?()
    first?()
    let log = try LogReading(sink.file.path)
    #expect(
      log.events.map(\.body).filter { $0.name == "registerEnd" }
        == [1, 2].map { .registerEnd(RegistrationID($0)) }
    )
    expectModulesBeforeStacks(log)
  }

  private func expectModulesBeforeStacks(_ log: LogReading) {
    var modules: [Module] = []
    var orphans = 0
    for event in log.events {
      if case .module(let module) = event.body { modules.append(module) }
      orphans += log.names[event.stack].count { frame in
        !modules.contains { $0.contains(frame.address) }
      }
    }
    #expect(orphans == 0)
    #expect(!modules.isEmpty)
    #expect(Set(modules).count == modules.count)
  }
}
