internal import CKVORetention
internal import KVORetainRegistry

/// Walks along strong references from the roots, breadth first, and reads each object once.
///
/// Most objects are instances of a few classes without opaque fields. `kvos_walk_plain` reads those
/// with prepared tables, and leaves all others to `readNext`, which looks everything up.
struct GraphWalk: ~Copyable {
  /// The number of references for which there must be room before an object is read.
  static let room = Int(KVOS_PLAIN_ROOM)
  private static let elsewhereLimit = 1000

  /// The maximum number of objects that are read although only suspected references lead to them.
  private static let suspectLimit = 50_000

  private let reader: ObjectReader
  private let known: ObjectGranules?
  private var suspectCount = 0
  private var plain: PlainPlans
  private var collector: ReferenceCollector
  private var reached: ReachedObjects
  /// The distance that is noted for objects that the walk meets now.
  private var distance: UInt8 = 1
  /// The number of shared objects in other mappings that were examined for whether they refer to
  /// anything.
  private var elsewhereCount = 0

  /// When the walk must stop, even if it is incomplete.
  private let deadline: ContinuousClock.Instant
  /// The number of objects that are read between two checks of the clock.
  private static let clockInterval = 1 << 20

  /// - Parameters:
  ///   - reader: the plans, and the memory that can be read.
  ///   - known: the objects that a walk along references reached, for a second walk that also
  ///     follows words which may be references; nil for the first walk.
  ///   - followsWords: whether the second walk does.
  ///   - deadline: when the walk must stop, even if it is incomplete.
  init(
    reader: ObjectReader,
    suspectingBeside known: ObjectGranules? = nil,
    followsWords: Bool = true,
    until deadline: ContinuousClock.Instant
  ) {
    self.reader = reader
    self.known = known
    self.deadline = deadline
    reached = ReachedObjects(granules: ObjectGranules(of: reader.memory))
    collector = ReferenceCollector(
      reader: reader,
      suspectingBeside: known,
      followsWords: followsWords
    )
    plain = PlainPlans()
  }

  /// The objects that are reachable from `roots`.
  ///
  /// - Complexity: O(n) in objects and references.
  consuming func reached(from roots: [UInt]) -> ReachedObjects {
    for owner in reader.attachments.keys where ReferenceCollector.mayRefer(owner) {
      guard let granule = reached.granules.granule(of: owner) else {
        reached.isCut = true
        break
      }
      reached.granules.notes[Int(granule)] = GranuleNote.keepsMore
    }
    for root in roots { addRoot(root) }
    reached.rootCount = reached.count
    var index = 0
    var end = 0
    var nextLook = 0
    while index < reached.count, !reached.isCut, !reached.isSpent {
      if index >= nextLook {
        nextLook = index + Self.clockInterval
        if ContinuousClock.now >= deadline {
          reached.isLate = true
          break
        }
      }
      if index == end {
        end = reached.count
        distance = min(distance + 1, GranuleNote.farthest)
      }
      if readPlain(&index, until: min(end, nextLook)) { readNext(&index) }
    }
    return takeReached()
  }

  private consuming func takeReached() -> ReachedObjects { reached }

  // MARK: Any object

  private mutating func readNext(_ index: inout Int) {
    guard reached.reserve(Self.room) else {
      reached.isCut = true
      return
    }
    let object = index
    index += 1
    let address = reached.address(of: object)
    let plan = collector.collect(address)
    for find in collector.finds {
      reached.opaque.append(
        .init(
          object: UInt32(object),
          reason: find.reason,
          label: find.label,
          isWhole: find.isWhole
        )
      )
    }
    reached.isCut = reached.isCut || collector.isCut
    for number in 0..<collector.references.count {
      take(collector.references[number] & ~ReachedObjects.suspected, from: UInt32(object))
    }
    guard let plan,
      reached.granules.range(at: ReachedObjects.granule(reached.entries[object])).isReadable != 0,
      let start = UnsafeRawPointer(bitPattern: address)
    else { return }
    let metadata = start.load(as: UInt.self)
    // The plan of a generic closure context is valid for one object: another object with the same
    // metadata may have captured other types.
    if reader.plan(metadata: metadata) == plan { plain.adopt(plan, metadata: metadata) }
  }

  private mutating func addRoot(_ address: UInt) {
    guard ReferenceCollector.mayRefer(address), !reached.isCut else { return }
    guard let granule = reached.granules.granule(of: address), reached.reserve(1) else {
      reached.isCut = true
      return
    }
    _ = enter(granule, from: ReachedObjects.noParent)
  }

  /// Adds a reference of an object, and its target if it is new.
  private mutating func take(_ address: UInt, from object: UInt32) {
    guard let granule = reached.granules.granule(of: address), reached.reserve(1) else {
      reached.isCut = true
      return
    }
    let note = reached.granules.notes + Int(granule)
    if let known, note.pointee == 0, !known.isReached(address) {
      suspectCount += 1
      if suspectCount > Self.suspectLimit { return reached.isSpent = true }
      // The object may have been freed: `readNext` examines a copy first.
      note.pointee = GranuleNote.keepsMore
    }
    if enter(granule, from: object) { return }
    reached.nonTreeEdges.append(
      UInt64(object) << 32 | UInt64(granule) | kvos_edge_flags(note.pointee, distance)
    )
    note.pointee |= GranuleNote.isShared
  }

  /// Adds an object that was not met before; false if it was.
  private mutating func enter(_ granule: ReachedObjects.Granule, from parent: UInt32) -> Bool {
    let note = reached.granules.notes + Int(granule)
    guard note.pointee == 0 || note.pointee == GranuleNote.keepsMore else { return false }
    let flag = note.pointee == 0 ? 0 : ObjectGranules.flag
    note.pointee = distance
    reached.entries.append(UInt64(parent) << 32 | UInt64(granule | flag))
    return true
  }

  // MARK: Common objects

  /// Reads objects from `index` to `end`, or to one that needs `readNext`.
  ///
  /// Returns whether it stopped at such an object.
  private mutating func readPlain(_ index: inout Int, until end: Int) -> Bool {
    // With much room the loop restarts less often.
    guard reached.reserve(Self.room + reached.count / 4) else {
      reached.isCut = true
      return false
    }
    let range = reached.granules.range(at: ReachedObjects.granule(reached.entries[index]))
    let margin = UInt(KVOS_PLAIN_SIZE) >> 4
    var walk = KVOSPlainWalk(
      entries: reached.entries.start,
      count: reached.entries.count,
      capacity: reached.entries.capacity,
      nonTreeEdges: reached.nonTreeEdges.start,
      nonTreeEdgeCount: reached.nonTreeEdges.count,
      nonTreeEdgeCapacity: reached.nonTreeEdges.capacity,
      deadEndCount: reached.deadEndCount,
      deadEndObject: .max,
      deadEndCountBefore: 0,
      notes: reached.granules.notes,
      range: range,
      readableCount: range.isReadable != 0 && range.count > margin ? range.count - margin : 0,
      ranges: reached.granules.cache,
      plans: plain.plans,
      existentials: plain.existentials,
      planBits: plain.planBits,
      existentialBits: plain.existentialBits,
      elsewhere: plain.elsewhere,
      distance: distance,
      looksElsewhere: elsewhereCount < Self.elsewhereLimit ? 1 : 0,
      word: 0
    )
    let reason = Int(kvos_walk_plain(&walk, &index, end))
    reached.entries.count = walk.count
    reached.nonTreeEdges.count = walk.nonTreeEdgeCount
    reached.deadEndCount = walk.deadEndCount
    switch reason {
    case KVOS_WALK_END, KVOS_WALK_OTHER_RANGE: return false
    case KVOS_WALK_UNKNOWN_TYPE:
      plain.adopt(existentialOf: walk.word, type: reader.knownType(at: walk.word), reader.store)
    case KVOS_WALK_ELSEWHERE:
      elsewhereCount += 1
      let plan = collector.collect(walk.word)
      let isDeadEnd = plan != nil && collector.references.count == 0 && collector.finds.isEmpty
      plain.adopt(elsewhere: walk.word, isDeadEnd: isDeadEnd)
    default: break
    }
    return true
  }
}
