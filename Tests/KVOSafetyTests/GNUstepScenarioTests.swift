import KVORules
import KVOTrace
import Testing

@testable import KVOSafety

// Scenarios of Tests/base/NSKVOSupport in gnustep/libs-base (195782d) that say what is expected of paths and
// dependences which meet; each function has the name of its scenario. What is a dictionary there is an object.

private final class Leaf: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("value", \Leaf.value),
    ObservableKey("flag", \Leaf.flag)
  )
  var value: Int {
    willSet { willChangeValue(for: \.value) }
    didSet { didChangeValue(for: \.value) }
  }
  var flag = true {
    willSet { willChangeValue(for: \.flag) }
    didSet { didChangeValue(for: \.flag) }
  }
  init(_ value: Int) { self.value = value }
}

private final class Node: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("leaf", \Node.leaf),
    ObservableKey("score", \Node.score, affectedBy: ["leaf.value"])
  )
  var leaf: Leaf? {
    willSet { willChangeValue(for: \.leaf) }
    didSet { didChangeValue(for: \.leaf) }
  }
  var score: Int { leaf?.value ?? 0 }
  init(_ leaf: Leaf?) { self.leaf = leaf }
}

private final class Holder: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("node", \Holder.node))
  var node: Node? {
    willSet { willChangeValue(for: \.node) }
    didSet { didChangeValue(for: \.node) }
  }
}

private final class Root: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("holder", \Root.holder),
    ObservableKey("selected", \Root.selected, affectedBy: ["holder.node"]),
    ObservableKey("selectedB", \Root.selectedB, affectedBy: ["holder.node"]),
    ObservableKey("branch", \Root.branch, affectedBy: ["selected.score", "selected.leaf.flag"]),
    ObservableKey("alias", \Root.alias, affectedBy: ["selected.leaf.flag", "selectedB.score"]),
    ObservableKey("derivedHolder", \Root.derivedHolder, affectedBy: ["holder"])
  )
  var holder: Holder? = Holder() {
    willSet { willChangeValue(for: \.holder) }
    didSet { didChangeValue(for: \.holder) }
  }
  var selected: Node? { holder?.node }
  var selectedB: Node? { holder?.node }
  var branch: Bool { (selected?.score ?? 0) > 0 && selected?.leaf?.flag == true }
  var alias: Bool { selected?.leaf?.flag == true && (selectedB?.score ?? 0) > 0 }
  var derivedHolder: Holder? { holder }
}

@Suite("GNUstep's scenarios of paths and dependences that meet")
struct GNUstepScenarioTests {
  private let root = Root()
  private let listener = Listener()

  /// How many notifications `body` sends, to an observer without options.
  private func count(_ body: () -> Void) -> Int {
    listener.heard = []
    body()
    return listener.heard.count
  }

  @Test("a leaf that affects a key in two ways, of a replaced and restored object, notifies once")
  func branchVisitedScope() {
    let leaf = Leaf(1)
    let node = Node(leaf)
    root.addObserver(listener, forKeyPath: "branch")
    for _ in 0..<25 {
      root.holder?.node = nil
      root.holder?.node = node
    }
    #expect(count { leaf.value = 2 } == 1)
    root.removeObserver(listener, forKeyPath: "branch")
    #expect(count { leaf.value = 3 } == 0)
  }

  @Test("two keys with one dependence lead to two keys of an object that comes later")
  func visitedAliasCollision() {
    let leaf = Leaf(1)
    root.addObserver(listener, forKeyPath: "alias")
    root.holder?.node = Node(leaf)
    #expect(count { leaf.value = 2 } == 1)
    #expect(count { leaf.flag = false } == 1)
    root.removeObserver(listener, forKeyPath: "alias")
  }

  @Test("a path through a derived key reports the replacing object, and its parts")
  func subpathOnDerivedKey() {
    root.holder?.node = Node(Leaf(1))
    let second = Holder()
    root.addObserver(listener, forKeyPath: "derivedHolder.node.leaf")
    #expect(count { root.holder = second } == 1)
    #expect(count { second.node = Node(Leaf(2)) } == 1)
    root.removeObserver(listener, forKeyPath: "derivedHolder.node.leaf")
  }

  @Test("a path through a key that a path affects reports each part of both")
  func subpathWithDerivedKeyBasedOnSubpath() {
    root.holder?.node = Node(Leaf(1))
    let second = Holder()
    second.node = Node(Leaf(2))
    root.addObserver(listener, forKeyPath: "selected.leaf")
    #expect(count { root.holder?.node = Node(Leaf(3)) } == 1)
    #expect(count { root.holder = second } == 1)
    #expect(count { second.node = Node(Leaf(4)) } == 1)
    root.removeObserver(listener, forKeyPath: "selected.leaf")
  }
}
