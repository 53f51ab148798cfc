import KVOAudit
import KVOHeap
import KVORules

/// What holds some objects of a snapshot.
struct Holders {
  private let snapshot: HeapSnapshot
  private let leaks: HeapLeaks
  private let groups: [Int: Int]
  private var finder: PathFinder
  private var paths: [Int: Path] = [:]
  /// The cycles that were found, by object: many observations may be of one.
  private var cycles: [Int: SnapshotReport.Chain] = [:]

  /// A path from a root, without its middle if it is long.
  private struct Path {
    var root: SnapshotReport.Root
    var chain: SnapshotReport.Chain
  }

  init(_ snapshot: HeapSnapshot, _ leaks: HeapLeaks, _ groups: [Int: Int]) {
    self.snapshot = snapshot
    self.leaks = leaks
    self.groups = groups
    finder = PathFinder(snapshot)
  }

  /// Finds the paths to `objects`.
  mutating func find(_ objects: Set<Int>) {
    let snapshot = snapshot
    paths = finder.paths(to: objects) { path in
      Path(
        root: SnapshotReport.Root(kind: path.root.kind.name, address: path.root.address),
        chain: Self.chain(path.steps, to: path.target, in: snapshot)
      )
    }
  }

  /// What holds `index`, which is `object` in the log and was among those to find.
  mutating func held(_ object: Finding.Object, _ index: Int) -> SnapshotReport.Held {
    SnapshotReport.Held(
      object: object,
      address: snapshot.objects[index].address,
      byteCount: snapshot.objects[index].byteCount,
      root: paths[index]?.root,
      path: paths[index]?.chain ?? SnapshotReport.Chain(steps: []),
      cycle: cycle(through: index),
      isLeaked: leaks.isLeaked[index]
    )
  }

  /// The shortest cycle through an object of a group that keeps itself alive; empty for others.
  private mutating func cycle(through index: Int) -> SnapshotReport.Chain {
    guard let group = groups[index] else { return SnapshotReport.Chain(steps: []) }
    if let known = cycles[index] { return known }
    let groups = groups
    let steps = finder.cycle(through: index) { groups[$0] == group }
    let chain =
      steps.isEmpty
      ? SnapshotReport.Chain(steps: []) : Self.chain(steps, to: index, in: snapshot)
    cycles[index] = chain
    return chain
  }

  private static func chain(
    _ steps: [HeapPath.Step],
    to target: Int,
    in snapshot: HeapSnapshot
  ) -> SnapshotReport.Chain {
    let end = SnapshotReport.Chain.endCount
    // The target is the last of the steps.
    let leftOutCount = max(steps.count + 1 - 2 * end, 0)
    let shown = leftOutCount > 0 ? steps.prefix(end) + steps.suffix(end - 1) : steps[...]
    var all = shown.map { shown in
      let edge = snapshot.edges[shown.edge]
      return step(shown.object, edge.label, edge.isProven, in: snapshot)
    }
    all.append(step(target, "", true, in: snapshot))
    return SnapshotReport.Chain(steps: all, leftOutCount: leftOutCount)
  }

  private static func step(
    _ object: Int,
    _ label: String,
    _ isProven: Bool,
    in snapshot: HeapSnapshot
  ) -> SnapshotReport.Chain.Step {
    SnapshotReport.Chain.Step(
      className: snapshot.classOf(object).name,
      address: snapshot.objects[object].address,
      label: label,
      isProven: isProven
    )
  }
}
