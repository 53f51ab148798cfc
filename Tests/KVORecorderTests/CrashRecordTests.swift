import Foundation
import KVOTrace
import KVOTraceBinary
import TestSupport
import Testing

// A sanitizer is a handler of its own, which reports and ends the process otherwise, and does not know
// of jumps from one stack to another.
@Suite(
  "A crash",
  .serialized,
  .enabled(if: dlsym(nil, "__tsan_init") == nil && dlsym(nil, "__asan_init") == nil)
)
struct CrashRecordTests {
  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder()
    path = folder.path("log")
  }

  /// What the probe's main thread records before it does what it is for.
  private static let before = [
    #"{"event":"threadName","thread":1,"name":"main"}"#,
    #"{"event":"registerEnd","thread":1,"registration":1}"#,
    #"{"event":"registerEnd","thread":1,"registration":2}"#,
    #"{"event":"registerEnd","thread":1,"registration":3}"#,
    registered(1), registered(2),
    #"{"event":"cancel","thread":1,"order":3,"registration":1,"by":"owner"}"#,
  ]

  private static func registered(_ number: Int) -> String {
    #"{"event":"register","thread":1,"order":\#(number),"#
      + #""subject":{"class":"Account","id":"12"},"keyPath":"balance","registration":\#(number),"#
      + #""form":"classic"}"#
  }

  private static func live(_ number: Int, thread: Int = 1) -> String {
    #"{"event":"live","thread":\#(thread),"subject":{"class":"Account","id":"12"},"#
      + #""keyPath":"balance","registration":\#(number),"form":"classic"}"#
  }

  private static func recorded(_ number: Int, thread: Int = 1) -> String {
    #"{"event":"registerEnd","thread":\#(thread),"registration":\#(number)}"#
  }

  private static func named(thread: Int) -> String {
    #"{"event":"threadName","thread":\#(thread),"name":"CrashProbe"}"#
  }

  private static func crash(
    _ signal: String,
    reason: String = "",
    thread: Int = 1,
    live: Int = 1
  ) -> String {
    let reason = reason.isEmpty ? "" : #","reason":"\#(reason)""#
    return #"{"event":"crash","thread":\#(thread),"signal":"\#(signal)"\#(reason),"live":\#(live)}"#
  }

  // MARK: - Every way down

  struct Way: CustomTestStringConvertible {
    let name: String
    let number: Int32
    let signal: String
    let reason: String
    /// Whether the innermost frame is in the function that failed; else some frame is.
    let isInnermost: Bool
    var testDescription: String { name }

    static let all = [
      Way("nullWrite", SIGSEGV, "SIGSEGV", "access to 0x0", isInnermost: true),
      Way("nullCall", SIGSEGV, "SIGSEGV", "jump to 0x0", isInnermost: true),
      Way("division", SIGFPE, "SIGFPE", "division by zero", isInnermost: true),
      Way("trap", SIGTRAP, "SIGTRAP", "", isInnermost: true),
      Way("abort", SIGABRT, "SIGABRT", "", isInnermost: false),
      // A fault in the record itself.
      Way("wildMessage", SIGABRT, "SIGABRT", "", isInnermost: false),
      Way("raised", SIGTRAP, "SIGTRAP", "", isInnermost: false),
      Way("smashed", SIGSEGV, "SIGSEGV", "access to 0x10", isInnermost: true),
      Way("fatalError", SIGILL, "SIGILL", "File.swift:7: Fatal error: enough", isInnermost: false),
      Way(
        "bounds",
        SIGILL,
        "SIGILL",
        "Swift: Fatal error: Index out of range",
        isInnermost: false
      ),
      Way("overflow", SIGSEGV, "SIGSEGV", "access to 0x…", isInnermost: true),
    ]

    init(_ name: String, _ number: Int32, _ signal: String, _ reason: String, isInnermost: Bool) {
      self.name = name
      self.number = number
      self.signal = signal
      self.reason = reason
      self.isInnermost = isInnermost
    }
  }

  // Before it: all that the thread recorded. After it: what is registered.
  @Test("is in the log with its stack, and ends the program as without one", arguments: Way.all)
  func crashes(way: Way) throws {
    let reading = try CrashReading(way.name, log: path)
    #expect(reading.problems == [])
    #expect(reading.summary.isWhole)
    #expect(
      reading.lines
        == Self.before + [Self.crash(way.signal, reason: way.reason), Self.live(2)]
    )
    let places = reading.places(in: try #require(reading.crashStacks.first))
    #expect(way.isInnermost ? places.first == 0 : places.count == 1)
    #expect(CrashReading.Ending(reading.outcome) == .init(.signal, way.number))
    #expect(
      CrashReading.Ending(reading.outcome)
        == CrashReading.Ending(try CrashReading.run(way.name, log: nil))
    )
  }

  // The allocator's lock is held by the thread that crashes.
  @Test("in the allocator needs no memory")
  func heap() throws {
    let reading = try CrashReading("heap", log: path)
    #expect(reading.problems == [])
    #expect(reading.lines.dropLast(2) == Self.before[...])
    #expect(reading.lines.last == Self.live(2))
    guard case .crash(let crash)? = reading.events.dropLast().last?.body else {
      Issue.record("no crash in \(reading.lines)")
      return
    }
    #expect(reading.names[crash.signal] == "SIGABRT")
    // What the C library said too.
    #expect(!reading.names[crash.reason].isEmpty)
    #expect(reading.outcome.complaint == reading.names[crash.reason] + "\n")
    #expect(reading.places(in: reading.crashStacks[0]).count == 1)
    #expect(CrashReading.Ending(reading.outcome) == .init(.signal, SIGABRT))
  }

  // MARK: - Threads

  @Test("of a thread that overflows its stack is recorded on another one")
  func overflowOnThread() throws {
    let reading = try CrashReading("overflowOnThread", log: path)
    #expect(reading.problems == [])
    #expect(
      reading.lines
        == Self.before + [
          Self.named(thread: 2), Self.recorded(4, thread: 2),
          Self.crash("SIGSEGV", reason: "access to 0x…", thread: 2), Self.live(2, thread: 2),
        ]
    )
    #expect(reading.places(in: reading.crashStacks[0]) == Array(reading.crashStacks[0].indices))
    #expect(CrashReading.Ending(reading.outcome) == .init(.signal, SIGSEGV))
  }

  @Test(
    "of a thread that never recorded has a name and a stack, too, also for a sent signal",
    arguments: [
      Way("untrackedThread", SIGSEGV, "SIGSEGV", "access to 0x0", isInnermost: true),
      Way("untrackedThreadRaised", SIGSEGV, "SIGSEGV", "", isInnermost: false),
    ]
  )
  func untrackedThread(way: Way) throws {
    let reading = try CrashReading(way.name, log: path)
    #expect(reading.problems == [])
    #expect(
      reading.lines
        == Self.before + [
          Self.named(thread: 2), Self.crash(way.signal, reason: way.reason, thread: 2),
          Self.live(2, thread: 2),
        ]
    )
    let places = reading.places(in: reading.crashStacks[0])
    #expect(places.count == 1 && (!way.isInnermost || places == [0]))
    #expect(CrashReading.Ending(reading.outcome) == .init(.signal, way.number))
  }

  @Test("leaves the concurrent records of another thread whole")
  func busy() throws {
    let reading = try CrashReading("busy", log: path)
    // The other thread may have been in the middle of a record, which is not yet published.
    #expect(
      reading.problems.allSatisfy { $0.message.hasSuffix("ends in the middle of a record") }
    )
    #expect(reading.problems.count <= 1)
    #expect(reading.summary.lostSegmentCount == 0 && reading.summary.partSegmentCount == 0)
    let main = reading.events.filter { $0.thread == ThreadID(1) }
    #expect(
      main.map(reading.line)
        == Self.before + [Self.crash("SIGSEGV", reason: "access to 0x0"), Self.live(2)]
    )
    let numbers = reading.events.compactMap { event -> UInt64? in
      guard event.thread == ThreadID(2), case .registerEnd(let id) = event.body else { return nil }
      return id.number
    }
    try #require(numbers.count > 1000)
    #expect(numbers == Array(1...UInt64(numbers.count)))
    #expect(reading.events.count == main.count + 1 + numbers.count)
    #expect(CrashReading.Ending(reading.outcome) == .init(.signal, SIGSEGV))
  }

  @Test("at the same time as another thread's is recorded once", arguments: 1...10)
  func both(_: Int) throws {
    let reading = try CrashReading("both", log: path)
    #expect(reading.problems == [])
    #expect(reading.crashStacks.count == 1)
    #expect(reading.lines.filter { $0.contains(#""live","#) }.count == 1)
    #expect(CrashReading.Ending(reading.outcome) == .init(.signal, SIGSEGV))
  }

  // MARK: - What it must not depend on

  @Test("lists all registrations, in as many segments as they take")
  func manyLive() throws {
    let reading = try CrashReading("manyLive", log: path)
    #expect(reading.problems == [])
    #expect(reading.summary.isWhole)
    let lines = reading.lines
    #expect(
      lines.prefix(Self.before.count + 3998)
        == (Self.before + (3...4000).map { Self.registered($0) })[...]
    )
    let rest = lines.dropFirst(Self.before.count + 3998)
    #expect(rest.first == Self.crash("SIGSEGV", reason: "access to 0x0", live: 3999))
    #expect(rest.dropFirst().sorted() == (2...4000).map { Self.live($0) }.sorted())
  }

  // Another thread has the loader's lock and does not go on: libunwind waits for it, with all signals
  // held back.
  @Test("has the stack of the frame pointers if libunwind does not return")
  func halted() throws {
    let reading = try CrashReading("halted", log: path)
    #expect(reading.problems == [])
    #expect(
      reading.lines
        == Self.before + [Self.crash("SIGSEGV", reason: "access to 0x0"), Self.live(2)]
    )
    #expect(reading.places(in: reading.crashStacks[0]) == [0])
    #expect(CrashReading.Ending(reading.outcome) == .init(.signal, SIGSEGV))
  }

  // MARK: - Handlers that were there before

  @Test("that a handler jumps out of is recorded, and so is what follows, and the next one")
  func recovered() throws {
    let reading = try CrashReading("recovered", log: path)
    #expect(reading.problems == [])
    #expect(reading.summary.isWhole)
    let failed = [Self.crash("SIGSEGV", reason: "access to 0x0"), Self.live(2)]
    #expect(
      reading.lines
        == Self.before + failed + [Self.recorded(10)] + failed + [Self.recorded(11)] + failed
        + [Self.recorded(12), Self.crash("SIGABRT"), Self.live(2)]
    )
    let plain = try CrashReading.run("recovered", log: nil)
    #expect(CrashReading.Ending(reading.outcome) == CrashReading.Ending(plain))
    #expect(plain.status == SIGABRT)
  }

  @Test("of a thread that records afterwards precedes its records")
  func recoveredUnrecordedThread() throws {
    let reading = try CrashReading("recoveredUnrecordedThread", log: path)
    #expect(reading.problems == [])
    #expect(reading.summary.isWhole)
    let failed = [
      Self.crash("SIGSEGV", reason: "access to 0x0", thread: 2), Self.live(2, thread: 2),
    ]
    #expect(
      reading.lines
        == Self.before + [Self.named(thread: 2)] + failed
        + [Self.named(thread: 2), Self.recorded(10, thread: 2)] + failed
        + [Self.recorded(11, thread: 2)] + failed + [Self.recorded(12, thread: 2)]
    )
    #expect(reading.outcome == (try CrashReading.run("recoveredUnrecordedThread", log: nil)))
    #expect(reading.outcome.status == 0)
  }

  @Test("whose cause a handler removes is recorded, and the program continues")
  func repaired() throws {
    let reading = try CrashReading("repaired", log: path)
    #expect(reading.problems == [])
    #expect(
      reading.lines
        == Self.before + [
          Self.crash("SIGSEGV", reason: "access to 0x…"), Self.live(2), Self.recorded(10),
        ]
    )
    #expect(CrashReading.Ending(reading.outcome) == .init(.exit, 0))
    #expect(reading.outcome.output.hasSuffix("\nreturned: 1\nsurvived\n"))
  }

  @Test(
    "whose handler returns continues or ends as without a log",
    arguments: ["returned", "returnedOnce"]
  )
  func returned(way: String) throws {
    let reading = try CrashReading(way, log: path)
    let failed = [Self.crash("SIGTRAP"), Self.live(2)]
    #expect(reading.problems == [])
    #expect(
      reading.lines
        == Self.before + failed + [Self.recorded(10)] + failed
        + (way == "returned" ? [Self.recorded(11)] : [])
    )
    #expect(reading.outcome == (try CrashReading.run(way, log: nil)))
    #expect(
      reading.outcome
        == Child.Outcome(
          ending: way == "returned" ? .exit : .signal,
          status: way == "returned" ? 0 : SIGTRAP,
          output: way == "returned" ? "returned: 1\nreturned: 2\nsurvived\n" : "returned: 1\n"
        )
    )
  }

  @Test("is not recorded if the program ignores the signal that was sent")
  func ignored() throws {
    let reading = try CrashReading("ignored", log: path)
    #expect(reading.problems == [])
    #expect(reading.lines == Self.before + [Self.recorded(10), Self.recorded(11)])
    #expect(reading.outcome == (try CrashReading.run("ignored", log: nil)))
    #expect(reading.outcome == Child.Outcome(output: "returned: 0\nreturned: 0\nsurvived\n"))
  }

  // If the toolchain has its backtracer.
  @Test(
    "is reported by Swift's own backtracer as without a log",
    arguments: ["nullWrite", "fatalError"]
  )
  func backtracer(way: String) throws {
    let environment = ["SWIFT_BACKTRACE": "enable=yes,color=no,interactive=no"]
    func told(_ outcome: Child.Outcome) -> [String] {
      (outcome.output + outcome.complaint).split(separator: "\n").filter { $0.contains("***") }
        .map { String($0.replacing(/0x[0-9a-f]{5,}/, with: "0x…")) }
    }
    let recorded = try CrashReading.run(way, log: path, environment: environment)
    let plain = try CrashReading.run(way, log: nil, environment: environment)
    #expect(told(recorded) == told(plain))
    // The thread of the recorder's own is stopped like the program's.
    #expect(!(recorded.output + recorded.complaint).contains("failed to suspend"))
    #expect(CrashReading.Ending(recorded) == CrashReading.Ending(plain))
    let reading = try CrashReading(recorded, log: path)
    #expect(reading.problems == [])
    #expect(reading.lines.count == Self.before.count + 2)
  }

  // MARK: - No crash

  @Test("does not happen to a program whose log is truncated: it continues in the next log file")
  func cut() throws {
    let reading = try CrashReading("cut", log: path)
    #expect(CrashReading.Ending(reading.outcome) == .init(.exit, 0))
    var others: [Event] = []
    let numbers = reading.events.compactMap { event -> UInt64? in
      if case .registerEnd(let id) = event.body { return id.number }
      others.append(event)
      return nil
    }
    // From the cut, or the next event, to the end; nothing was lost but what was in the file.
    let first = try #require(numbers.first)
    #expect((20_000...20_001).contains(first))
    #expect(numbers == Array(first...40_000))
    let lost = first - 1 + 6
    #expect(reading.outcome.output == "lost \(lost)\nsurvived\n")
    #expect(
      others.map(reading.line) == [
        Self.live(2), Self.before[0],
        #"{"event":"dropped","thread":1,"count":\#(lost),"why":"the log could not be written"}"#,
      ]
    )
  }

  @Test("of a fork's child is in the child's log, and in no log if it has none")
  func child() throws {
    let reading = try CrashReading("child", log: path)
    #expect(reading.problems == [])
    #expect(reading.lines == Self.before)
    let output = "child ended by 11\nchild ended by 11\nsurvived\n"
    #expect(reading.outcome == Child.Outcome(output: output))
    let names = try folder.names
    try #require(names.count == 2)
    let child = try CrashReading(reading.outcome, log: folder.path(names[1]))
    #expect(names == ["log", "log.\(child.processID ?? 0)"])
    #expect(child.problems == [])
    #expect(
      child.lines == [
        Self.live(2), Self.before[0], Self.recorded(20),
        Self.crash("SIGSEGV", reason: "access to 0x0"), Self.live(2),
      ]
    )
  }
}

extension CrashReading.Ending {
  init(_ ending: Child.Outcome.Ending, _ status: Int32) {
    self.init(Child.Outcome(ending: ending, status: status))
  }
}
