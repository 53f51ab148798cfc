import Foundation
import KVOAudit
import KVOTrace
import TestSupport
import Testing

/// A program in which one call of the recorder to the system fails.
///
/// A preloaded library fails the n-th call of a function by the program's own code, in which the recorder is.
@Suite("A system call that fails in the recorder", .enabled(if: !Tool.isSanitized))
struct FaultMatrixTests {
  private let folder: ScratchFolder
  private let shim: FaultShim

  init() throws {
    folder = try ScratchFolder()
    shim = try FaultShim(in: folder)
  }

  /// One run: its files are in a folder of their own.
  private func run(
    _ name: String,
    keep: String,
    _ environment: [String: String]
  ) throws -> Child.Outcome {
    try FileManager.default.createDirectory(
      atPath: folder.path(name),
      withIntermediateDirectories: true
    )
    var all = [
      "KVO_SAFETY_LOG": folder.path(name) + "/log",
      "KVO_SAFETY_LOG_LIMIT": "1M",
      "KVO_SAFETY_KEEP": keep,
    ]
    all.merge(environment) { $1 }
    return try Child("RecorderProbe", ["flight", "few", "keep", "few", "exit"], environment: all)
      .end()
  }

  /// How often each function is called.
  private func counts(keep: String) throws -> [String: Int] {
    let path = folder.path("counts")
    _ = try run("count", keep: keep, shim.environment(countingInto: path))
    return try FaultShim.counts(in: path)
  }

  /// What does not come of one call for each: names, and deallocations, which the library hooks by a call that may be
  /// the one that fails.
  private static let uncounted: Set = [
    "process", "module", "threadName", "dropped", "keep", "live", "deinit", "deinitEnd",
  ]

  /// How many events of the program the logs in a folder have, and how many they count as lost.
  private func content(_ name: String) throws -> (hasCount: Int, lostCount: Int) {
    var content = (hasCount: 0, lostCount: 0)
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path(name)) {
      let log = try LogReading(folder.path(name) + "/" + file)
      content.hasCount += log.eventNames.count { !Self.uncounted.contains($0) }
      content.lostCount += Int(log.droppedCount)
    }
    return content
  }

  @Test(
    "changes neither output nor status, and loses no event that is not counted",
    arguments: ["", "call"]
  )
  func failing(keep: String) throws {
    let counts = try counts(keep: keep)
    let whole = keep.isEmpty ? try content("count").hasCount : 0
    let unseen = ["open", "fallocate", "mmap", "malloc"].filter { counts[$0, default: 0] == 0 }
    #expect(unseen == [])
    let faults = FaultShim.faults(in: counts)
    for fault in faults {
      try check("\(keep)-\(fault)", keep: keep, whole: whole, shim.environment(fault))
    }
    #expect(Set(faults.map(\.call)).count > 15)
    #expect(faults.count > 30 || !Rounds.areMany)
    print("fault matrix: keep \"\(keep)\": \(faults.count) runs, one failing call each")
  }

  private func check(
    _ name: String,
    keep: String,
    whole: Int,
    _ environment: [String: String]
  ) throws {
    let outcome = try run(name, keep: keep, environment)
    #expect(outcome.ending == .exit && outcome.status == 7, "\(name): \(outcome)")
    #expect(outcome.output == "few\nkeep\nfew\n", "\(name): \(outcome)")
    try checkLogs(name, keep: keep, whole: whole, outcome)
    try FileManager.default.removeItem(atPath: folder.path(name))
  }

  private func checkLogs(_ name: String, keep: String, whole: Int, _ outcome: Child.Outcome) throws
  {
    let lines = outcome.complaint.split(separator: "\n")
    #expect(lines.allSatisfy { $0.hasPrefix("KVOSafety: ") }, "\(name): \(outcome)")
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path(name)) {
      let report = Audit().report(on: [.file(path: folder.path(name) + "/" + file)])
      #expect(report.findings == [], "\(name), \(file)")
    }
    guard keep.isEmpty else { return }
    let found = try content(name)
    // No log: that is said. A log: what it lacks is counted.
    if found.hasCount == 0 {
      #expect(!lines.isEmpty, "\(name)")
    } else {
      #expect(found.hasCount + found.lostCount >= whole, "\(name): \(found) of \(whole)")
    }
  }
}
