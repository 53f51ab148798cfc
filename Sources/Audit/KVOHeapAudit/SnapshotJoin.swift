package import KVOAudit
package import KVOHeap
import KVORules
import KVOTrace

/// Finds the objects of a report in a heap snapshot, and what holds them.
///
/// Complexity of all: O(objects + edges) of the snapshot, for each of its cycles once more as many as the cycle's group of
/// objects has, and O(findings + live registrations).
package struct SnapshotJoin {
  private let snapshot: HeapSnapshot
  private let path: String
  private let leaks: HeapLeaks
  /// The number of the group of objects that keep each other alive, by object.
  private let groups: [Int: Int]
  /// By their numbers in logs.
  private let numbered: [UInt64: HeapSnapshot.NumberedObject]

  /// - Parameters:
  ///   - snapshot: what was read.
  ///   - path: the file, for the report.
  package init(_ snapshot: HeapSnapshot, path: String) {
    self.snapshot = snapshot
    self.path = path
    leaks = HeapLeaks(of: snapshot)
    var groups: [Int: Int] = [:]
    for (number, component) in HeapCycles.components(of: snapshot).enumerated() {
      for object in component { groups[object] = number }
    }
    self.groups = groups
    numbered = Dictionary(
      (snapshot.numbered ?? []).map { ($0.number, $0) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// Adds to `report`, whose processes were kept, what the snapshot says.
  package func join(_ report: inout AuditReport) {
    var result = SnapshotReport(
      path: path,
      processName: snapshot.processName,
      processID: Int(snapshot.processID),
      objectCount: snapshot.objects.count
    )
    result.gaps = snapshot.gaps.texts
    result.leaks = leaks.groups.map { group in
      SnapshotReport.Leak(
        text: group.ends.map { "\($0.head)… (\($0.leftOutCount) more) … \($0.tail)" } ?? group.text,
        count: group.count,
        objectCount: group.objectCount,
        byteCount: group.byteCount,
        address: group.address
      )
    }
    let identity = SnapshotIdentity(snapshot)
    let judged = report.processes.map { ($0, identity.problem(with: $0)) }
    let processes = judged.filter { $1 == nil }.map(\.0)
    if processes.isEmpty {
      // That of a process with the right number says more.
      result.problem =
        judged.first { $0.0.info?.pid == Int(snapshot.processID) }?.1 ?? judged.last?.1
        ?? "no log was read"
      report.snapshot = result
      return
    }
    tie(report.findings, of: processes, to: &result)
    report.snapshot = result
  }

  private func tie(
    _ findings: [Finding],
    of processes: [LoggedProcess],
    to result: inout SnapshotReport
  ) {
    // A finding does not say which process of its log it is of.
    let inputs = Set(processes.map(\.input))
    let ofInputs = findings.filter { inputs.contains($0.input) }
    let tiedFindings = (ofInputs + ofInputs.flatMap(\.consequences)).compactMap { finding in
      tied(Self.objects(of: finding)).map { (finding.signature, $0) }
    }
    var tiedRegistrations: [(registration: LoggedProcess.LiveRegistration, input: Int, [Tied])] = []
    for process in processes {
      for registration in process.live {
        let objects = [registration.subject, registration.observer].compactMap(\.self)
        guard let tied = tied(objects) else {
          result.absentCount += 1
          continue
        }
        result.registrationCount += 1
        if tiedRegistrations.count < SnapshotReport.registrationLimit {
          tiedRegistrations.append((registration, process.input, tied))
        }
      }
    }
    var holders = Holders(snapshot, leaks, groups)
    let all = tiedFindings.flatMap(\.1) + tiedRegistrations.flatMap(\.2)
    holders.find(Set(all.map(\.index)))
    result.findings = tiedFindings.map { signature, tied in
      let held = tied.map { holders.held($0.object, $0.index) }
      return SnapshotReport.HeldFinding(signature: signature, held: held)
    }
    result.registrations = tiedRegistrations.map { registration, input, tied in
      let held = tied.map { holders.held($0.object, $0.index) }
      return SnapshotReport.HeldRegistration(registration, input: input, held: held)
    }
  }

  /// An object of a log, and its index in the snapshot.
  private struct Tied {
    var object: Finding.Object
    var index: Int
  }

  /// Those of `objects` that the snapshot has: the same number, and the same class; nil: none.
  private func tied(_ objects: [Finding.Object]) -> [Tied]? {
    let tied = objects.compactMap { object -> Tied? in
      guard let number = UInt64(object.id), let found = numbered[number],
        found.className == object.className
      else { return nil }
      return Tied(object: object, index: found.object)
    }
    return tied.isEmpty ? nil : tied
  }

  /// The observed object, the observer, and the objects of a cycle, each once.
  private static func objects(of finding: Finding) -> [Finding.Object] {
    var met: Set<Finding.Object> = []
    let all = [finding.subject, finding.observer].compactMap(\.self) + finding.cycle.map(\.from)
    return all.filter { met.insert($0).inserted }
  }
}
