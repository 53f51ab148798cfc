/// The objects of a walk that are left when those are taken away again and again that refer to none that
/// is left: every cycle is among them.
///
/// A walk takes in most objects before those that they refer to, so that one look from the last to the
/// first takes away nearly all where there are no cycles. More follow as long as each takes away half of
/// what there was, and a search for components has the rest.
struct CycleCandidates: ~Copyable {
  /// Their places among the objects that were reached, from the first on.
  private(set) var objects: GrowingList<UInt32>

  /// - Parameters:
  ///   - reached: what was reached; nothing else asks for its second kind of marks.
  ///   - includesSuspected: whether suspected references count.
  /// - Complexity: O(n) in objects and references.
  init(of reached: borrowing ReachedObjects, includesSuspected: Bool) {
    let count = reached.addresses.count
    objects = GrowingList()
    guard count > 0, objects.reserve(count) else { return }
    let sweep = Sweep(reached, suspectedMask: includesSuspected ? 0 : ReachedObjects.suspected)
    let places = objects.start
    var left = 0
    var object = count
    while object > 0 {
      object &-= 1
      places[left] = UInt32(truncatingIfNeeded: object)
      left &+= sweep.leadsOn(object)
    }
    var before = count
    while left > 0, left <= before / 2 {
      before = left
      left = 0
      for place in 0..<before {
        let object = places[place]
        places[left] = object
        left &+= sweep.stillLeadsOn(Int(object))
      }
    }
    objects.count = left
    var inOrder = UnsafeMutableBufferPointer(start: places, count: left)
    inOrder.reverse()
  }

  /// What a look at an object needs at hand.
  private struct Sweep {
    private let addresses: UnsafeMutablePointer<UInt>
    private let firstEdges: UnsafeMutablePointer<UInt32>
    private let edges: UnsafeMutablePointer<UInt>
    private let pieces: UnsafeMutablePointer<ObjectMarks.Piece?>
    private let suspectedMask: UInt

    init(_ reached: borrowing ReachedObjects, suspectedMask: UInt) {
      addresses = reached.addresses.start
      firstEdges = reached.firstEdges.start
      edges = reached.edges.start
      pieces = reached.marks.pieces
      self.suspectedMask = suspectedMask
    }

    /// 1 where an object refers to one that is left; 0 where it does not, and is taken away.
    @inline(__always)
    func leadsOn(_ object: Int) -> Int {
      var leads: UInt64 = 0
      var edge = edges + Int(firstEdges[object])
      let end = edges + Int(firstEdges[object &+ 1])
      while edge < end {
        let target = edge.pointee
        let isTaken = taken(target).pointee &>> ObjectMarks.bit(of: target)
        leads |= ~isTaken & ~UInt64(target & suspectedMask)
        edge += 1
      }
      leads &= 1
      let address = addresses[object]
      taken(address).pointee |= (leads ^ 1) &<< ObjectMarks.bit(of: address)
      return Int(truncatingIfNeeded: leads)
    }

    /// The same, which comes to an end earlier where it mostly does.
    @inline(__always)
    func stillLeadsOn(_ object: Int) -> Int {
      var edge = edges + Int(firstEdges[object])
      let end = edges + Int(firstEdges[object &+ 1])
      while edge < end {
        let target = edge.pointee
        let isTaken = taken(target).pointee &>> ObjectMarks.bit(of: target)
        if ~isTaken & ~UInt64(target & suspectedMask) & 1 == 1 { return 1 }
        edge += 1
      }
      let address = addresses[object]
      taken(address).pointee |= 1 &<< ObjectMarks.bit(of: address)
      return 0
    }

    /// The word that says of an object whether it was taken away.
    @inline(__always)
    private func taken(_ address: UInt) -> ObjectMarks.Piece {
      pieces[ObjectMarks.part(of: address)].unsafelyUnwrapped
        + (ObjectMarks.wordCount &+ ObjectMarks.word(of: address))
    }
  }
}
