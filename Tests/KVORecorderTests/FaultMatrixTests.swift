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
  private static let errors: [String: [Int32]] = [
    "open": [EACCES, EMFILE, ENFILE, ENOENT, ENOSPC, EROFS, EINTR, ELOOP, EIO],
    "close": [EINTR, EIO],
    "read": [EIO, EINTR],
    "pread": [EIO, EINTR],
    "pwrite": [EIO, ENOSPC, EINTR, EDQUOT],
    "fallocate": [ENOSPC, EOPNOTSUPP, EINTR, EIO, EFBIG, EDQUOT],
    "ftruncate": [EIO, EINTR, EPERM],
    "mmap": [ENOMEM, EACCES, ENODEV],
    "munmap": [ENOMEM],
    "mprotect": [ENOMEM, EACCES],
    "madvise": [EINVAL, ENOMEM],
    "rename": [EACCES, ENOSPC, EIO, EROFS],
    "unlink": [EACCES, EIO],
    "flock": [EWOULDBLOCK, ENOLCK, EINTR],
    "fstat": [EIO],
    "lstat": [EIO, EACCES],
    "stat": [EIO, EACCES],
    "mkdir": [EACCES],
    "pthread_create": [EAGAIN],
    "sem_init": [ENOSYS],
    "malloc": [ENOMEM],
    "calloc": [ENOMEM],
    "realloc": [ENOMEM],
    "readlink": [EACCES],
    "sigaltstack": [ENOMEM],
  ]

  private let folder: ScratchFolder
  private let library: String

  init() throws {
    folder = try ScratchFolder()
    library = folder.path("libfaults.so")
    let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Programs/FaultShim/faults.c").path
    let build = try Child(
      "/usr/bin/env",
      ["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"]
    ).end()
    guard build.status == 0 else { throw Failure(description: build.complaint) }
  }

  private struct Failure: Error, CustomStringConvertible { let description: String }

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
      "LD_PRELOAD": library, "KVO_SAFETY_LOG": folder.path(name) + "/log",
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
    _ = try run("count", keep: keep, ["FAULT_COUNTS": path])
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    let pairs = lines.map { $0.split(separator: " ") }.map { (String($0[0]), Int($0[1]) ?? 0) }
    return Dictionary(uniqueKeysWithValues: pairs)
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
    var runCount = 0
    #expect(
      ["open", "fallocate", "mmap", "malloc"].filter { counts[$0] ?? 0 == 0 } == [],
      "are not seen"
    )
    for (call, errors) in Self.errors.sorted(by: { $0.key < $1.key }) {
      let count = counts[call] ?? 0
      guard count > 0 else { continue }
      // A few in the short form.
      let numbers =
        Rounds.areMany ? Array(1...count) : Array(Set([1, (count + 1) / 2, count])).sorted()
      for number in numbers {
        for error in Rounds.areMany ? errors : Array(errors.prefix(1)) {
          let name = "\(keep)-\(call)-\(number)-\(error)"
          try check(
            name,
            keep: keep,
            whole: whole,
            ["FAULT_CALL": call, "FAULT_NUMBER": "\(number)", "FAULT_ERRNO": "\(error)"]
          )
          runCount += 1
        }
      }
    }
    #expect(runCount > 30)
    print("fault matrix: keep \"\(keep)\": \(runCount) runs, one failing call each")
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
