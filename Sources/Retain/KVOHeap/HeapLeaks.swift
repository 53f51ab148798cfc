/// The objects of a snapshot that nothing but they themselves owns.
///
/// A reference count says how many owners an object has. If the proven references from some objects to each of them are as
/// many as the object counts, no other owner is left: neither on a stack nor in a register, in the kernel, or behind a
/// pointer. They keep themselves alive until one of them is changed, and only a weak, unowned or unmanaged reference
/// leads there.
///
/// Those that a word in a global, in the stack of another thread, or in memory without a description leads to are not
/// among them: it may be an unmanaged reference, by which a program means to find them again.
package struct HeapLeaks: Sendable {
  /// Whether an object leaked, by its index.
  package let isLeaked: [Bool]
  /// The cycles that keep them alive.
  package let groups: [HeapCycles.Group]
  /// What leaked objects alone lead to and is not counted: memory from the allocator, and objects that a word in memory
  /// without a description leads to.
  package let heldCount: Int
  package let heldByteCount: UInt64

  /// - Complexity: O(objects + edges).
  package init(of snapshot: HeapSnapshot) {
    // Unless all roots were read, any object may have an unmanaged reference.
    var selfOwned =
      snapshot.gaps.contains(.outOfTime)
      ? snapshot.objects.map { _ in false } : Self.selfOwned(in: snapshot)
    let outside = Self.outside(of: selfOwned, in: snapshot)
    // What may be found again, and all that is found from there.
    var waiting = snapshot.roots.filter { $0.kind.isReference }.map(\.object)
    for object in snapshot.objects.indices where outside[object] {
      for edge in snapshot.edges[snapshot.objects[object].edges] where selfOwned[edge.target] {
        waiting.append(edge.target)
      }
    }
    while let object = waiting.popLast() {
      guard selfOwned[object] else { continue }
      selfOwned[object] = false
      waiting += snapshot.edges[snapshot.objects[object].edges].lazy.map(\.target)
    }
    let isLeaked = selfOwned
    self.isLeaked = isLeaked
    groups = HeapCycles.groups(
      of: HeapCycles.components(of: snapshot).filter { isLeaked[$0[0]] },
      in: snapshot,
      isUnreached: { _ in false }
    )
    let held = Self.reached(from: isLeaked, in: snapshot) { !outside[$0] && !isLeaked[$0] }
    heldCount = held.count
    heldByteCount = held.reduce(0) { $0 &+ snapshot.objects[$1].byteCount }
  }

  /// The largest set of objects whose owners are all in it.
  ///
  /// Source: D. F. Bacon, V. T. Rajan, Concurrent Cycle Collection in Reference Counted Systems, ECOOP 2001: what is left of
  /// a count without the references of the set are owners elsewhere.
  private static func selfOwned(in snapshot: HeapSnapshot) -> [Bool] {
    let count = snapshot.objects.count
    var inner = [UInt32](repeating: 0, count: count)
    for edge in snapshot.edges where edge.isProven { inner[edge.target] += 1 }
    var isInside = [Bool](repeating: true, count: count)
    var waiting: [Int] = []
    // More references than owners: something was misread, and proves nothing.
    for isOver in [false, true] {
      for object in 0..<count where isInside[object] {
        let owners = snapshot.objects[object].ownerCount
        guard owners == 0 || inner[object] < owners || (isOver && inner[object] > owners) else {
          continue
        }
        isInside[object] = false
        waiting.append(object)
      }
      while let object = waiting.popLast() {
        for edge in snapshot.edges[snapshot.objects[object].edges] where edge.isProven {
          inner[edge.target] -= 1
          let isOwned = inner[edge.target] >= snapshot.objects[edge.target].ownerCount
          guard isInside[edge.target], !isOwned else { continue }
          isInside[edge.target] = false
          waiting.append(edge.target)
        }
      }
    }
    return isInside
  }

  /// The objects that do not own themselves, except for those that such objects alone lead to.
  private static func outside(of selfOwned: [Bool], in snapshot: HeapSnapshot) -> [Bool] {
    var isOutside = selfOwned.map { !$0 }
    for object in reached(from: selfOwned, in: snapshot, through: { !selfOwned[$0] }) {
      isOutside[object] = false
    }
    var waiting =
      snapshot.roots.map(\.object)
      + snapshot.objects.indices.filter { isOutside[$0] }
      .flatMap { snapshot.edges[snapshot.objects[$0].edges].lazy.map(\.target) }
    while let object = waiting.popLast() {
      guard !isOutside[object], !selfOwned[object] else { continue }
      isOutside[object] = true
      waiting += snapshot.edges[snapshot.objects[object].edges].lazy.map(\.target)
    }
    return isOutside
  }

  /// What references of some objects lead to, through others that count.
  private static func reached(
    from starts: [Bool],
    in snapshot: HeapSnapshot,
    through isCounted: (Int) -> Bool
  ) -> [Int] {
    var isMet = starts
    var waiting = starts.indices.filter { starts[$0] }
    var found: [Int] = []
    while let object = waiting.popLast() {
      for edge in snapshot.edges[snapshot.objects[object].edges]
      where !isMet[edge.target] && isCounted(edge.target) {
        isMet[edge.target] = true
        found.append(edge.target)
        waiting.append(edge.target)
      }
    }
    return found
  }
}

extension HeapSnapshot.RootKind {
  /// Whether a program may find an object by such a word that owns nothing.
  ///
  /// The caller's own frames and registers cannot: what they use they own, or something owns it for them.
  var isReference: Bool {
    switch self {
    case .global, .memory, .otherStack: true
    case .stack, .register: false
    }
  }
}
