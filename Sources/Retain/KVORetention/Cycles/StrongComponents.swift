/// The strongly connected components of a graph: the sets of objects that keep themselves alive.
///
/// Tarjan's algorithm without recursion. Source: R. Tarjan, "Depth-first search and linear graph
/// algorithms", SIAM J. Comput. 1 (1972).
struct StrongComponents: ~Copyable {
  /// The objects of each component.
  ///
  /// A component of a single object is listed only if the object refers to itself.
  private(set) var components: [[Int]] = []
  /// The index of each object's component plus one, or 0 if its component is not listed; empty if
  /// no component is listed.
  private(set) var componentNumbers: [UInt32] = []

  private struct Frame: BitwiseCopyable {
    var object: UInt32
    var nextEdge: UInt32
  }

  /// - Parameters:
  ///   - graph: objects in the order of a walk.
  ///   - includesSuspected: whether suspected references count.
  /// - Complexity: O(n) in objects and references.
  init(of graph: borrowing ObjectGraph, includesSuspected: Bool) {
    // Objects are numbered in the order of the walk. Every cycle has an edge to an object with the
    // same or a lower number, so it is enough to search from the targets of such edges.
    var search: Search?
    for object in 0..<graph.objectCount {
      for edge in graph.edges(of: object)
      where graph.target(edge) <= object && (includesSuspected || !graph.isSuspected(edge)) {
        if search == nil { search = Search(objectCount: graph.objectCount) }
        search?.visit(graph.target(edge), of: graph, includesSuspected: includesSuspected)
      }
    }
    components = search?.take() ?? []
    guard !components.isEmpty else { return }
    componentNumbers = Array(repeating: 0, count: graph.objectCount)
    for (number, component) in components.enumerated() {
      for object in component { componentNumbers[object] = UInt32(number) + 1 }
    }
  }

  /// The state of one search.
  ///
  /// An object's `order` is 0 before it is visited, and `.max` once its component is complete.
  private struct Search: ~Copyable {
    private let order: UnsafeMutablePointer<UInt32>
    private let low: UnsafeMutablePointer<UInt32>
    private var frames = GrowingList<Frame>()
    private var open = GrowingList<UInt32>()
    private var counter: UInt32 = 0
    private var components: [[Int]] = []

    init(objectCount: Int) {
      order = .allocate(capacity: objectCount)
      order.initialize(repeating: 0, count: objectCount)
      low = .allocate(capacity: objectCount)
    }

    deinit {
      order.deallocate()
      low.deallocate()
    }

    consuming func take() -> [[Int]] { components }

    mutating func visit(
      _ start: Int,
      of graph: borrowing ObjectGraph,
      includesSuspected: Bool
    ) {
      guard order[start] == 0 else { return }
      enter(start, of: graph)
      while frames.count > 0 {
        let top = frames.start + (frames.count - 1)
        let object = Int(top.pointee.object)
        if top.pointee.nextEdge < graph.firstEdges[object + 1] {
          let edge = Int(top.pointee.nextEdge)
          top.pointee.nextEdge += 1
          if !includesSuspected, graph.isSuspected(edge) { continue }
          let target = graph.target(edge)
          if order[target] == 0 {
            enter(target, of: graph)
          } else if order[target] != .max {
            low[object] = min(low[object], order[target])
          }
        } else {
          _ = frames.removeLast()
          if frames.count > 0 {
            let parent = Int(frames[frames.count - 1].object)
            low[parent] = min(low[parent], low[object])
          }
          if low[object] == order[object] { close(object, of: graph, includesSuspected) }
        }
      }
    }

    private mutating func enter(_ object: Int, of graph: borrowing ObjectGraph) {
      counter += 1
      order[object] = counter
      low[object] = counter
      open.append(UInt32(object))
      frames.append(Frame(object: UInt32(object), nextEdge: graph.firstEdges[object]))
    }

    /// Pops a component's objects from the stack; `object` is the one that was visited first.
    private mutating func close(
      _ object: Int,
      of graph: borrowing ObjectGraph,
      _ includesSuspected: Bool
    ) {
      let last = Int(open.removeLast())
      order[last] = .max
      if last == object {
        for edge in graph.edges(of: object)
        where graph.target(edge) == object && (includesSuspected || !graph.isSuspected(edge)) {
          components.append([object])
          return
        }
        return
      }
      var members = [last]
      while true {
        let member = Int(open.removeLast())
        order[member] = .max
        members.append(member)
        if member == object { break }
      }
      components.append(members)
    }
  }
}
