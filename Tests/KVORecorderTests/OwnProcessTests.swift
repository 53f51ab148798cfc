import Foundation
import KVOAudit
import KVOTrace
import TestSupport
import Testing

@testable import KVORecorder

@Suite("In a process of its own")
struct OwnProcessTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  @Test("threads have numbers that are never used again, names, and objects that go with them")
  func threads() throws {
    #expect(
      try Child("RecorderProbe", ["threads"]).end()
        == Child.Outcome(
          output: """
            main: 1, main
            one after the other: true
            at once: true
            named: "worker"
            named: "fifteen letters"
            object before: none
            object kept: true
            number: 1068
            released the thread's object on thread 1068
            joined
            object of the next thread: none
            released a second object on thread 1069
            main: 1

            """
        )
    )
  }

  @Test("the deallocation of a watched object is reported once, before its deinit and after it")
  func lifetime() throws {
    #expect(
      try Child("RecorderProbe", ["lifetime"]).end()
        == Child.Outcome(
          output: """
            class: begins, Base, ended
            subclass: begins, Derived 87, Base, ended
            generic class: begins, Box<Int>, ended
            the same, of another type: begins, Box<String>, ended
            generic, of itself: begins, Box<Box<Int>>, Box<Int>, ended
            actor: begins, Worker, ended
            unwatched: Base
            unwatched subclass: Derived 87, Base
            watched twice: begins, Base, ended
            with references: begins, Base, ended, weak is nil
            100 of 10,000: 100 begun, 100 ended
            8 threads: 14400 begun, 14400 ended

            """
        )
    )
  }

  // The destroyer of such a class only hands the object to its actor.
  @Test("the deallocation of an object with an isolated deinit ends after that deinit")
  func isolatedDeath() throws {
    #expect(
      try Child("RecorderProbe", ["isolated"]).end()
        == Child.Outcome(
          output: """
            on its actor: begins, deinit, ended
            on another thread: begins, released, deinit, ended
            not settled: begins, released, deinit
            settled by the next: ended, begins, deinit, ended
            of 104: 104 begun, 104 ended

            """
        )
    )
  }

  @Test("an observer that removes itself in an isolated deinit is not reported")
  func isolatedObserver() throws {
    let path = folder.path("log")
    let child = try Child(
      "RecorderProbe",
      ["isolated-observer"],
      environment: ["KVO_SAFETY_LOG": path]
    )
    #expect(try child.end() == Child.Outcome())
    let log = try LogReading(path)
    #expect(log.problems == [])
    #expect(
      log.eventNames.filter { $0 != "module" && $0 != "threadName" && $0 != "deinitEnd" }
        == [
          "process", "register", "registerEnd", "deinit", "remove", "removeEnd", "deinit", "exit",
        ]
    )
    let dying = log.events.compactMap { event -> String? in
      guard case .deinit(let object) = event.body else { return nil }
      return log.names[object.className]
    }
    #expect(dying == ["Screen", "Account"])
  }

  @Test("a log that starts amid registrations knows of the end of each that it lists")
  func busyStart() throws {
    let count = 40
    let path = folder.path("")
    #expect(try Child("RecorderProbe", ["busy", path, "\(count)"]).end() == Child.Outcome())
    for number in 0..<count {
      let log = try LogReading(folder.path("\(number)"))
      #expect(log.problems == [])
      #expect(log.eventNames.contains("cancel"))
      #expect(log.eventNames.contains("deinitEnd"))
      let judged = log.judge()
      #expect(judged.verdicts == [], "log \(number)")
      #expect(judged.liveCount == 0, "log \(number)")
    }
  }

  @Test("what ends before its line is written is live neither for rules nor for a crash")
  func endedWhileListed() throws {
    let path = folder.path("log")
    let environment = ["SWIFT_BACKTRACE": "enable=no"]
    let outcome = try Child("RecorderProbe", ["listed", path], environment: environment).end()
    #expect(outcome.ending == .signal && outcome.status == SIGABRT)
    let log = try LogReading(path)
    let names = log.eventNames.filter { $0 != "module" && $0 != "threadName" }
    #expect(names == ["process", "cancel", "live", "live", "crash", "live"])
    #expect(log.liveNumbers == [1, 2, 2])
    #expect(log.judge().liveCount == 1)
  }

  @Test("a log that starts late lists what is registered, and says that it is not complete")
  func lateStart() throws {
    let path = folder.path("log")
    #expect(try Child("RecorderProbe", ["live", path]).end() == Child.Outcome())
    let log = try LogReading(path)
    #expect(log.problems == [])
    #expect(
      log.eventNames.filter { $0 != "module" } == [
        "process", "threadName", "live", "live", "willChange", "didChange", "notify", "notifyEnd",
        "notify", "notifyEnd", "remove", "removeEnd", "cancel",
      ]
    )
    guard case .process(let process)? = log.events.first?.body else { return }
    #expect(!process.isComplete)
    let live = log.events.compactMap { event -> [String]? in
      guard case .live(let registration) = event.body else { return nil }
      return [
        log.names[registration.subject.className], log.names[registration.keyPath],
        registration.observer.map { log.names[$0.className] } ?? "none",
        registration.form.rawValue,
      ]
    }
    #expect(
      live == [
        ["Account", "balance", "Listener", "classic"], ["Account", "balance", "none", "token"],
      ]
    )
  }

  @Test("a log in a folder is named after the program, also by a child of it")
  func logInFolder() throws {
    let outcome = try Child("Correct", environment: ["KVO_SAFETY_LOG": folder.path("logs") + "/"])
      .end()
    #expect(outcome.status == 0 && outcome.complaint == "")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("logs"))
    #expect(
      names.count == 1 && names[0].wholeMatch(of: /Correct-[0-9]+\.kvolog/) != nil,
      "\(names)"
    )
    let report = Audit().report(on: AuditInput.inputs(arguments: [folder.path("logs")]))
    #expect(report.summary.processCount == 1 && report.failures.isEmpty)
    // The child's process id is another one, so that it has a name of its own.
    let path = folder.path("fork")
    #expect(try Child("RecorderProbe", ["fork", "records", path + "/"]).end().status == 0)
    let both = try FileManager.default.contentsOfDirectory(atPath: path)
    #expect(both.count == 2, "\(both)")
    #expect(both.allSatisfy { $0.wholeMatch(of: /RecorderProbe-[0-9]+\.kvolog/) != nil }, "\(both)")
  }

  // MARK: No log

  private func expectedOutput() throws -> String {
    let outcome = try Child("Correct").end()
    #expect(outcome.status == 0 && outcome.complaint == "")
    return outcome.output
  }

  @Test("a log that cannot be written is said in a sentence, and the program runs on")
  func unwritableLog() throws {
    let fifo = folder.path("fifo")
    #expect(mkfifo(fifo, 0o600) == 0)
    let output = try expectedOutput()
    #expect(!output.isEmpty)
    for (path, reason) in [
      (fifo, "it is a FIFO, and a log must be a regular file"),
      ("/dev/full", "it is a device, and a log must be a regular file"),
      (folder.path("no/log"), "No such file or directory"),
    ] {
      #expect(
        try Child("Correct", environment: ["KVO_SAFETY_LOG": path]).end()
          == Child.Outcome(
            output: output,
            complaint: "KVOSafety: cannot write the log \"\(path)\": \(reason). "
              + "The program runs on, unrecorded.\n"
          )
      )
    }
    #expect(
      try Child("Correct", environment: ["KVO_SAFETY_LOG": ""]).end()
        == Child.Outcome(output: output)
    )
  }

  @Test(
    "a log says the version of the program that the environment names",
    arguments: [("2.4.1", "2.4.1"), ("", nil)] as [(String, String?)]
  )
  func appVersion(named: String, logged: String?) throws {
    let path = folder.path("log")
    _ = try Child(
      "Correct",
      environment: ["KVO_SAFETY_LOG": path, "KVO_SAFETY_APP_VERSION": named]
    )
    .end()
    guard case .process(let process)? = try LogReading(path).events.first?.body else {
      Issue.record("the log does not begin with its process")
      return
    }
    #expect(process.appVersion == logged)
  }

  @Test("a standard error that no one reads does not end the program")
  func unreadStandardError() throws {
    let script = """
      mkfifo "$1/fifo" && exec 4<>"$1/fifo" 2>"$1/fifo" 4<&- || exit 99
      exec "$2" complaint
      """
    let program = "\(try Child.folder)/RecorderProbe"
    #expect(
      try Child("/bin/bash", ["-c", script, "bash", folder.path, program]).end()
        == Child.Outcome(output: "alive\n")
    )
  }

  @Test("a standard error that is a file at the limit of its size does not end the program")
  func limitedStandardError() throws {
    let script = #"ulimit -f 0 && exec "$2" complaint 2>"$1/errors""#
    let program = "\(try Child.folder)/RecorderProbe"
    #expect(
      try Child("/bin/bash", ["-c", script, "bash", folder.path, program]).end()
        == Child.Outcome(output: "alive\n")
    )
    #expect(try text(of: folder.path("errors")).isEmpty)
  }

  // MARK: libunwind

  @Test("libunwind is used where it is found")
  func unwinder() throws {
    #expect(
      try Child("RecorderProbe", ["stack", folder.path("log")]).end()
        == Child.Outcome(output: "libunwind\n")
    )
  }

  @Test(
    "frame pointers stand in for a libunwind that cannot be loaded, or is another library",
    .enabled(if: Tool.hasCompiler, "needs gcc"),
    arguments: [false, true]
  )
  func missingUnwinder(isLibrary: Bool) throws {
    // Found before the system's, and no better than none.
    let library = try folder.file("libunwind.so.8", "not a library")
    if isLibrary {
      let source = try folder.file("nothing.c", "int nothing;")
      try Tool.run("/usr/bin/gcc", ["-shared", "-fPIC", "-nostdlib", "-o", library, source])
    }
    let path = folder.path("log")
    let previous = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"].map { ":\($0)" } ?? ""
    let child = try Child(
      "RecorderProbe",
      ["stack", path],
      environment: ["LD_LIBRARY_PATH": folder.path + previous]
    )
    #expect(try child.end() == Child.Outcome(output: "frame pointers\n"))
    let log = try LogReading(path)
    #expect(log.problems == [])
    #expect(
      log.eventNames.filter { $0 != "module" }
        == ["process", "threadName", "registerEnd", "exit"]
    )
    let event = try #require(log.events.first { $0.body.name == "registerEnd" })
    #expect(log.names[event.stack].count >= 4)
  }

  @Test(
    "no program links libunwind, which would take over its exceptions",
    .enabled(if: Tool.hasReadelf, "needs readelf"),
    arguments: ["Correct", "KilledMidway", "RecorderProbe"]
  )
  func linkedLibraries(program: String) throws {
    let listing = try Tool.run(
      "/usr/bin/readelf",
      ["--dynamic", "--wide", "\(try Child.folder)/\(program)"]
    )
    let needed = listing.split(separator: "\n").filter { $0.contains("(NEEDED)") }
    #expect(needed.contains { $0.contains("libc.so.6") })
    #expect(needed.filter { $0.contains("unwind") } == [])
  }
}
