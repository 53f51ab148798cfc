import Foundation
import KVOTrace
import KVOTraceBinary
import KVOTraceJSON

/// What came of a program that crashed, or did not, and what its log says.
struct CrashReading {
  /// How it ended.
  let outcome: Child.Outcome
  let log: LogReading
  /// The address of the code that failed, as printed by the program before.
  let code: Range<UInt64>

  /// The process that wrote it.
  var processID: Int? {
    for case .process(let process) in log.events.lazy.map(\.body) { return process.pid }
    return nil
  }

  /// What the program recorded: without the head of the log.
  var events: [Event] {
    log.events.filter { event in
      switch event.body {
      case .process, .module: false
      default: true
      }
    }
  }
  var problems: [BinaryLogProblem] { log.problems }
  var summary: BinaryLogSummary { log.summary }
  var names: TraceNames { log.names }

  /// Runs the probe, and reads its log.
  init(_ way: String, log path: String) throws {
    try self.init(try Self.run(way, log: path), log: path)
  }

  init(_ outcome: Child.Outcome, log path: String) throws {
    self.outcome = outcome
    log = try LogReading(path)
    let line = outcome.output.split(separator: "\n").first { $0.hasPrefix("code ") }
    let ends = line?.split(separator: " ").compactMap { UInt64($0) }
    code = ends.map { $0[0]..<$0[1] } ?? 0..<0
  }

  /// Runs the probe with a log or without.
  static func run(
    _ way: String,
    log path: String?,
    environment: [String: String] = ["SWIFT_BACKTRACE": "enable=no"]
  ) throws -> Child.Outcome {
    try Child("CrashProbe", [way] + (path.map { [$0] } ?? []), environment: environment).end()
  }

  /// The event as its canonical line, without time and stack, and with `0x…` for addresses.
  func line(_ event: Event) -> String {
    var plain = event
    plain.time = nil
    plain.stack = .none
    var bytes: [UInt8] = []
    JSONLinesWriter.append(plain, names: names, to: &bytes)
    let line = String(decoding: bytes.dropLast(), as: UTF8.self)
    guard case .crash = event.body else { return line }
    return line.replacing(/0x[0-9a-f]{5,}/, with: "0x…")
      .replacing(/Swift\/[A-Za-z]+\.swift:\d+/, with: "Swift")
  }

  var lines: [String] { events.map(line) }

  /// The stacks of the crashes.
  var crashStacks: [[UInt64]] {
    events.compactMap { event in
      guard case .crash = event.body else { return nil }
      return names[event.stack].map(\.address)
    }
  }

  /// Which frames of a stack are in the code that failed.
  func places(in stack: [UInt64]) -> [Int] {
    stack.indices.filter { code.contains(stack[$0] - 1) }
  }

  /// How a program ended, without what it said.
  struct Ending: Equatable {
    let ending: Child.Outcome.Ending
    let status: Int32

    init(_ outcome: Child.Outcome) {
      ending = outcome.ending
      status = outcome.status
    }
  }
}
