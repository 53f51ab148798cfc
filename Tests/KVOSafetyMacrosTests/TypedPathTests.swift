#if Macros
import KVOSafety
import Testing

private protocol Valued: AnyObject { var note: Int { get } }

@KeyValueObservable
private class Node {
  var value = 0
  var next: Node?
  var own = Name()
  var both: (any Node & Valued)?
  weak var back: Node?
  private(set) var hidden = 1
  let fixed = Name()
  var list: [Int] = []
  func hide() { hidden += 1 }
  init() {}
}

@KeyValueObservable
private class Name {
  var text = "a"
  let length = 2
  var owner: Node?
  init() {}
}

@KeyValueObservable
private class Child: Node, Valued {
  var note = 1
  var box: Box<Int>?
}

@KeyValueObservable
private final class Grandchild: Child {
  override var value: Int { didSet {} }
}

/// Says nothing of itself.
private class Silent: Child {}

@KeyValueObservable
private class NodeBox: Box<Node> {
  var label = ""
}

/// Conforms by hand, with stored properties.
private class Manual: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  private static let keys = ObservableKeyTable(
    ObservableKey("count", \Manual.count),
    ObservableKey("next", \Manual.next)
  )
  class var observableKeys: ObservableKeyTable { keys }
  var count = 0 {
    willSet { willChangeValue(for: \.count) }
    didSet { didChangeValue(for: \.count) }
  }
  var next: Manual? {
    willSet { willChangeValue(for: \.next) }
    didSet { didChangeValue(for: \.next) }
  }
}

@Suite("Typed key paths with several parts, over classes that are not final")
struct TypedPathTests {
  /// What an observer of `keyPath` hears while `body` runs; an observer by name must hear the same.
  private func heard<Subject: KeyValueObservable, Value>(
    _ subject: Subject,
    _ keyPath: KeyPath<Subject, Value>,
    _ name: String,
    while body: (Subject) -> Void
  ) -> [String] {
    var byPath: [String] = []
    var byName: [String] = []
    let tokens = [
      subject.observe(keyPath, options: .new) { byPath.append("\($1.newValue as Any)") },
      subject.observe(keyPath: name, options: .new) { _, change in
        byName.append("\(change.newValue as Any)")
      },
    ]
    #expect(tokens.filter(\.isActive).count == 2, "\(name)")
    body(subject)
    tokens.forEach { $0.invalidate() }
    #expect(byPath.count == byName.count, "\(name)")
    return byPath
  }

  @Test("plain parts, optional chaining and unwrapping")
  func parts() {
    let node = Node()
    let old = node.own
    #expect(
      heard(node, \.own.text, "own.text") {
        $0.own.text = "b"
        $0.own = Name()
        old.text = "unheard"
      }.count == 2
    )
    node.next = Child()
    #expect(heard(node, \.next?.value, "next.value") { $0.next?.value = 1 }.count == 1)
    #expect(heard(node, \.next!.value, "next.value") { $0.next?.value = 2 } == ["Optional(2)"])
    node.next?.next = Grandchild()
    #expect(
      heard(node, \.next?.next?.own.text, "next.next.own.text") {
        $0.next?.next?.own.text = "deep"
        $0.next = nil
      }.count == 2
    )
  }

  @Test("parts of a superclass, seen from subclasses, one of which has no keys of its own")
  func superclasses() {
    for child in [Child(), Grandchild(), Silent()] {
      child.next = Node()
      #expect(heard(child, \.own.text, "own.text") { $0.own.text = "b" }.count == 1)
      #expect(heard(child, \.next?.value, "next.value") { $0.next?.value = 1 }.count == 1)
      #expect(heard(child as Node, \.own.text, "own.text") { $0.own.text = "c" }.count == 1)
    }
    let grandchild = Grandchild()
    grandchild.next = Grandchild()
    #expect(heard(grandchild, \.next?.value, "next.value") { $0.next?.value = 1 }.count == 1)
    let silent = Silent()
    #expect(heard(silent, \.own.text, "own.text") { $0.own = Name() }.count == 1)
  }

  @Test("parts of generic classes, and key paths that are made in generic code")
  func generics() {
    let child = Child()
    child.box = Box(1)
    #expect(heard(child, \.box?.value, "box.value") { $0.box?.value = 2 }.count == 1)
    #expect(
      heard(Box(Node()), \.value.own.text, "value.own.text") { $0.value.own = Name() }.count == 1
    )
    let box = NodeBox(Node())
    #expect(heard(box, \.value.value, "value.value") { $0.value.value = 3 } == ["Optional(3)"])
    func observe<Some: Node>(_ node: Some) -> Int {
      heard(node, \.own.text, "own.text") { $0.own.text = "g" }.count
    }
    #expect(observe(Node()) + observe(Grandchild()) + observe(Silent()) == 3)
  }

  @Test("an existential part has the keys of its superclass")
  func existentials() {
    let node = Node()
    node.both = Child()
    #expect(heard(node, \.both?.value, "both.value") { $0.both?.value = 3 }.count == 1)
  }

  @Test("weak parts, constants, and properties that only the class may set")
  func modifiers() {
    let node = Node()
    let other = Node()
    node.back = other
    node.next = other
    #expect(heard(node, \.back?.own.text, "back.own.text") { $0.back?.own.text = "w" }.count == 1)
    #expect(heard(node, \.next?.hidden, "next.hidden") { $0.next?.hide() }.count == 1)
    #expect(heard(node, \.fixed.text, "fixed.text") { $0.fixed.text = "f" }.count == 1)
    #expect(heard(node, \.own.length, "own.length") { $0.own = Name() }.count == 1)
  }

  @Test("stored properties of classes that conform by hand")
  func byHand() {
    let manual = Manual()
    manual.next = Manual()
    #expect(heard(manual, \.next?.count, "next.count") { $0.next?.count = 1 }.count == 1)
  }

  @Test("controllers and streams take them as well")
  func otherForms() async {
    let node = Node()
    let owner = Name()
    var heard = 0
    ObservationController.of(owner).observe(node, \.own.text) { _, _, _ in heard += 1 }
    node.own.text = "b"
    ObservationController.of(owner).unobserve(node, \.own.text)
    node.own.text = "c"
    #expect(heard == 1)
    let values = node.values(for: \.next?.own.text)
    node.next = Child()
    node.next?.own.text = "s"
    var received: [String?] = []
    for await value in values {
      received.append(value)
      if received.count == 3 { break }
    }
    #expect(received == [nil, "a", "s"])
  }

  @Test("a path through a struct, or to a requirement of a protocol only, is refused")
  func refused() {
    let node = Node()
    let tokens = [
      node.observe(\.list.count) { _, _ in }, node.observe(\.own.text.count) { _, _ in },
      node.observe(\.both?.note) { _, _ in },
    ]
    #expect(tokens.filter(\.isActive).isEmpty)
  }

  @Test("the identities of parts are those by which Swift compares key paths")
  func identities() {
    func roots<Root: Node>(_: Root.Type) -> [AnyKeyPath] { [\Root.value, \Root.next, \Root.own] }
    let paths: [AnyKeyPath] = [\Child.value, \Child.next, \Child.own]
    #expect(roots(Child.self) == paths)
    #expect(Set(Grandchild.observableKeys.names).isSuperset(of: ["value", "next", "own", "note"]))
  }
}
#endif
