/// What a later snapshot of a process contains in addition to an earlier one.
package struct HeapDifference: Hashable, Sendable {
  package struct Row: Hashable, Sendable {
    /// The class, with its module if that is known.
    package var name: String
    package var oldCount: Int
    package var newCount: Int
    package var oldByteCount: UInt64
    package var newByteCount: UInt64
    /// What holds the objects that are not in the earlier snapshot, the most frequent holders
    /// first.
    package var holders: [Holder]
  }

  /// Objects through which alone new objects are reachable.
  package struct Holder: Hashable, Sendable {
    /// `Cache`; `no single object` if only all roots together hold them; `nothing` if they are
    /// unreachable.
    package var name: String
    /// The number of new objects that it holds.
    package var count: Int
  }

  /// The classes with more objects, those with most added bytes first.
  package let grown: [Row]
  /// The classes with fewer objects.
  package let shrunk: [Row]

  /// - Parameters:
  ///   - old: the earlier snapshot.
  ///   - new: the later one.
  ///   - dominators: those of the later one.
  /// - Complexity: O(objects).
  package init(from old: HeapSnapshot, to new: HeapSnapshot, _ dominators: Dominators) {
    var rows: [String: Row] = [:]
    func row(_ name: String) -> Row {
      rows[name]
        ?? Row(name: name, oldCount: 0, newCount: 0, oldByteCount: 0, newByteCount: 0, holders: [])
    }
    // Addresses of different processes cannot be compared.
    let isOneProcess = old.isOfSameProcess(as: new)
    var known: [UInt64: Int] = [:]
    for object in old.objects {
      if isOneProcess { known[object.address] = object.classIndex }
      let name = old.classes[object.classIndex].fullName
      var counted = row(name)
      counted.oldCount += 1
      counted.oldByteCount &+= object.byteCount
      rows[name] = counted
    }
    var holders: [String: [String: Int]] = [:]
    for (number, object) in new.objects.enumerated() {
      let name = new.classes[object.classIndex].fullName
      var counted = row(name)
      counted.newCount += 1
      counted.newByteCount &+= object.byteCount
      rows[name] = counted
      if known[object.address].map({ old.classes[$0].fullName == name }) ?? false { continue }
      let nearest = dominators.nearest[number]
      let holder =
        nearest < 0
        ? "nothing"
        : nearest == new.objects.count ? "no single object" : new.classOf(nearest).fullName
      holders[name, default: [:]][holder, default: 0] += 1
    }
    let changed = rows.values.filter { $0.oldCount != $0.newCount }
      .map { row in
        var row = row
        row.holders = (holders[row.name] ?? [:]).map { Holder(name: $0.key, count: $0.value) }
          .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
        return row
      }
    grown = changed.filter { $0.newCount > $0.oldCount }
      .sorted { (Self.change($1), $0.name) < (Self.change($0), $1.name) }
    shrunk = changed.filter { $0.newCount < $0.oldCount }
      .sorted { (Self.change($0), $0.name) < (Self.change($1), $1.name) }
  }

  private static func change(_ row: Row) -> Int64 {
    Int64(truncatingIfNeeded: row.newByteCount) &- Int64(truncatingIfNeeded: row.oldByteCount)
  }
}
