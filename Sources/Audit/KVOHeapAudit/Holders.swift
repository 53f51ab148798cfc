import KVOAudit
import KVOHeap
import KVORules

/// What holds some objects of a snapshot.
struct Holders {
  private let snapshot: HeapSnapshot
  private let leaks: HeapLeaks
  private let groups: [Int: Int]
  private var finder: PathFinder
  private var paths: [Int: HeapPath] = [:]
  /// The cycles that were found, by object: many observations may be of one.
  private var cycles: [Int: [HeapPath.Step]] = [:]

  init(_ snapshot: HeapSnapshot, _ leaks: HeapLeaks, _ groups: [Int: Int]) {
    self.snapshot = snapshot
    self.leaks = leaks
    self.groups = groups
    finder = PathFinder(snapshot)
  }

  /// Finds the paths to `objects`.
  mutating func find(_ objects: Set<Int>) {
    paths = finder.paths(to: objects)
  }

  /// What holds `index`, which is `object` in the log and was among those to find.
  mutating func held(_ object: Finding.Object, _ index: Int) -> SnapshotReport.Held {
    let path = paths[index]
    let cycle = cycle(through: index)
    return SnapshotReport.Held(
      object: object,
      address: snapshot.objects[index].address,
      byteCount: snapshot.objects[index].byteCount,
      root: path.map { SnapshotReport.Root(kind: $0.root.kind.name, address: $0.root.address) },
      path: path.map { chain($0.steps, to: index) } ?? SnapshotReport.Chain(steps: []),
      cycle: cycle.isEmpty ? SnapshotReport.Chain(steps: []) : chain(cycle, to: index),
      isLeaked: leaks.isLeaked[index]
    )
  }

  /// The shortest cycle through an object of a group that keeps itself alive; empty for others.
  private mutating func cycle(through index: Int) -> [HeapPath.Step] {
    guard let group = groups[index] else { return [] }
    if let known = cycles[index] { return known }
    let groups = groups
    let cycle = finder.cycle(through: index) { groups[$0] == group }
    cycles[index] = cycle
    return cycle
  }

  private func chain(_ steps: [HeapPath.Step], to target: Int) -> SnapshotReport.Chain {
    var all = steps.map { step in
      let edge = snapshot.edges[step.edge]
      return self.step(step.object, edge.label, edge.isProven)
    }
    all.append(step(target, "", true))
    let end = SnapshotReport.Chain.endCount
    guard all.count > 2 * end else { return SnapshotReport.Chain(steps: all) }
    return SnapshotReport.Chain(
      steps: Array(all.prefix(end) + all.suffix(end)),
      leftOutCount: all.count - 2 * end
    )
  }

  private func step(
    _ object: Int,
    _ label: String,
    _ isProven: Bool
  ) -> SnapshotReport.Chain.Step {
    SnapshotReport.Chain.Step(
      className: snapshot.classOf(object).name,
      address: snapshot.objects[object].address,
      label: label,
      isProven: isProven
    )
  }
}
