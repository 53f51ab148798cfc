import Foundation
import KVOAudit
import KVOTrace
import KVOTraceBinary
import TestSupport
import Testing

private let mayStep: Bool = {
  #if arch(x86_64)
  return !Tool.isSanitized
  #else
  return false
  #endif
}()

/// A process that ends after any instruction that changed its log.
///
/// The process is stepped through by `ptrace`, and its files are compared after each instruction: so these are all states
/// that a process killed while it records can leave. Where its code is traced by another tool, there is none of this.
@Suite(
  "A process that ends at any store to its log",
  .serialized,
  .enabled(if: mayStep)
)
struct KillMatrixTests {
  enum End: Int, CaseIterable {
    case kill = 1
    case fault, abort, exit

    var signal: Int32? {
      switch self {
      case .kill: SIGKILL
      case .fault: SIGSEGV
      case .abort: SIGABRT
      case .exit: nil
      }
    }
  }

  /// What the process does meanwhile; one of them in the short form.
  static let windows = Rounds.areMany ? ["start", "record", "keep"] : ["record"]

  /// An instruction that changed the log, and how often it was executed until then.
  private struct Store: Sendable {
    var address: Substring
    var execution: Substring
  }

  /// What one run did, step by step.
  private struct Steps: Sendable {
    var stepCount: Int
    var stores: [Store]
  }

  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func probe(_ window: String, _ words: [String]) throws -> Child.Outcome {
    let environment = [
      "KVO_SAFETY_LOG": folder.path("logs") + "/log",
      "KVO_SAFETY_KEEP": window == "keep" ? "call" : "", "SWIFT_BACKTRACE": "enable=no",
    ]
    return try Child("RecorderProbe", words, environment: environment).end()
  }

  /// Empty files and folders, with the names that all runs have: other names take other steps.
  private func makeRoom() throws -> (logs: String, page: String) {
    let logs = folder.path("logs")
    try? FileManager.default.removeItem(atPath: logs)
    try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: true)
    return (logs, try folder.file("page", [UInt8](repeating: 0, count: 4096)))
  }

  private func step(_ window: String, copyingInto output: String = "") throws -> Steps {
    let (logs, page) = try makeRoom()
    let list = folder.path("stores")
    let outcome = try probe(window, ["steps", window, logs, page, output, list])
    let numbers = outcome.output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    guard numbers.count == 2 else { throw Failure(outcome.output + outcome.complaint) }
    let stores = try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n").map {
      let words = $0.split(separator: " ")
      return Store(address: words[0], execution: words[1])
    }
    #expect(stores.count == numbers[1])
    return Steps(stepCount: numbers[0], stores: stores)
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  /// Checks what is left in `logs`: all events up to the acknowledged one, whole, each once, and it can be audited.
  ///
  /// - Returns: how many events there are.
  @discardableResult
  private func expectWhole(
    _ logs: String,
    page: String,
    crashes: Bool,
    _ note: String
  ) throws -> Int {
    let acknowledged = try Data(contentsOf: URL(fileURLWithPath: page)).withUnsafeBytes {
      $0.load(as: UInt64.self)
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: logs).sorted()
    var numbers: [UInt64] = []
    var crashCount = 0
    // The kept files come before the present one, and that before one that has no name yet.
    for name in names.sorted(by: { Self.rank($0) < Self.rank($1) }) {
      let path = logs + "/" + name
      let log = try LogReading(path)
      #expect(
        log.problems.allSatisfy { $0.message.hasSuffix("ends in the middle of a record") }
          || log.events.isEmpty,
        "\(note), \(name): \(log.problems)"
      )
      #expect(log.summary.stringlessEventCount == 0, "\(note), \(name)")
      #expect(log.summary.stacklessEventCount == 0, "\(note), \(name)")
      #expect(log.summary.lostSegmentCount == 0, "\(note), \(name)")
      numbers += log.writes.values.flatMap(\.self)
      crashCount += log.eventNames.count { $0 == "crash" }
      let report = Audit().report(on: [.file(path: path)])
      #expect(report.findings == [], "\(note), \(name)")
      if log.eventNames.contains("write") {
        #expect(report.failures == [], "\(note), \(name)")
        #expect(report.inputs.first?.endings.first != .exit, "\(note), \(name)")
      }
    }
    // The one after the last may be there: its acknowledgement was not.
    let isWhole = numbers == Array(1..<1 + UInt64(numbers.count))
    #expect(isWhole, "\(note): \(numbers)")
    #expect(
      UInt64(numbers.count) == acknowledged || UInt64(numbers.count) == acknowledged + 1,
      "\(note): \(numbers)"
    )
    if !names.isEmpty, acknowledged > 0 {
      #expect((crashCount == 1) == crashes, "\(note): \(crashCount)")
    }
    return numbers.count
  }

  private static func rank(_ name: String) -> Int {
    name.contains("kept") ? 0 : name.hasSuffix(".next") ? 2 : 1
  }

  @Test(
    "loses no event whose call returned, and leaves a log that can be read, killed at every store",
    arguments: windows
  )
  func killedAtEveryStore(_ window: String) throws {
    let output = folder.path("copies")
    try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
    let steps = try step(window, copyingInto: output)
    #expect(steps.stepCount > 1_000)
    #expect(steps.stores.count > 30)
    var counts: Set<Int> = []
    for store in 1...steps.stores.count {
      counts.insert(
        try expectWhole(
          "\(output)/\(store)",
          page: "\(output)/\(store).page",
          crashes: false,
          "\(window), store \(store)"
        )
      )
    }
    // Events came in between, one by one.
    let first = window == "start" ? 0 : 3
    #expect(counts.contains(first))
    #expect(counts == Set(first...(counts.max() ?? 0)))
    print("kill matrix: \(window): \(steps.stepCount) instructions, \(steps.stores.count) stores")
  }

  @Test("the same if it crashes or exits there", arguments: windows, End.allCases)
  func ended(_ window: String, _ end: End) throws {
    let all = try step(window).stores
    // Two of them in the short form.
    let stores = Rounds.areMany ? all : [all[all.count / 3], all[2 * all.count / 3]]
    var endedCount = 0
    for (index, store) in stores.enumerated() {
      let (logs, page) = try makeRoom()
      let place = [String(store.address), String(store.execution)]
      let outcome = try probe(window, ["ends", window, page, "\(end.rawValue)"] + place)
      // Another way through the program than when it was stepped through, which takes thousands of times as long: the
      // clock is not the same, and how many bytes its numbers have.
      let said = outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
      guard let status = Int32(said) else { continue }
      let note = "\(window), \(end) at store \(index + 1)"
      if let signal = end.signal {
        #expect(status & 0x7F == signal, "\(note)")
      } else {
        #expect(status == 3 << 8, "\(note)")
      }
      try expectWhole(logs, page: page, crashes: end == .fault || end == .abort, note)
      endedCount += 1
    }
    #expect(endedCount * 8 >= stores.count * 7)
    print("kill matrix: \(window): \(endedCount) of \(stores.count) processes ended by \(end)")
  }
}
