internal import CKVORetention

/// Objects, numbered in the order in which the walk met them, and the strong references between
/// them.
///
/// This is the order of their distance from the roots. Names of edges are not stored: they are
/// looked up again for the few that are shown.
struct ObjectGraph: ~Copyable {
  /// Marks an edge that is only suspected: a word in opaque bytes.
  static let suspected: UInt32 = 1 << 31
  private static let fetchDistance = 4

  private(set) var addresses = GrowingList<UInt>(apart: 1024)
  /// The index of the first edge of each object, and the number of edges after the last.
  private(set) var firstEdges = GrowingList<UInt32>()
  private(set) var edges = GrowingList<UInt32>()
  /// Whether any edge is only suspected.
  private(set) var hasSuspected = false

  /// The graph of some objects, which are read once more.
  ///
  /// - Parameters:
  ///   - reached: the objects that a walk reached.
  ///   - objects: the numbers of the objects to include, in rising order; nil includes all.
  ///   - collector: reads the objects.
  ///   - frames: the frames of waiting tasks, whose words are suspected references of the tasks.
  init(
    of reached: borrowing ReachedObjects,
    objects: [UInt32]?,
    _ collector: inout ReferenceCollector,
    frames: TaskFrames? = nil
  ) {
    let count = objects?.count ?? reached.count
    for number in 0..<count {
      addresses.append(reached.address(of: objects.map { Int($0[number]) } ?? number))
    }
    let numbers = ObjectNumbers(of: addresses)
    for number in 0..<count {
      firstEdges.append(UInt32(truncatingIfNeeded: edges.count))
      kvos_fetch(addresses[min(number + Self.fetchDistance, count - 1)])
      _ = collector.collect(addresses[number])
      for edge in 0..<collector.references.count {
        let word = collector.references[edge]
        guard let target = numbers[word & ~ReachedObjects.suspected] else { continue }
        let isSuspected = word & ReachedObjects.suspected != 0
        edges.append(isSuspected ? target | Self.suspected : target)
        if isSuspected { hasSuspected = true }
      }
      for word in frames?.targets(of: addresses[number]) ?? [] {
        guard let target = numbers[word.address] else { continue }
        edges.append(target | Self.suspected)
        hasSuspected = true
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

  /// Removes the references of some objects.
  ///
  /// - Complexity: O(n) in objects and references.
  mutating func removeReferences(of objects: Set<Int>) {
    var count = 0
    for object in 0..<objectCount {
      let own = edges(of: object)
      firstEdges[object] = UInt32(truncatingIfNeeded: count)
      guard !objects.contains(object) else { continue }
      for edge in own {
        edges[count] = edges[edge]
        count += 1
      }
    }
    firstEdges[objectCount] = UInt32(truncatingIfNeeded: count)
    edges.count = count
  }

  // MARK: Evidence for suspected references

  /// The suspected edges among some objects, as pairs of object and edge.
  func suspectedEdges(where isMeant: (Int, Int) -> Bool) -> [(object: Int, edge: Int)] {
    var found: [(object: Int, edge: Int)] = []
    for object in 0..<objectCount {
      for edge in edges(of: object)
      where isSuspected(edge) && isMeant(object, target(edge)) {
        found.append((object, edge))
      }
    }
    return found
  }

  /// Makes an edge proven or suspected.
  func mark(_ edge: Int, isSuspected: Bool) {
    edges[edge] = isSuspected ? edges[edge] | Self.suspected : edges[edge] & ~Self.suspected
  }
}
