/// The objects that are reached from some roots, and the strong references between them.
///
/// Objects have numbers in the order in which they were met, which is that of their distance from the
/// roots. References are numbers of objects alone: how an edge is called is found out again for the
/// few that are shown.
struct ObjectGraph: ~Copyable {
  /// Something that was met and could not be looked into.
  struct OpaqueFind {
    var object: UInt32
    var reason: OpaqueReason
    /// The number of the text that names it in the object.
    var label: Int32
  }

  /// The bit of an edge that is suspected only: a word in bytes that are not understood.
  static let suspected: UInt32 = 1 << 31

  var addresses = GrowingList<UInt>()
  /// The first edge of each object, and one more number behind the last.
  var firstEdges = GrowingList<UInt32>()
  var edges = GrowingList<UInt32>()
  var opaque: [OpaqueFind] = []
  /// How many objects were roots: the first ones.
  var rootCount = 0
  /// Whether memory for the walk ran out, so that objects are missing.
  var isCut = false

  var objectCount: Int { addresses.count }

  @inline(__always)
  func edges(of object: Int) -> Range<Int> {
    Int(firstEdges[object])..<Int(firstEdges[object + 1])
  }

  /// The object that an edge leads to.
  @inline(__always)
  func target(_ edge: Int) -> Int { Int(edges[edge] & ~Self.suspected) }

  @inline(__always)
  func isSuspected(_ edge: Int) -> Bool { edges[edge] & Self.suspected != 0 }
}
