/// A graph of numbered nodes and directed edges.
///
/// No method recurses: a chain of a million nodes needs no stack.
package struct DirectedGraph: Sendable {
  /// The nodes that an edge leads to from each node; the same node may occur again.
  package private(set) var successors: [[Int]]

  /// A graph without edges.
  package init(nodeCount: Int) { successors = Array(repeating: [], count: nodeCount) }

  package mutating func connect(_ from: Int, _ to: Int) { successors[from].append(to) }

  /// The state of the nodes in Tarjan's algorithm.
  private struct Visits {
    /// In the order of the visits, from 1; 0: not visited.
    var number: [Int]
    /// The smallest number that is known to be reachable.
    var low: [Int]
    var isOpen: [Bool]
    var open: [Int] = []
    var count = 0

    init(nodeCount: Int) {
      number = Array(repeating: 0, count: nodeCount)
      low = number
      isOpen = Array(repeating: false, count: nodeCount)
    }

    mutating func enter(_ node: Int) {
      count += 1
      number[node] = count
      low[node] = count
      isOpen[node] = true
      open.append(node)
    }

    /// Completes the component whose first visited node is `root`.
    mutating func close(_ root: Int) -> [Int] {
      var component: [Int] = []
      while let node = open.popLast() {
        isOpen[node] = false
        component.append(node)
        if node == root { break }
      }
      return component.sorted()
    }
  }

  /// The sets of nodes that reach each other, each in ascending order; nodes that are on no cycle are excluded.
  ///
  /// Tarjan's algorithm, with the call stack as an array.
  ///
  /// Complexity: O(nodes log nodes + edges).
  package func cyclicComponents() -> [[Int]] {
    var visits = Visits(nodeCount: successors.count)
    var components: [[Int]] = []
    var calls: [(node: Int, next: Int)] = []
    for start in successors.indices where visits.number[start] == 0 {
      visits.enter(start)
      calls.append((start, 0))
      while let (node, next) = calls.last {
        if next < successors[node].count {
          calls[calls.count - 1].next += 1
          let successor = successors[node][next]
          if visits.number[successor] == 0 {
            visits.enter(successor)
            calls.append((successor, 0))
          } else if visits.isOpen[successor] {
            visits.low[node] = min(visits.low[node], visits.number[successor])
          }
          continue
        }
        calls.removeLast()
        if let caller = calls.last?.node {
          visits.low[caller] = min(visits.low[caller], visits.low[node])
        }
        guard visits.low[node] == visits.number[node] else { continue }
        let component = visits.close(node)
        if component.count > 1 || successors[node].contains(node) { components.append(component) }
      }
    }
    return components.sorted { ($0.first ?? 0) < ($1.first ?? 0) }
  }

  /// The nodes of the shortest cycle through `start`, starting with it; nil if it is on none.
  ///
  /// Complexity: O(nodes + edges) of what `start` reaches.
  package func shortestCycle(through start: Int) -> [Int]? {
    var cameFrom = [start: start]
    var queue = [start]
    var head = 0
    while head < queue.count {
      let node = queue[head]
      head += 1
      for successor in successors[node] {
        if successor == start {
          var cycle: [Int] = []
          var at = node
          while at != start {
            cycle.append(at)
            at = cameFrom[at] ?? start
          }
          return [start] + cycle.reversed()
        }
        guard cameFrom[successor] == nil else { continue }
        cameFrom[successor] = node
        queue.append(successor)
      }
    }
    return nil
  }
}
