internal import CKVORetention

/// The objects that are reached from some roots, in the order of their distance from them.
///
/// Of the references between them, those that led to an object first make a tree, of which each object has
/// its parent. The others, crossings, are apart: in most programs they are few. Both take 8 bytes.
struct ReachedObjects: ~Copyable {
  typealias Granule = ObjectGranules.Granule

  /// Something that was met and could not be looked into.
  struct OpaqueFind {
    var object: UInt32
    var reason: OpaqueReason
    /// The number of the text that names it in the object.
    var label: Int32
    /// Whether all that it may refer to is among what was reached.
    var isWhole: Bool
  }

  /// The bit of a reference that is suspected only: a word in bytes that are not understood.
  static let suspected: UInt = 1
  /// What roots have for a parent.
  static let noParent = UInt32.max >> 1

  let granules: ObjectGranules
  /// The granule of each object in the lower half, and the number of its parent in the upper.
  ///
  /// The flag of a granule says that something is kept for the object which it does not hold itself.
  var entries = GrowingList<UInt64>()
  /// The granule that a reference leads to in the lower half, and the number of its object in the upper.
  ///
  /// Flags say where it leads to no greater distance.
  var crossings = GrowingList<UInt64>()
  /// How many references are no crossings because nothing is kept by what they lead to.
  var deadEndCount = 0
  var opaque: [OpaqueFind] = []
  /// How many objects were roots: the first ones.
  var rootCount = 0
  /// Whether memory for the walk ran out, so that objects are missing.
  var isCut = false
  /// Whether time ran out, so that objects are missing.
  var isLate = false
  /// Whether suspected references lead to more than is looked at.
  var isSpent = false

  init(granules: ObjectGranules) { self.granules = granules }

  var count: Int { entries.count }
  var referenceCount: Int { entries.count - rootCount + crossings.count + deadEndCount }

  func address(of object: Int) -> UInt { granules.address(of: Self.granule(entries[object])) }

  @inline(__always)
  static func granule(_ entry: UInt64) -> Granule {
    Granule(truncatingIfNeeded: entry) & ~ObjectGranules.flag
  }

  @inline(__always)
  static func isFlagged(_ entry: UInt64) -> Bool {
    Granule(truncatingIfNeeded: entry) & ObjectGranules.flag != 0
  }

  /// Whether a crossing that is flagged leads to the same distance, as far as distances are noted.
  @inline(__always)
  static func isAsFar(_ crossing: UInt64) -> Bool { crossing >> 63 == 1 }

  /// The number in the upper half.
  @inline(__always)
  static func object(_ entry: UInt64) -> UInt32 {
    UInt32(truncatingIfNeeded: entry >> 32) & .max >> 1
  }

  /// Makes room for so many references, each of which may lead to a new object; false where there is none.
  ///
  /// Numbers of objects have 31 bits.
  @inline(__always)
  mutating func reserve(_ added: Int) -> Bool {
    entries.capacity &- entries.count >= added && crossings.capacity &- crossings.count >= added
      || grow(by: added)
  }

  @inline(never)
  private mutating func grow(by added: Int) -> Bool {
    entries.count + added < Int(ObjectGraph.suspected) - 2
      && entries.reserve(added) && crossings.reserve(added)
  }
}

/// What a walk notes of a granule: nothing, how far from the roots the object there is, or what was made out
/// of it afterwards.
enum GranuleNote {
  /// The greatest distance that is noted; roots have 1.
  static let farthest = UInt8(KVOS_FARTHEST)
  /// Something is kept for an object that was not met.
  static let keepsMore = UInt8(KVOS_KEEPS_MORE)
  /// More than one reference leads to the object.
  static let isShared = UInt8(KVOS_IS_SHARED)

  // When no distance is asked for any more:
  /// The object may be part of a cycle.
  static let candidate: UInt8 = 0x7e
  /// The object is reached from one that a reference leads back to.
  static let isBehind: UInt8 = 0x7d
  /// The object refers to none that is left.
  static let isTaken: UInt8 = 0x7b
}
