package import KVOAudit
package import KVOHeap
import KVOTrace

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Whether a heap snapshot is of a process that a log is of.
///
/// A process id is used again, in containers for each run. The addresses at which images were loaded, which the system
/// chooses anew for each process, and the times tell such processes apart. All of these must agree:
///
/// 1. The snapshot says which of its objects logs name.
/// 2. The log is of a Swift program, and names its process id: the snapshot's.
/// 3. Each image that both know by its path was loaded at the same address, and there is such an image. One that was
///    loaded again has several addresses in the log; one of them is enough.
/// 4. The log began after the process of the snapshot was started, and before the snapshot was written.
/// 5. The log knows no object by its address alone: that may have been another object's before.
///
/// Then a number is that of one object: the observation library of the process gave it to both files, and never gives it
/// again.
package struct SnapshotIdentity {
  private let snapshot: HeapSnapshot
  private let starts: [String: UInt64]

  package init(_ snapshot: HeapSnapshot) {
    self.snapshot = snapshot
    starts = Dictionary(snapshot.images.map { ($0.path, $0.start) }, uniquingKeysWith: min)
  }

  /// Why the snapshot is not of `process`, as the rest of a sentence; nil: it is.
  package func problem(with process: LoggedProcess) -> String? {
    guard snapshot.numbered != nil else {
      return
        "it is of an earlier version, which does not say which objects logs name; write it anew"
    }
    guard let info = process.info, let pid = info.pid else {
      return "the log does not name its process"
    }
    guard pid == Int(snapshot.processID), info.runtime ?? .swift == .swift else {
      return "it is of process \(snapshot.processID), and no log is"
    }
    let common = process.images.filter { starts[$0.path] != nil }
    guard !common.isEmpty else {
      return "the log and it have no image in common, so that they may be of two processes"
    }
    let logged = Dictionary(grouping: common, by: \.path)
    guard logged.allSatisfy({ path, images in images.contains { $0.textStart == starts[path] } })
    else {
      return "process \(pid) of the log is another one: its images were at other addresses"
    }
    guard began(info) else {
      return "process \(pid) of the log is another one: it was not running at that time"
    }
    guard process.numbersObjects else {
      return "the log knows objects by their addresses alone, which other objects may have had"
    }
    return nil
  }

  /// Whether the log began while the process of the snapshot ran, to the second in which logs and the system state that.
  private func began(_ info: KVOTrace.ProcessInfo) -> Bool {
    guard let text = info.started, let date = try? Date(text, strategy: .iso8601) else {
      return false
    }
    let began = date.timeIntervalSince1970
    let (started, written) = (seconds(snapshot.processStart), seconds(snapshot.time))
    return began >= started - Self.tolerance && began <= written + Self.tolerance
  }

  /// Logs have whole seconds, and the clock of the system may be adjusted.
  private static let tolerance = 2.0

  private func seconds(_ nanoseconds: UInt64) -> Double { Double(nanoseconds) / 1e9 }
}
