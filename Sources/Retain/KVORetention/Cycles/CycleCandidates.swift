internal import CKVORetention

/// The objects of a walk that may be part of cycles: every cycle is among them.
///
/// A reference that led to an object first, or that leads to a greater distance from the roots, takes every
/// cycle one step further away. So each has a reference that does not: one that leads back. Of those that
/// lead to the same distance, one counts where its object is shared: in a cycle of references to one
/// distance alone none led to its object first, so that two lead to each of them.
///
/// 1. Whoever has a crossing that may close a cycle may be part of one, and whoever leads there: parents,
///    upwards, and objects with crossings to those. Mostly there is none.
/// 2. Where these are many, whoever is reached from where such crossings lead is looked at instead, as from
///    an object that all refer to and which refers to few.
/// 3. Where these are many, too, objects are taken away again and again that refer to none that is left.
struct CycleCandidates: ~Copyable {
  private typealias Granule = ObjectGranules.Granule

  /// How many are few.
  struct Limits {
    var leading: Int
    var behind: Int
    /// How many objects are looked at before some may be left out.
    var block = 1024

    /// A part of all, and some.
    init(objectCount: Int) {
      leading = objectCount / 8 + 10_000
      behind = leading
    }

    init(leading: Int, behind: Int, block: Int) {
      self.leading = leading
      self.behind = behind
      self.block = block
    }
  }

  private static let passLimit = 4
  /// How many blocks stay without a look behind one of which less than this part went away.
  private static let skippedBlockCount = 8
  private static let takenPart = 8
  private static let fetchDistance = 24

  /// Their numbers among the objects that were reached, from the first on.
  private(set) var objects: [UInt32] = []

  /// - Parameters:
  ///   - reached: what was reached; nobody else asks what is noted of the granules of its objects.
  ///   - collector: reads objects.
  ///   - limits: how many are few; nil takes what is right for so many objects.
  /// - Complexity: O(n) in objects and references.
  init(
    of reached: borrowing ReachedObjects,
    _ collector: inout ReferenceCollector,
    limits: Limits? = nil
  ) {
    let limits = limits ?? Limits(objectCount: reached.count)
    var closing = ClosingCrossings()
    if let leading = Self.leading(to: &closing, of: reached, &collector, limit: limits.leading) {
      objects = leading
    } else if let behind = Self.behind(closing, of: reached, &collector, limit: limits.behind) {
      objects = behind
    } else {
      objects = Self.left(of: reached, &collector, limits)
    }
  }

  // MARK: Whoever has such a crossing or leads there

  /// Where crossings lead that may close a cycle, each granule once.
  private struct ClosingCrossings {
    /// Whether something is kept by what is there.
    private var answers: [Granule: Bool] = [:]

    var targets: [Granule] { answers.filter(\.value).map(\.key) }

    /// Whether a crossing may close a cycle, of which flags or the objects' notes said so.
    ///
    /// It does not where nothing is kept by what it leads to.
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

  private static func leading(
    to closing: inout ClosingCrossings,
    of reached: borrowing ReachedObjects,
    _ collector: inout ReferenceCollector,
    limit: Int
  ) -> [UInt32]? {
    var leading = LeadingObjects(of: reached)
    // From the last: most crossings lead to objects that were met later.
    for number in stride(from: reached.crossings.count - 1, through: 0, by: -1) {
      let crossing = reached.crossings[number]
      leading.fetch(reached.crossings, number)
      var leads = leading.isFound(ReachedObjects.granule(crossing))
      if ReachedObjects.isFlagged(crossing), leading.mayClose(crossing) {
        leads = closing.take(ReachedObjects.granule(crossing), of: reached, &collector) || leads
      }
      if leads { leading.add(ReachedObjects.object(crossing)) }
    }
    for _ in 0..<passLimit {
      if leading.objects.count > limit { return nil }
      // What a look back missed: who was found meanwhile was met before whoever leads there.
      if !leading.addLeading(reached.crossings, where: ReachedObjects.isFlagged) {
        return leading.objects.sorted()
      }
      _ = leading.addLeading(reached.crossings) { _ in true }
    }
    return nil
  }

  /// Objects that lead to crossings that may close a cycle.
  private struct LeadingObjects {
    private let notes: UnsafeMutablePointer<UInt8>
    private let entries: UnsafeMutablePointer<UInt64>
    private(set) var objects: [UInt32] = []

    init(of reached: borrowing ReachedObjects) {
      notes = reached.granules.notes
      entries = reached.entries.start
    }

    /// Has fetched what will be asked of a crossing in front of the one with the number.
    @inline(__always)
    func fetch(_ crossings: borrowing GrowingList<UInt64>, _ number: Int) {
      let crossing = crossings[max(number - CycleCandidates.fetchDistance, 0)]
      kvos_fetch(UInt(bitPattern: notes + Int(ReachedObjects.granule(crossing))))
      guard ReachedObjects.isAsFar(crossing) else { return }
      let source = entries[Int(ReachedObjects.object(crossing))]
      kvos_fetch(UInt(bitPattern: notes + Int(ReachedObjects.granule(source))))
    }

    @inline(__always)
    func isFound(_ granule: Granule) -> Bool { notes[Int(granule)] == GranuleNote.candidate }

    /// Whether a crossing that leads to no greater distance may close a cycle.
    @inline(__always)
    func mayClose(_ crossing: UInt64) -> Bool {
      guard ReachedObjects.isAsFar(crossing) else { return true }
      let source = entries[Int(ReachedObjects.object(crossing))]
      let note = notes[Int(ReachedObjects.granule(source))]
      // Of who was found it is not known any more.
      return note & GranuleNote.isShared != 0 || note == GranuleNote.candidate
    }

    /// Takes in an object, and those that led to it first.
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

    /// Takes in whoever has one of some crossings that leads to an object that was found; false where there
    /// is no new one.
    @inline(__always)
    mutating func addLeading(
      _ crossings: borrowing GrowingList<UInt64>,
      where isMeant: (UInt64) -> Bool
    ) -> Bool {
      let before = objects.count
      if before == 0 { return false }
      for number in stride(from: crossings.count - 1, through: 0, by: -1) {
        let crossing = crossings[number]
        fetch(crossings, number)
        if isMeant(crossing), isFound(ReachedObjects.granule(crossing)) {
          add(ReachedObjects.object(crossing))
        }
      }
      return objects.count > before
    }
  }

  // MARK: Whoever is reached from where they lead

  private static func behind(
    _ closing: ClosingCrossings,
    of reached: borrowing ReachedObjects,
    _ collector: inout ReferenceCollector,
    limit: Int
  ) -> [UInt32]? {
    let notes = reached.granules.notes
    var waiting: [Granule] = []
    var count = 0
    func add(_ granule: Granule) {
      let note = notes + Int(granule)
      if note.pointee == GranuleNote.isBehind { return }
      note.pointee = GranuleNote.isBehind
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
    return numbers(of: reached) { notes[Int($0)] == GranuleNote.isBehind }
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

  // MARK: Whoever leads to others again and again

  /// Takes objects away that refer to none that is left, from the last to the first.
  ///
  /// A walk takes in most objects before those that they refer to, so that one look takes away nearly all
  /// where there are no cycles. More follow as long as each takes away half of
  /// what there was, and a search for components has the rest. If hardly one of a block of objects goes away, the next
  /// blocks stay without a look.
  private static func left(
    of reached: borrowing ReachedObjects,
    _ collector: inout ReferenceCollector,
    _ limits: Limits
  ) -> [UInt32] {
    let notes = reached.granules.notes
    var left: [UInt32] = []
    func leadsOn(_ object: UInt32) -> Bool {
      _ = collector.collect(reached.address(of: Int(object)))
      for number in 0..<collector.references.count {
        let address = collector.references[number] & ~ReachedObjects.suspected
        guard let granule = reached.granules.granule(of: address) else { return true }
        if notes[Int(granule)] != GranuleNote.isTaken { return true }
      }
      notes[Int(ReachedObjects.granule(reached.entries[Int(object)]))] = GranuleNote.isTaken
      return false
    }
    var end = reached.count
    while end > 0 {
      let start = max(end - limits.block, 0)
      let leftBefore = left.count
      for object in stride(from: end - 1, through: start, by: -1) where leadsOn(UInt32(object)) {
        left.append(UInt32(object))
      }
      let takenCount = end - start - (left.count - leftBefore)
      end = start
      guard takenCount * Self.takenPart < limits.block else { continue }
      end = max(start - limits.block * Self.skippedBlockCount, 0)
      for object in stride(from: start - 1, through: end, by: -1) { left.append(UInt32(object)) }
    }
    var before = reached.count
    while !left.isEmpty, left.count <= before / 2 {
      before = left.count
      left.removeAll { !leadsOn($0) }
    }
    return left.reversed()
  }
}
