/// Cycles of proven references in a snapshot, one for each group of objects that keep each other alive.
package struct HeapCycles: Hashable, Sendable {
  /// Cycles with the same classes and labels.
  package struct Group: Hashable, Sendable {
    /// `Screen.rows → Row.screen → Screen`.
    package var text: String
    /// The number of such groups of objects.
    package var count: Int
    /// The number of objects in the groups, including those on other cycles of a group.
    package var objectCount: Int
    package var byteCount: UInt64
    /// The number of unreachable objects among them.
    package var unreachedCount: Int
    /// The address of an object on one of them.
    package var address: UInt64
    /// The ends of a cycle whose text is too long for a line; nil: it is not.
    package var ends: HeapText.Ends?
  }

  /// The cycles, those with most bytes first.
  package let groups: [Group]

  /// - Complexity: O(objects + edges).
  package init(of snapshot: HeapSnapshot, _ dominators: Dominators) {
    groups = Self.groups(of: Self.components(of: snapshot), in: snapshot) {
      dominators.nearest[$0] < 0
    }
  }

  /// A group for each way in which a cycle of the components reads, those with most bytes first.
  static func groups(
    of components: [[Int]],
    in snapshot: HeapSnapshot,
    isUnreached: (Int) -> Bool
  ) -> [Group] {
    var groups: [String: Group] = [:]
    var finder = PathFinder(snapshot)
    var numbers: [Int: Int] = [:]
    for (number, component) in components.enumerated() {
      for object in component { numbers[object] = number }
    }
    for (number, component) in components.enumerated() {
      let start = component.first { snapshot.classOf($0).kind == .instance } ?? component[0]
      let cycle = finder.cycle(through: start) { numbers[$0] == number }
      let text = HeapText.text(of: cycle, to: start, in: snapshot)
      var group =
        groups[text]
        ?? Group(
          text: text,
          count: 0,
          objectCount: 0,
          byteCount: 0,
          unreachedCount: 0,
          address: snapshot.objects[start].address,
          ends: HeapText.ends(of: cycle, to: start, in: snapshot)
        )
      group.count += 1
      group.objectCount += component.count
      for object in component {
        group.byteCount &+= snapshot.objects[object].byteCount
        if isUnreached(object) { group.unreachedCount += 1 }
      }
      groups[text] = group
    }
    return groups.values.sorted { ($1.byteCount, $0.text) < ($0.byteCount, $1.text) }
  }

  /// The strongly connected components that have a cycle, each with its objects in rising order, the largest first.
  ///
  /// Source: R. Tarjan, Depth-First Search and Linear Graph Algorithms, SIAM J. Comput. 1 (1972), without recursion.
  package static func components(of snapshot: HeapSnapshot) -> [[Int]] {
    let count = snapshot.objects.count
    var numbers = [Int32](repeating: -1, count: count)
    var lowest = numbers
    var isOpen = [Bool](repeating: false, count: count)
    var open: [Int] = []
    var path: [(object: Int, edge: Int)] = []
    var next: Int32 = 0
    var components: [[Int]] = []

    func enter(_ object: Int) {
      numbers[object] = next
      lowest[object] = next
      next += 1
      open.append(object)
      isOpen[object] = true
      path.append((object, snapshot.objects[object].edges.lowerBound))
    }

    for first in 0..<count where numbers[first] < 0 {
      enter(first)
      while let (object, edge) = path.last {
        if edge < snapshot.objects[object].edges.upperBound {
          path[path.count - 1].edge += 1
          let target = snapshot.edges[edge].target
          guard snapshot.edges[edge].isProven else { continue }
          if numbers[target] < 0 {
            enter(target)
          } else if isOpen[target] {
            lowest[object] = min(lowest[object], numbers[target])
          }
          continue
        }
        path.removeLast()
        if let parent = path.last?.object { lowest[parent] = min(lowest[parent], lowest[object]) }
        guard lowest[object] == numbers[object] else { continue }
        var component: [Int] = []
        while let member = open.popLast() {
          isOpen[member] = false
          component.append(member)
          if member == object { break }
        }
        let isCycle =
          component.count > 1
          || snapshot.edges[snapshot.objects[object].edges].contains {
            $0.target == object && $0.isProven
          }
        if isCycle { components.append(component.sorted()) }
      }
    }
    return components.sorted { ($1.count, $0[0]) < ($0.count, $1[0]) }
  }
}
