import Foundation
import TestSupport
import Testing

/// The emitter for Apple's systems, on GNUstep, where it can be run.
///
/// The audits judge by the behavior of Apple's runtime, for which the file is made. The statuses show what
/// GNUstep itself does after each fault.
@Suite(
  "The emitter",
  .enabled(if: ObjectiveCProgram.isAvailable, Comment(rawValue: ObjectiveCProgram.need))
)
struct EmitterTests {
  private let folder: ScratchFolder
  private let program: ObjectiveCProgram

  init() throws {
    folder = try ScratchFolder()
    program = try ObjectiveCProgram(
      "Observing",
      of: ["Tests/Programs/Observing/Observing.m", "Emitter/KVOSafetyEmitter.m"],
      in: folder
    )
  }

  private func run(
    _ arguments: String...,
    log: String = "log.jsonl",
    before: String = ""
  ) -> (status: Int32, output: String) {
    let words = arguments.map { "'\($0)'" }.joined(separator: " ")
    return program.run(
      settings: "KVO_SAFETY_EMITTER_LOG='\(log)'",
      before: before,
      arguments: words,
      in: folder
    )
  }

  private func events(_ log: String = "log.jsonl") throws -> [[String: Any]] {
    let text = try String(contentsOf: folder.url.appending(path: log), encoding: .utf8)
    #expect(text.hasSuffix("\n"))
    return try text.split(separator: "\n").compactMap {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
  }

  private func kinds(_ log: String = "log.jsonl") throws -> [String] {
    try events(log).compactMap { $0["event"] as? String }.filter { $0 != "module" }
  }

  private func audit(_ arguments: String...) throws -> ProgramRun {
    try Built.run("kvo-audit", arguments, in: folder.url)
  }

  /// Every line is an event; if the emitter dropped some, that is said.
  private func expectValid(_ log: String = "log.jsonl") throws {
    let run = try audit("validate", log)
    let isWhole = try !kinds(log).contains("dropped")
    #expect(run.status == (isWhole ? 0 : 65), "\(run.output)")
    #expect(run.output.contains(isWhole ? ": valid, " : ": 0 problems, "), "\(run.output)")
  }

  @Test("a faulty program's report is its sample, as on Apple's systems")
  func faulty() throws {
    #expect(run("faulty").output == "name changed\nNSGenericException\nend\n")
    try expectValid()
    let log = folder.url.appending(path: "log.jsonl")
    try Example.fixed(String(contentsOf: log, encoding: .utf8))
      .write(to: log, atomically: true, encoding: .utf8)
    let report = try audit("--profile", "apple-modern", "log.jsonl")
    #expect(report.status == 1)
    try SampleReportTests.compare(
      report.output.withoutRuntime,
      with: "Emitter.txt"
    )
  }

  @Test("a correct program is not reported")
  func correct() throws {
    #expect(run("correct").status == 0)
    try expectValid()
    let report = try audit("--profile", "apple-modern", "--fail-on", "note", "log.jsonl")
    #expect(report.status == 0)
    #expect(!report.output.contains("WARNING") && !report.output.contains("NOTE"))
    #expect(report.output.contains("from 1 process (0 observations live at the end)"))
  }

  @Test("an addition that raises is refused, and needs no removal")
  func refused() throws {
    #expect(run("refused").output == "NSUnknownKeyException\nend\n")
    try expectValid()
    let report = try audit("--profile", "apple-modern", "log.jsonl").output
    #expect(report.contains("(KVO029 ") && report.contains("1 error, 0 warnings"), "\(report)")
  }

  @Test(
    "a program does the same with and without a log",
    arguments: ["faulty", "correct", "refused", "threads", "names", "fork"]
  )
  func transparency(scenario: String) throws {
    let recorded = run(scenario, log: "log-%p.jsonl")
    let plain = run(scenario, log: "")
    #expect(recorded.output == plain.output)
    #expect(recorded.status == plain.status)
  }

  @Test("nothing is read of an observer that was deallocated before its removal, which is reported")
  func lateRemoval() throws {
    #expect(run("late").output == "end\n")
    try expectValid()
    let removals = try events().filter { $0["event"] as? String == "remove" }
    #expect(removals.count == 2)
    for removal in removals {
      let observer = removal["observer"] as? [String: String]
      #expect(observer?["class"] == "Screen" && observer?["id"] == "2")
    }
    #expect(try audit("--profile", "apple-modern", "log.jsonl").output.contains("KVO007"))
  }

  @Test("an uncaught exception is the last event, and ends the program as without the emitter")
  func raising() throws {
    let recorded = run("raising")
    let plain = run("raising", log: "")
    #expect(recorded.status == plain.status && recorded.status != 0)
    #expect(recorded.output.contains("Uncaught exception NSUnknownKeyException"))
    try expectValid()
    let crash = try #require(try events().last)
    #expect(crash["event"] as? String == "crash")
    #expect(crash["exception"] as? String == "NSUnknownKeyException")
    let report = try audit("log.jsonl").output
    #expect(report.contains("CRASHED: NSUnknownKeyException, "))
    #expect(report.contains("> #"))
  }

  @Test("threads write whole lines, and their events are complete")
  func threads() throws {
    #expect(run("threads").output == "end\n")
    try expectValid()
    let kinds = try kinds()
    for kind in ["register", "remove", "removeEnd"] {
      #expect(kinds.count { $0 == kind } == 1700)
    }
    for kind in ["deinit", "deinitEnd"] { #expect(kinds.count { $0 == kind } == 3400) }
    let report = try audit("--profile", "apple-modern", "--fail-on", "note", "log.jsonl")
    #expect(report.status == 0, "\(report.output)")
  }

  @Test("names are JSON and UTF-8, whatever they contain")
  func names() throws {
    #expect(run("names").status == 0)
    try expectValid()
    let registrations = try events().filter { $0["event"] as? String == "register" }
    #expect(
      registrations.compactMap { $0["keyPath"] as? String } == [
        "a\"b\\c\n\t\u{1}", "hé😀", String(repeating: "long", count: 1250),
      ]
    )
    let observer = registrations.first?["observer"] as? [String: String]
    #expect(observer?["class"] == "Odd\"\\\n\u{7F}\u{FFFD}é\u{FFFD}\u{FFFD}\u{FFFD}")
    let refused = try events().filter { $0["event"] as? String == "refused" }
    #expect(refused.compactMap { $0["reason"] as? String } == ["nilKeyPath"])
    // A removal and its end.
    #expect(try events().compactMap { $0["count"] as? Int } == [1, 1])
  }

  @Test("a log that cannot be written is reported, and the program runs as without the emitter")
  func unwritable() throws {
    let plain = run("faulty", log: "")
    for (log, reason) in [
      ("missing/log", "No such file or directory"), ("/dev/full", "not a regular file"),
      (".", "Is a directory"),
    ] {
      let recorded = run("faulty", log: log)
      #expect(
        recorded.output
          == "KVOSafety: cannot write the log \"\(log)\": \(reason). The program runs "
          + "on, unrecorded.\n" + plain.output
      )
      #expect(recorded.status == plain.status)
    }
  }

  @Test("a log that cannot grow has whole lines, and the program runs as without the emitter")
  func fullDisk() throws {
    let plain = run("threads", log: "")
    let recorded = run("threads", before: "ulimit -f 100")
    #expect(recorded.status == plain.status)
    #expect(recorded.output == plain.output)
    try expectValid()
    let file = try FileManager.default.attributesOfItem(atPath: folder.path("log.jsonl"))
    #expect(try #require(file[.size] as? Int) <= 100 << 10)
    #expect(try kinds().contains("register") && !kinds().contains("exit"))
  }

  @Test("a descriptor that the program takes for something else is left alone")
  func descriptors() throws {
    #expect(run("descriptors", "own.txt").output == run("faulty", log: "").output)
    #expect(try Data(contentsOf: folder.url.appending(path: "own.txt")).isEmpty)
    #expect(try kinds() == ["process"])
  }

  @Test("such a descriptor is not closed either, by the end of the log or by a child")
  func takenDescriptors() throws {
    for log in ["log.jsonl", "log-%p.jsonl"] {
      #expect(run("stop", "own.txt", log: log).output == "0 0\nend\n")
    }
  }

  @Test("a child does not wait for what another thread of its parent was doing")
  func forkAmongThreads() throws {
    #expect(run("forks", log: "log-%p.jsonl").output == "end\n")
    let logs = try folder.names.filter { $0.hasPrefix("log-") }
    #expect(logs.count == 101)
    let started = try logs.compactMap { try events($0).first?["started"] as? String }
    #expect(started.count == 101)
    #expect(started.allSatisfy { (try? Date($0, strategy: .iso8601)) != nil })
  }

  @Test("a child writes a log of its own, or none")
  func children() throws {
    #expect(run("fork").output == "end\n")
    #expect(
      try kinds() == ["process", "threadName", "register", "remove", "removeEnd", "exit"]
    )
    #expect(run("fork", log: "log-%p.jsonl").output == "end\n")
    let logs = try folder.names.filter { $0.hasPrefix("log-") }
    #expect(logs.count == 2)
    let all = try logs.map { try kinds($0) }
    #expect(
      all.contains([
        "process", "threadName", "remove", "removeEnd", "remove", "removeEnd", "exit",
      ])
    )
    for log in logs { try expectValid(log) }
    let head = try logs.compactMap { try events($0).first?["complete"] as? Bool }
    #expect(Set(head) == [true, false])
  }

  @Test("a call starts a log, which is marked as incomplete, and ends it")
  func call() throws {
    let run = run("call", folder.path("called.jsonl"), log: "")
    #expect(run.output == "2\n0\nend\n")
    #expect(try kinds("called.jsonl") == ["process", "threadName", "register"])
    #expect(try events("called.jsonl").first?["complete"] as? Bool == false)
    try expectValid("called.jsonl")
  }
}

extension String {
  /// The text without what GNUstep's version says.
  fileprivate var withoutRuntime: String {
    replacing(#/recorded on gnustep-[a-z0-9.]+/#, with: "recorded on gnustep")
  }
}
