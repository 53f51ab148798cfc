/// The objects of a snapshot by class.
package struct HeapClasses: Hashable, Sendable {
  package struct Row: Hashable, Sendable {
    package var name: String
    package var module: String
    package var kind: HeapSnapshot.Kind
    package var count: Int
    /// The bytes of the objects themselves.
    package var byteCount: UInt64
    /// The bytes of all objects that are reachable only through objects of the class; each counts
    /// once.
    package var retainedByteCount: UInt64
    /// The number of unreachable objects of the class.
    ///
    /// They retain nothing.
    package var unreachedCount: Int

    /// The name with the module as a prefix, if that is known.
    package var fullName: String { module.isEmpty ? name : "\(module).\(name)" }
  }

  /// The classes, those that retain most first.
  package let rows: [Row]

  /// - Complexity: O(objects + edges).
  package init(of snapshot: HeapSnapshot, _ dominators: Dominators) {
    var rows = snapshot.classes.map {
      Row(
        name: $0.name,
        module: $0.module,
        kind: $0.kind,
        count: 0,
        byteCount: 0,
        retainedByteCount: 0,
        unreachedCount: 0
      )
    }
    for (object, nearest) in zip(snapshot.objects, dominators.nearest) {
      rows[object.classIndex].count += 1
      rows[object.classIndex].byteCount &+= object.byteCount
      if nearest < 0 { rows[object.classIndex].unreachedCount += 1 }
    }
    let retained = dominators.retainedByteCounts(in: snapshot)
    Self.forEachOutermost(in: snapshot, dominators) { object in
      rows[snapshot.objects[object].classIndex].retainedByteCount &+= retained[object]
    }
    self.rows = rows.filter { $0.count > 0 }
      .sorted {
        ($1.retainedByteCount, $1.byteCount, $0.fullName)
          < ($0.retainedByteCount, $0.byteCount, $1.fullName)
      }
  }

  /// Calls `body` with each object that is not dominated by another object of its class.
  private static func forEachOutermost(
    in snapshot: HeapSnapshot,
    _ dominators: Dominators,
    _ body: (Int) -> Void
  ) {
    let count = snapshot.objects.count
    // The objects that each one immediately dominates, as linked lists.
    var first = [Int32](repeating: -1, count: count + 1)
    var next = [Int32](repeating: -1, count: count)
    for object in dominators.order.reversed() {
      next[object] = first[dominators.nearest[object]]
      first[dominators.nearest[object]] = Int32(object)
    }
    // The number of objects of each class on the current path.
    var depths = [Int32](repeating: 0, count: snapshot.classes.count)
    var path: [Int] = []
    var current = first[count]
    while current >= 0 || !path.isEmpty {
      guard current >= 0 else {
        let object = path.removeLast()
        depths[snapshot.objects[object].classIndex] -= 1
        current = next[object]
        continue
      }
      let object = Int(current)
      let classIndex = snapshot.objects[object].classIndex
      if depths[classIndex] == 0 { body(object) }
      depths[classIndex] += 1
      path.append(object)
      current = first[object]
    }
  }
}
