#if Macros
import KVOSafety
import Testing

// Scenarios of NSKVOTests in apportable/Foundation, CPKVOTest and CPKeyValueObservingTest in cappuccino/cappuccino, and
// KVOTests in realm/realm-swift, which runs against Foundation's own key-value observing too. The order of different
// observers is ours: that of registration.

@KeyValueObservable
private class Number {
  var value = 0
  @KeyValue(affectedBy: "value") var text: String { "\(value)" }
}

/// A number that announces its text by hand, inside the announcement of its value.
@KeyValueObservable
private class ManualNumber {
  private var stored = 0
  var value: Int {
    get { stored }
    set {
      willChangeValue(for: \.value)
      willChangeValue(for: \.text)
      stored = newValue
      didChangeValue(for: \.text)
      didChangeValue(for: \.value)
    }
  }
  var text: String { "\(value)" }
}

@KeyValueObservable
private class Caller {
  /// A setter that stores another value than it is given.
  var name: String? { didSet { name = "set_" + (name ?? "") } }
  @KeyValue(affectedBy: "greeting") var twice: String { greeting + " twice" }
  @KeyValue(affectedBy: "name") var greeting: String { "hello \(name ?? "nobody")" }
}

@KeyValueObservable private class Link1 { var next: Link2? = Link2() }
@KeyValueObservable private class Link2 { var next: Link3? = Link3() }
@KeyValueObservable private class Link3 { var next: Link4? = Link4() }
@KeyValueObservable private class Link4 { var end: Any? = 1 }

/// A key that depends on an object that several others lead to.
@KeyValueObservable
private class Reader {
  var person: Caller
  @KeyValue(affectedBy: "person.name") var title: String { person.name ?? "" }
  init(_ person: Caller) { self.person = person }
}

private final class Observer: KeyValueObserver {
  typealias Reaction = (Observer, String, any KeyValueObservable, ObservedChange<Any>) -> Void
  var reaction: Reaction
  init(_ reaction: @escaping Reaction) { self.reaction = reaction }

  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    reaction(self, keyPath, object, change)
    return .handled
  }
}

@Suite("Scenarios of changes that observers make, and of what they release")
struct NestedChangeScenarioTests {
  /// The notifications of an observer of the value and the text that sets the value to 42 when it changes.
  private func nested(_ number: some KeyValueObservable, set: @escaping (Int) -> Void) -> [String] {
    var heard: [String] = []
    var depth = 0
    let observer = Observer { _, keyPath, object, change in
      depth += 1
      defer { depth -= 1 }
      let now: () -> Any = { (try? object.value(forKey: keyPath)) ?? "none" }
      if change.isPrior { return heard.append("\(depth) will \(keyPath) \(now())") }
      if keyPath == "value", now() as? Int != 42 { set(42) }
      heard.append("\(depth) did \(keyPath) \(now())")
    }
    for key in ["value", "text"] { number.addObserver(observer, forKeyPath: key, options: .prior) }
    set(1)
    for key in ["value", "text"] { number.removeObserver(observer, forKeyPath: key) }
    return heard
  }

  /// Apportable AutomaticDependantKeyChangeObserver.
  @Test("a change inside the notification of another has both halves of each key inside it")
  func automaticDependentKey() {
    let number = Number()
    #expect(
      nested(number) { number.value = $0 } == [
        "1 will value 0", "1 will text 0", "2 will value 1", "2 will text 1",
        "2 did value 42", "2 did text 42", "1 did value 42", "1 did text 42",
      ]
    )
  }

  /// Apportable ManualDepedentKeyChangeObserver, with the halves in the order in which they nest.
  @Test("and of each key that is announced by hand")
  func manualDependentKey() {
    let number = ManualNumber()
    #expect(
      nested(number) { number.value = $0 } == [
        "1 will value 0", "1 will text 0", "1 did text 1",
        "2 will value 1", "2 will text 1", "2 did text 42", "2 did value 42", "1 did value 42",
      ]
    )
  }

  /// Apportable MultipleChangeOnChangeObservers.
  @Test("a later observer gets the inner change and then the outer one, both with the value now")
  func multipleObservers() {
    let number = Number()
    var heard: [String] = []
    let first = number.observe(\.value) { number, _ in
      heard.append("first \(number.value)")
      if number.value != 2 { number.value = 2 }
      heard.append("first ends")
    }
    let second = number.observe(\.value) { number, _ in heard.append("second \(number.value)") }
    number.value = 1
    #expect(
      heard == ["first 1", "first 2", "first ends", "second 2", "first ends", "second 2"]
    )
    first.invalidate()
    second.invalidate()
  }

  /// Apportable RemoveObserverOnChange.
  @Test("an observer that releases itself in its notification lives until that returns")
  func removeObserverOnChange() {
    let number = Number()
    weak var released: Observer?
    var wasAlive = false
    var held: Observer?
    do {
      let observer = Observer { observer, keyPath, object, _ in
        object.removeObserver(observer, forKeyPath: keyPath)
        held = nil
        wasAlive = released != nil
      }
      held = observer
      released = observer
      number.addObserver(observer, forKeyPath: "value")
    }
    #expect(held != nil)
    number.value = 1
    #expect(wasAlive)
    #expect(released == nil)
  }

  /// Realm testRemoveObserverInObservation.
  @Test("an object that its observer releases in the notification lives until its setter returns")
  func removeObserverInObservation() {
    weak var released: Number?
    var held: Number? = Number()
    released = held
    let observer = Observer { observer, keyPath, object, _ in
      object.removeObserver(observer, forKeyPath: keyPath)
      held = nil
    }
    held?.addObserver(observer, forKeyPath: "value", options: [.old, .new, .prior])
    held?.value = 1
    #expect(held == nil)
    #expect(released == nil)
  }

  /// Cappuccino testAddObserver, testDependentKeyObservation.
  @Test("a corrected value is the one that observers get, and keys twice removed")
  func correctedDependency() {
    let person = Caller()
    var heard: [String] = []
    let all: ObservingOptions = [.old, .new]
    let tokens = [
      person.observe(\.name, options: all) { heard.append("\($1.newValue as Any)") },
      person.observe(\.greeting, options: all) { heard.append("\($1.newValue ?? "")") },
      person.observe(\.twice, options: all) { heard.append("\($1.oldValue ?? "")") },
    ]
    person.name = "bob"
    #expect(
      heard == [#"Optional(Optional("set_bob"))"#, "hello set_bob", "hello nobody twice"]
    )
    for token in tokens { token.invalidate() }
  }

  /// Cappuccino testCrazyKeyPathChanges, …2, …3.
  @Test("a path of four objects: one in the middle is replaced, the end is set, the middle is nil")
  func longPath() throws {
    let first = Link1()
    var heard: [String] = []
    let token = first.observe(\.next?.next?.next?.end, options: .new) { _, change in
      heard.append("\(change.newValue as Any)")
    }
    let previous = first.next?.next?.next
    let third = Link3()
    third.next?.end = "new"
    try first.setValue(third, forKeyPath: "next.next")
    previous?.end = "previous"
    try first.setValue(7, forKeyPath: "next.next.next.end")
    try first.setValue(nil, forKeyPath: "next.next")
    third.next?.end = "gone"
    try first.setValue(5, forKeyPath: "next.next.next.end")
    #expect(
      heard == [
        #"Optional(Optional("new"))"#, "Optional(Optional(7))", "Optional(nil)",
      ]
    )
    token.invalidate()
  }

  /// Cappuccino testSendNotificationsForMultipleDependantKeyPathsToTheSameObject.
  @Test("two objects whose keys depend on a third are both notified of it, until each is left")
  func sameDependency() {
    let person = Caller()
    let readers = [Reader(person), Reader(person)]
    var heard: [ObjectIdentifier] = []
    let observer = Observer { _, _, object, _ in heard.append(ObjectIdentifier(object)) }
    for reader in readers { reader.addObserver(observer, forKeyPath: "title", options: .new) }
    person.name = "a"
    #expect(heard == readers.map(ObjectIdentifier.init))
    readers[0].removeObserver(observer, forKeyPath: "title")
    person.name = "b"
    #expect(heard.dropFirst(2) == [ObjectIdentifier(readers[1])])
    readers[1].removeObserver(observer, forKeyPath: "title")
  }
}
#endif
