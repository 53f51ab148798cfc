/// Objects with numbers in the order in which they were met, and the strong references between them.
///
/// That is the order of their distance from the roots. How an edge is called is found out again for the
/// few that are shown.
struct ObjectGraph: ~Copyable {
  /// The bit of an edge that is suspected only: a word in bytes that are not understood.
  static let suspected: UInt32 = 1 << 31

  private(set) var addresses = GrowingList<UInt>()
  /// The first edge of each object, and one more number behind the last.
  private(set) var firstEdges = GrowingList<UInt32>()
  private(set) var edges = GrowingList<UInt32>()

  /// The graph of all that was reached.
  init(of reached: borrowing ReachedObjects) {
    self.init(of: reached, count: reached.addresses.count) { $0 }
  }

  /// The graph of some objects, given by their places among those reached, from the first on.
  init(of reached: borrowing ReachedObjects, objects: borrowing GrowingList<UInt32>) {
    let start = objects.start
    self.init(of: reached, count: objects.count) { Int(start[$0]) }
  }

  private init(of reached: borrowing ReachedObjects, count: Int, place: (Int) -> Int) {
    for number in 0..<count { addresses.append(reached.addresses[place(number)]) }
    let numbers = ObjectNumbers(of: addresses)
    for number in 0..<count {
      let object = place(number)
      firstEdges.append(UInt32(truncatingIfNeeded: edges.count))
      for edge in Int(reached.firstEdges[object])..<Int(reached.firstEdges[object + 1]) {
        let word = reached.edges[edge]
        guard let target = numbers[word & ~ReachedObjects.suspected] else { continue }
        edges.append(word & ReachedObjects.suspected == 0 ? target : target | Self.suspected)
      }
    }
    firstEdges.append(UInt32(truncatingIfNeeded: edges.count))
  }

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
