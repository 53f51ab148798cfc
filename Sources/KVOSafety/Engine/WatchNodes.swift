internal import KVOTrace

/// A node that an observation listens to: an object, and the rest of the path from there.
///
/// An object, so that few words are copied with it.
final class WatchNode: Hashable, Sendable {
  /// The address of the object.
  let address: UInt
  let path: ArraySlice<StringID>
  let isOwnPath: Bool
  /// Whether the value at the end of the path leads further: to the objects after a key that it affects, or to the
  /// object whose deallocation is awaited.
  ///
  /// Part of a node's identity in the tree: the same path may affect one key that leads on, and one that does not.
  let leadsOn: Bool

  init(address: UInt, path: ArraySlice<StringID>, isOwnPath: Bool, leadsOn: Bool) {
    self.address = address
    self.path = path
    self.isOwnPath = isOwnPath
    self.leadsOn = leadsOn
  }

  static func == (left: WatchNode, right: WatchNode) -> Bool {
    left.address == right.address && left.isOwnPath == right.isOwnPath
      && left.leadsOn == right.leadsOn && left.path == right.path
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(address)
    hasher.combine(path)
    hasher.combine(isOwnPath)
    hasher.combine(leadsOn)
  }

  /// Whether nodes are looked up again after a change of the first key.
  var isIntermediate: Bool { path.count > 1 || leadsOn }

  /// The observed key.
  var key: StringID { path[path.startIndex] }
}

/// A link that was added to an object, which it does not keep alive.
struct HungLink: Sendable {
  /// The registrations on the object; they may outlive it.
  ///
  /// They hold the observation as well, until it ends or their object is deallocated, which breaks the cycle. A weak
  /// reference would make each of their reference counts take the slow path.
  let storage: SubjectStorage
  let key: StringID
  let number: Int32
  /// How many objects of the observation's own path precede it; nil for an object that only affects a key.
  let depth: Int?
  let isWeak: Bool
  /// Whether nodes are looked up again after a change of the key.
  let isIntermediate: Bool
}

/// A node to listen to.
final class WantedNode {
  let node: WatchNode
  /// Nil for the object that the observation is registered on.
  let other: (any KeyValueObservable)?
  let depth: Int?
  let isWeak: Bool

  init(
    _ node: WatchNode,
    of other: (any KeyValueObservable)?,
    depth: Int?,
    isWeak: Bool = false
  ) {
    self.node = node
    self.other = other
    self.depth = depth
    self.isWeak = isWeak
  }

  /// The keys of the object's class.
  func keys(_ observation: Observation) -> ObservableKeyTable {
    other.map { type(of: $0).observableKeys } ?? observation.root.keys
  }

  func storage(_ observation: Observation) -> SubjectStorage {
    other?.storage ?? observation.root
  }
}

/// Nodes in the order in which they were found, each once: compared if they are few, hashed if they are many.
struct FoundNodes {
  private(set) var nodes: [WantedNode]
  private var positions: [WatchNode: Int] = [:]

  init(_ first: WantedNode) { nodes = [first] }

  static func isFew(_ count: Int) -> Bool { count <= 16 }

  mutating func append(_ wanted: WantedNode) {
    guard position(of: wanted.node) == nil else { return }
    nodes.append(wanted)
    if !positions.isEmpty {
      positions[wanted.node] = nodes.count - 1
    } else if !Self.isFew(nodes.count) {
      for (position, known) in nodes.enumerated() { positions[known.node] = position }
    }
  }

  /// The object found at `node`, if that is not the first node.
  func further(at node: WatchNode) -> WantedNode? {
    position(of: node).flatMap { $0 > 0 ? nodes[$0] : nil }
  }

  private func position(of node: WatchNode) -> Int? {
    positions.isEmpty ? nodes.firstIndex { $0.node == node } : positions[node]
  }
}
