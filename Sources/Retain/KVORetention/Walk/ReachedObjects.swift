internal import CKVORetention

/// The objects that are reachable from some roots, in the order of their distance from them.
///
/// The references by which objects were first reached are the edges of a tree, in which each object
/// has a parent. All other references, the non-tree edges, are stored separately: in most programs
/// they are few. Each edge takes 8 bytes.
struct ReachedObjects: ~Copyable {
  typealias Granule = ObjectGranules.Granule

  /// A part of an object that the walk could not inspect.
  struct OpaqueFind {
    var object: UInt32
    var reason: OpaqueReason
    /// The index of the text that names the part in the object.
    var label: Int32
    /// Whether the walk reached everything that the part may refer to.
    var isWhole: Bool
  }

  /// Marks a reference that is only suspected: a word in opaque bytes.
  static let suspected: UInt = 1
  /// The parent of a root.
  static let noParent = UInt32.max >> 1

  let granules: ObjectGranules
  /// The granule of each object in the lower half, and the number of its parent in the upper.
  ///
  /// The granule's flag is set if something is kept alive on behalf of the object that the object
  /// does not hold itself.
  var entries = GrowingList<UInt64>()
  /// The non-tree edges: the granule of the target in the lower half, and the number of the source
  /// in the upper.
  ///
  /// Flags mark those that lead to no greater distance.
  var nonTreeEdges = GrowingList<UInt64>()
  /// The number of references that are stored nowhere because their target refers to nothing.
  var deadEndCount = 0
  var opaque: [OpaqueFind] = []
  /// The number of roots, which are the first objects.
  var rootCount = 0
  /// Whether memory for the walk ran out, so that objects are missing.
  var isCut = false
  /// Whether time ran out, so that objects are missing.
  var isLate = false
  /// Whether suspected references lead to more objects than the walk examines.
  var isSpent = false

  init(granules: ObjectGranules) { self.granules = granules }

  var count: Int { entries.count }
  var referenceCount: Int { entries.count - rootCount + nonTreeEdges.count + deadEndCount }

  func address(of object: Int) -> UInt { granules.address(of: Self.granule(entries[object])) }

  @inline(__always)
  static func granule(_ entry: UInt64) -> Granule {
    Granule(truncatingIfNeeded: entry) & ~ObjectGranules.flag
  }

  @inline(__always)
  static func isFlagged(_ entry: UInt64) -> Bool {
    Granule(truncatingIfNeeded: entry) & ObjectGranules.flag != 0
  }

  /// Whether a flagged edge leads to the same distance, as far as distances are recorded.
  @inline(__always)
  static func isAsFar(_ edge: UInt64) -> Bool { edge >> 63 == 1 }

  /// The number of the object in the upper half.
  @inline(__always)
  static func object(_ entry: UInt64) -> UInt32 {
    UInt32(truncatingIfNeeded: entry >> 32) & .max >> 1
  }

  /// Makes room for `added` references, each of which may lead to a new object; false if there is
  /// none.
  ///
  /// Numbers of objects have 31 bits.
  @inline(__always)
  mutating func reserve(_ added: Int) -> Bool {
    entries.capacity &- entries.count >= added
      && nonTreeEdges.capacity &- nonTreeEdges.count >= added
      || grow(by: added)
  }

  @inline(never)
  private mutating func grow(by added: Int) -> Bool {
    entries.count + added < Int(ObjectGraph.suspected) - 2
      && entries.reserve(added) && nonTreeEdges.reserve(added)
  }
}

/// The note of a granule: nothing, the object's distance from the roots, or a later result of the
/// search for cycles.
enum GranuleNote {
  /// The greatest distance that is recorded; roots have 1.
  static let farthest = UInt8(KVOS_FARTHEST)
  /// Something is kept alive on behalf of an object that was not met yet.
  static let keepsMore = UInt8(KVOS_KEEPS_MORE)
  /// More than one reference leads to the object.
  static let isShared = UInt8(KVOS_IS_SHARED)

  // After the walk, when distances are no longer needed:
  /// The object may be part of a cycle.
  static let candidate: UInt8 = 0x7e
  /// The object is reachable from the target of an edge that may close a cycle.
  static let isReachable: UInt8 = 0x7d
  /// The object was removed: it refers to no remaining object.
  static let isRemoved: UInt8 = 0x7b
}
