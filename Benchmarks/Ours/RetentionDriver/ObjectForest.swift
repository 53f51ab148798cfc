/// A tree of objects of five classes, with arrays and closures across it: a model of a program's
/// objects.
class Node {
  var left: Node?
  var right: Node?
  var number = 0
}

final class NamedNode: Node {
  var name = "name"
  weak var parent: Node?
}

final class ActingNode: Node {
  var action: (() -> Void)?
  var anything: Any = 0
}

final class ListNode<Value>: Node {
  var nodes: [Node] = []
  var value: Value
  init(_ value: Value) {
    self.value = value
  }
}

struct Place {
  var x = 1.0
  var y = 2.0
  var owner: Node?
}

enum Contents {
  case nothing
  case node(Node)
  case text(String)
  case pair(Int, Node)
}

final class PlacedNode: Node {
  var place = Place()
  var contents = Contents.nothing
  unowned(unsafe) var peer: Node?
}

/// The tree, and the number of its heap objects.
struct ObjectForest {
  /// The number of types of its heap objects: five classes, the storage of arrays, the closure's
  /// context.
  static let typeCount = 7

  let root: Node
  private let all: [Node]

  /// Creates `count` nodes, in memory in the order of the tree or, if `isShuffled`, in random
  /// order.
  ///
  /// - Parameters:
  ///   - count: the number of nodes, above 1.
  ///   - isShuffled: whether neighbors in the tree are apart in memory.
  ///   - isCyclic: whether every thousandth node holds its grandparent.
  init(count: Int, isShuffled: Bool, isCyclic: Bool) {
    var nodes = (0..<count).map(Self.node)
    if isShuffled {
      var random = FixedRandom()
      nodes.shuffle(using: &random)
    }
    for index in 1..<count {
      let parent = nodes[(index - 1) / 2]
      if index & 1 == 1 { parent.left = nodes[index] } else { parent.right = nodes[index] }
    }
    for index in 0..<count {
      Self.cross(nodes, index)
      if isCyclic, index % 1000 == 2, let node = nodes[index] as? ActingNode {
        node.anything = nodes[(index - 3) / 4]
      }
    }
    root = nodes[0]
    all = nodes
  }

  private static func node(_ index: Int) -> Node {
    switch index % 5 {
    case 0: Node()
    case 1: NamedNode()
    case 2: ActingNode()
    case 3: ListNode(index)
    default: PlacedNode()
    }
  }

  private static func cross(_ nodes: [Node], _ index: Int) {
    let other = nodes[index * 7919 % nodes.count]
    switch nodes[index] {
    case let node as NamedNode: node.parent = other
    case let node as ActingNode:
      let number = index & 7
      node.action = { [weak other] in other?.number += number }
    case let node as ListNode<Int>: node.nodes = Array(nodes.dropFirst(2 * index + 1).prefix(1))
    case let node as PlacedNode:
      node.peer = other
      if 2 * index + 2 < nodes.count { node.contents = .pair(1, nodes[2 * index + 2]) }
    default: break
    }
  }
}

/// A generator with the same numbers in every run.
private struct FixedRandom: RandomNumberGenerator {
  private var state: UInt64 = 88_172_645_463_325_252
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
