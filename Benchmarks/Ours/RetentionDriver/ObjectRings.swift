/// An object of a ring.
final class RingNode {
  var next: RingNode?
}

/// Holds the first object of each of many rings, or a chain of indirect enums that leads back to it.
final class RingHolder {
  static let ringLength = 1000

  var rings: [RingNode] = []
  var chain = ChainLink.nothing

  /// Creates objects in rings, which are never freed.
  func hold(ringsOf count: Int) {
    for _ in 0..<max(count / Self.ringLength, 1) {
      let first = RingNode()
      var last = first
      for _ in 1..<Self.ringLength {
        let node = RingNode()
        last.next = node
        last = node
      }
      last.next = first
      rings.append(first)
    }
  }

  /// Creates a chain of links, which is never freed, because freeing it would take a frame for each
  /// link.
  func hold(chainOf count: Int) {
    var link = ChainLink.end(self)
    for _ in 1..<count { link = .next(link) }
    chain = link
  }
}

/// A link of a chain, in a separate box.
indirect enum ChainLink {
  case nothing
  case next(ChainLink)
  case end(RingHolder)
}
