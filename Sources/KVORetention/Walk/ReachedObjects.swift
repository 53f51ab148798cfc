/// The objects that are reached from some roots, in the order of their distance from them, and the strong
/// references between them.
///
/// References are addresses: most objects lead to no cycle, and need no number. They take 12 bytes an
/// object and 8 a reference, and lists up to twice that.
struct ReachedObjects: ~Copyable {
  /// Something that was met and could not be looked into.
  struct OpaqueFind {
    var object: UInt32
    var reason: OpaqueReason
    /// The number of the text that names it in the object.
    var label: Int32
  }

  /// The bit of a reference that is suspected only: a word in bytes that are not understood.
  static let suspected: UInt = 1

  var addresses = GrowingList<UInt>()
  /// The first reference of each object, and one more number behind the last.
  var firstEdges = GrowingList<UInt32>()
  /// Where references lead, all of them among `addresses`.
  var edges = GrowingList<UInt>()
  var marks = ObjectMarks()
  var opaque: [OpaqueFind] = []
  /// How many objects were roots: the first ones.
  var rootCount = 0
  /// Whether memory for the walk ran out, so that objects are missing.
  var isCut = false

  /// Makes room for so many references, each of which may lead to a new object; false where there is none.
  ///
  /// Numbers have 31 bits, and references are counted in 32.
  @inline(__always)
  mutating func reserve(_ added: Int) -> Bool {
    edges.capacity &- edges.count >= added && addresses.capacity &- addresses.count >= added
      || grow(by: added)
  }

  @inline(never)
  private mutating func grow(by added: Int) -> Bool {
    addresses.count + added < Int(ObjectGraph.suspected) - 2
      && edges.count + added < Int(UInt32.max) - 2
      && edges.reserve(added) && addresses.reserve(added)
      && firstEdges.reserve(addresses.capacity + 1 - firstEdges.count)
  }

  /// Takes in a root.
  mutating func insert(_ address: UInt) {
    guard reserve(1), let isNew = marks.insert(address) else {
      isCut = true
      return
    }
    if isNew { addresses.append(address) }
  }

  /// Takes in a reference of the latest object, and where it leads.
  @inline(__always)
  mutating func refer(to address: UInt, suspected: UInt) {
    guard reserve(1), let isNew = marks.insert(address) else {
      isCut = true
      return
    }
    edges.start[edges.count] = address | suspected
    edges.count &+= 1
    addresses.start[addresses.count] = address
    addresses.count &+= isNew ? 1 : 0
  }
}
