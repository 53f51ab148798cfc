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

  /// The steps of one run.
  private struct Steps {
    var stepCount = 0
    var storeCount = 0
    var status: Int32 = 0
  }

  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func step(_ window: String, _ name: String, end: Int = 0, store: Int = 0) throws -> Steps
  {
    let logs = folder.path("\(name)-logs")
    let output = folder.path("\(name)-output")
    for path in [logs, output] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    let page = try folder.file("\(name)-page", [UInt8](repeating: 0, count: 4096))
    let outcome = try Child(
      "RecorderProbe",
      ["steps", window, logs, page, output, "\(end)", "\(store)"],
      environment: [
        "KVO_SAFETY_LOG": logs + "/log", "KVO_SAFETY_KEEP": window == "keep" ? "call" : "",
        "SWIFT_BACKTRACE": "enable=no",
      ]
    ).end()
    let numbers = outcome.output.split(separator: " ").map {
      $0.trimmingCharacters(in: .whitespacesAndNewlines)
    }
    guard numbers.count == 3 else { throw Failure(outcome.output + outcome.complaint) }
    return Steps(
      stepCount: Int(numbers[0]) ?? 0,
      storeCount: Int(numbers[1]) ?? 0,
      status: Int32(numbers[2]) ?? 0
    )
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
    let steps = try step(window, "all")
    let output = folder.path("all-output")
    #expect(steps.stepCount > 1_000)
    #expect(steps.storeCount > 30)
    var counts: Set<Int> = []
    for store in 1...steps.storeCount {
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
    print("kill matrix: \(window): \(steps.stepCount) instructions, \(steps.storeCount) stores")
  }

  @Test("the same if it crashes or exits there", arguments: windows, End.allCases)
  func ended(_ window: String, _ end: End) throws {
    // Two of them in the short form, twenty in the long one, and all with KVO_SAFETY_ROUNDS=1000.
    var stores = [40, 90]
    if Rounds.areMany {
      let count = try step(window, "count", end: End.kill.rawValue, store: .max).storeCount
      let stride = max(1, count / Rounds.count(2))
      stores = Array(Swift.stride(from: 1 + stride / 2, through: count, by: stride))
    }
    var ends = 0
    for store in stores {
      let name = "\(end)-\(store)"
      let steps = try step(window, name, end: end.rawValue, store: store)
      if let signal = end.signal {
        #expect(steps.status & 0x7F == signal, "\(window), \(name)")
      } else {
        #expect(steps.status == 3 << 8, "\(window), \(name)")
      }
      let crashes = end == .fault || end == .abort
      try expectWhole(
        folder.path("\(name)-logs"),
        page: folder.path("\(name)-page"),
        crashes: crashes,
        "\(window), \(name)"
      )
      ends += 1
      for part in ["logs", "output"] {
        try FileManager.default.removeItem(atPath: folder.path("\(name)-\(part)"))
      }
    }
    #expect(ends > 1)
    print("kill matrix: \(window): \(ends) processes ended by \(end)")
  }
}
