internal import CKVORetention

/// The objects of a walk that may be part of a cycle.
///
/// Every cycle consists of such objects only.
///
/// A tree edge leads one step farther from the roots. A cycle must therefore contain a non-tree
/// edge that does not: a back edge to a smaller distance, or an edge to the same distance. An edge
/// to the same distance matters only if its source is shared: in a cycle of such edges alone, none
/// is a tree edge, so at least two references lead to each object.
///
/// 1. A non-tree edge that may close a cycle makes its source a candidate, and all ancestors of the
///    source: its parents up to the root, and the sources of non-tree edges to any of those. In
///    most programs there are none.
/// 2. If there are too many ancestors, the candidates are the objects that are reachable from the
///    targets of these edges. They are few if, for example, many objects refer to one that refers
///    to few.
/// 3. If these are too many as well, objects that refer to no remaining object are removed,
///    repeatedly.
struct CycleCandidates: ~Copyable {
  private typealias Granule = ObjectGranules.Granule

  /// The limits of the first two methods, in objects.
  struct Limits {
    var ancestors: Int
    var reachable: Int
    /// The number of objects that are examined before the next blocks may be skipped.
    var block = 1024

    /// An eighth of the objects, plus 10,000.
    init(objectCount: Int) {
      ancestors = objectCount / 8 + 10_000
      reachable = ancestors
    }

    init(ancestors: Int, reachable: Int, block: Int) {
      self.ancestors = ancestors
      self.reachable = reachable
      self.block = block
    }
  }

  private static let passLimit = 4
  /// After a block of which less than one in `removedPart` objects was removed, this many blocks are
  /// skipped.
  private static let skippedBlockCount = 8
  private static let removedPart = 8
  private static let fetchDistance = 24

  /// The numbers of the candidates among the reached objects, in rising order.
  private(set) var objects: [UInt32] = []

  /// - Parameters:
  ///   - reached: the objects that a walk reached. Overwrites the notes of their granules.
  ///   - collector: reads objects.
  ///   - limits: the limits of the methods; nil derives them from the number of objects.
  /// - Complexity: O(n) in objects and references.
  init(
    of reached: borrowing ReachedObjects,
    _ collector: inout ReferenceCollector,
    limits: Limits? = nil
  ) {
    let limits = limits ?? Limits(objectCount: reached.count)
    var closing = ClosingEdges()
    if let ancestors = Self.ancestors(
      to: &closing,
      of: reached,
      &collector,
      limit: limits.ancestors
    ) {
      objects = ancestors
    } else if let reachable = Self.reachable(
      closing,
      of: reached,
      &collector,
      limit: limits.reachable
    ) {
      objects = reachable
    } else {
      objects = Self.remaining(of: reached, &collector, limits)
    }
  }

  // MARK: Ancestors of edges that may close a cycle

  /// The targets of non-tree edges that may close a cycle, each once.
  private struct ClosingEdges {
    /// Whether the object at a target keeps any other object alive.
    private var answers: [Granule: Bool] = [:]

    var targets: [Granule] { answers.filter(\.value).map(\.key) }

    /// Whether a non-tree edge to `target`, which may close a cycle by its flags and notes, still
    /// may.
    ///
    /// It may not if its target refers to nothing.
    mutating func take(
      _ target: Granule,
      of reached: borrowing ReachedObjects,
      _ collector: inout ReferenceCollector
    ) -> Bool {
      if let answer = answers[target] { return answer }
      let plan = collector.collect(reached.granules.address(of: target))
      let answer = plan == nil || collector.references.count > 0
      answers[target] = answer
      return answer
    }
  }

  private static func ancestors(
    to closing: inout ClosingEdges,
    of reached: borrowing ReachedObjects,
    _ collector: inout ReferenceCollector,
    limit: Int
  ) -> [UInt32]? {
    var ancestors = AncestorObjects(of: reached)
    // From the last one: most non-tree edges lead to objects that were met later.
    for number in stride(from: reached.nonTreeEdges.count - 1, through: 0, by: -1) {
      let edge = reached.nonTreeEdges[number]
      ancestors.fetch(reached.nonTreeEdges, number)
      var leads = ancestors.isFound(ReachedObjects.granule(edge))
      if ReachedObjects.isFlagged(edge), ancestors.mayClose(edge) {
        leads = closing.take(ReachedObjects.granule(edge), of: reached, &collector) || leads
      }
      if leads { ancestors.add(ReachedObjects.object(edge)) }
    }
    for _ in 0..<passLimit {
      if ancestors.objects.count > limit { return nil }
      // A backward pass misses edges to objects that were met before their source: such a target
      // may become a candidate after the edge was examined.
      if !ancestors.addSources(reached.nonTreeEdges, where: ReachedObjects.isFlagged) {
        return ancestors.objects.sorted()
      }
      _ = ancestors.addSources(reached.nonTreeEdges) { _ in true }
    }
    return nil
  }

  /// The sources of edges that may close a cycle, and their ancestors.
  private struct AncestorObjects {
    private let notes: UnsafeMutablePointer<UInt8>
    private let entries: UnsafeMutablePointer<UInt64>
    private(set) var objects: [UInt32] = []

    init(of reached: borrowing ReachedObjects) {
      notes = reached.granules.notes
      entries = reached.entries.start
    }

    /// Prefetches the memory that is needed for a non-tree edge some positions before `number`.
    @inline(__always)
    func fetch(_ nonTreeEdges: borrowing GrowingList<UInt64>, _ number: Int) {
      let edge = nonTreeEdges[max(number - CycleCandidates.fetchDistance, 0)]
      kvos_fetch(UInt(bitPattern: notes + Int(ReachedObjects.granule(edge))))
      guard ReachedObjects.isAsFar(edge) else { return }
      let source = entries[Int(ReachedObjects.object(edge))]
      kvos_fetch(UInt(bitPattern: notes + Int(ReachedObjects.granule(source))))
    }

    @inline(__always)
    func isFound(_ granule: Granule) -> Bool { notes[Int(granule)] == GranuleNote.candidate }

    /// Whether an edge that leads to no greater distance may close a cycle.
    @inline(__always)
    func mayClose(_ edge: UInt64) -> Bool {
      guard ReachedObjects.isAsFar(edge) else { return true }
      let source = entries[Int(ReachedObjects.object(edge))]
      let note = notes[Int(ReachedObjects.granule(source))]
      // A candidate's note no longer says whether it is shared.
      return note & GranuleNote.isShared != 0 || note == GranuleNote.candidate
    }

    /// Adds an object and its parents up to the root.
    mutating func add(_ first: UInt32) {
      var object = first
      while object != ReachedObjects.noParent {
        let entry = entries[Int(object)]
        if isFound(ReachedObjects.granule(entry)) { return }
        notes[Int(ReachedObjects.granule(entry))] = GranuleNote.candidate
        objects.append(object)
        object = ReachedObjects.object(entry)
      }
    }

    /// Adds the source of each of some edges that leads to an added object; false if none is new.
    @inline(__always)
    mutating func addSources(
      _ nonTreeEdges: borrowing GrowingList<UInt64>,
      where isMeant: (UInt64) -> Bool
    ) -> Bool {
      let before = objects.count
      if before == 0 { return false }
      for number in stride(from: nonTreeEdges.count - 1, through: 0, by: -1) {
        let edge = nonTreeEdges[number]
        fetch(nonTreeEdges, number)
        if isMeant(edge), isFound(ReachedObjects.granule(edge)) {
          add(ReachedObjects.object(edge))
        }
      }
      return objects.count > before
    }
  }

  // MARK: Objects that are reachable from the targets

  private static func reachable(
    _ closing: ClosingEdges,
    of reached: borrowing ReachedObjects,
    _ collector: inout ReferenceCollector,
    limit: Int
  ) -> [UInt32]? {
    let notes = reached.granules.notes
    var waiting: [Granule] = []
    var count = 0
    func add(_ granule: Granule) {
      let note = notes + Int(granule)
      if note.pointee == GranuleNote.isReachable { return }
      note.pointee = GranuleNote.isReachable
      waiting.append(granule)
      count += 1
    }
    for target in closing.targets { add(target) }
    while let granule = waiting.popLast() {
      guard count <= limit else { return nil }
      _ = collector.collect(reached.granules.address(of: granule))
      for number in 0..<collector.references.count {
        let address = collector.references[number] & ~ReachedObjects.suspected
        if let granule = reached.granules.granule(of: address) { add(granule) }
      }
    }
    return numbers(of: reached) { notes[Int($0)] == GranuleNote.isReachable }
  }

  private static func numbers(
    of reached: borrowing ReachedObjects,
    where isMeant: (Granule) -> Bool
  ) -> [UInt32] {
    var numbers: [UInt32] = []
    for object in 0..<reached.count
    where isMeant(ReachedObjects.granule(reached.entries[object])) {
      numbers.append(UInt32(object))
    }
    return numbers
  }

  // MARK: Removal of objects that refer to no remaining one

  /// Removes objects that refer to no remaining object, from the last to the first.
  ///
  /// A walk meets most objects before those that they refer to, so if there are no cycles, one pass
  /// removes nearly all. Further passes follow as long as each removes half of the remaining
  /// objects; the search for strongly connected components handles the rest. If hardly any object
  /// of a block is removed, the next blocks are skipped.
  private static func remaining(
    of reached: borrowing ReachedObjects,
    _ collector: inout ReferenceCollector,
    _ limits: Limits
  ) -> [UInt32] {
    let notes = reached.granules.notes
    var remaining: [UInt32] = []
    func refersToRemaining(_ object: UInt32) -> Bool {
      _ = collector.collect(reached.address(of: Int(object)))
      for number in 0..<collector.references.count {
        let address = collector.references[number] & ~ReachedObjects.suspected
        guard let granule = reached.granules.granule(of: address) else { return true }
        if notes[Int(granule)] != GranuleNote.isRemoved { return true }
      }
      notes[Int(ReachedObjects.granule(reached.entries[Int(object)]))] = GranuleNote.isRemoved
      return false
    }
    var end = reached.count
    while end > 0 {
      let start = max(end - limits.block, 0)
      let remainingBefore = remaining.count
      for object in stride(from: end - 1, through: start, by: -1)
      where refersToRemaining(UInt32(object)) {
        remaining.append(UInt32(object))
      }
      let removedCount = end - start - (remaining.count - remainingBefore)
      end = start
      guard removedCount * Self.removedPart < limits.block else { continue }
      end = max(start - limits.block * Self.skippedBlockCount, 0)
      for object in stride(from: start - 1, through: end, by: -1) {
        remaining.append(UInt32(object))
      }
    }
    var before = reached.count
    while !remaining.isEmpty, remaining.count <= before / 2 {
      before = remaining.count
      remaining.removeAll { !refersToRemaining($0) }
    }
    return remaining.reversed()
  }
}
