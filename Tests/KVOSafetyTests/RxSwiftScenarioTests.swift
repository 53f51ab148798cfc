import KVORules
import KVOTrace
import Testing

@testable import KVOSafety

// Scenarios of KVOObservableTests.swift (5abdfe4) and KeyPathKVOObservableTests.swift (b69d20c) of
// Tests/RxCocoaTests in ReactiveX/RxSwift, with what those files expect.

/// Observes itself, or has an object of its own observe it.
private final class Parent: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("value", \Parent.value))
  var value = "" {
    willSet { willChangeValue(for: \.value) }
    didSet { didChangeValue(for: \.value) }
  }
  private var token: ObservationToken?
  private var child: Child?

  init(hasChild: Bool, _ callback: @escaping (String) -> Void) {
    if hasChild {
      child = Child(self, callback)
    } else {
      token = observe(\.value, options: [.initial, .new]) { me, _ in callback(me.value) }
    }
  }
}

private final class Child {
  let token: ObservationToken
  init(_ parent: Parent, _ callback: @escaping (String) -> Void) {
    token = parent.observe(\.value, options: [.initial, .new]) { me, _ in callback(me.value) }
  }
}

@Suite("RxSwift's scenarios of streams")
struct RxSwiftScenarioTests {
  @Test("optional values, one after another, until the deallocation", arguments: [true, false])
  func keyPathObservation(isTyped: Bool) async {
    let values: ObservedValues<String?>
    let changes: ObservedValues<ObservedChange<String?>>
    do {
      let meter = Meter()
      meter.unit = "0"
      values =
        isTyped
        ? meter.values(for: \.unit) : meter.values(forKeyPath: "unit", as: String.self)
      changes = meter.changes(of: \.unit, options: .new)
      for unit in ["1", "2", nil, "3"] { meter.unit = unit }
    }
    var heard: [String?] = []
    for await value in values { heard.append(value) }
    #expect(heard == ["0", "1", "2", nil, "3"])
    var heardWithoutInitial: [String] = []
    for await change in changes { heardWithoutInitial.append(text(change.newValue)) }
    #expect(heardWithoutInitial == ["<1>", "<2>", "nil", "<3>"])
  }

  @Test("an object that observes itself, or has it done, is released", arguments: [true, false])
  func observeAndDontRetain(hasChild: Bool) {
    var heard: [String] = []
    weak var gone: Parent?
    var id: UInt64 = 0
    let found = verdicts(where: { _ in true }) {
      let parent = Parent(hasChild: hasChild) { heard.append($0) }
      gone = parent
      id = parent.storage.record.ref.id.rawValue
      parent.value = "1"
    }
    #expect(gone == nil)
    #expect(heard == ["", "1"])
    #expect(found.filter { $0.subject?.id.rawValue == id }.map(\.code) == [])
  }

  /// RxSwift sends nil when a weakly observed object is deallocated; here the stream ends, like every other.
  @Test(
    "a weak and a strong reference on a path, in either order, observed before and after",
    arguments: [true, false],
    [true, false]
  )
  func observeWeak(isWeakFirst: Bool, isObservedFirst: Bool) async {
    let keyPath: KeyPath<Chain, Mark?> = isWeakFirst ? \.linked?.mark : \.next?.linkedMark
    let (child, mark) = (Chain(), Mark("1"))
    var values: ObservedValues<Mark?>.AsyncIterator
    do {
      let root = Chain()
      func build() {
        if isWeakFirst {
          root.linked = child
          child.mark = mark
        } else {
          root.next = child
          child.linkedMark = mark
        }
      }
      if !isObservedFirst { build() }
      values = root.values(for: keyPath).makeAsyncIterator()
      if isObservedFirst { build() }
      for expected in isObservedFirst ? [nil, nil, "1"] : ["1"] {
        let value = await values.next()
        #expect(value.map { $0?.text } == .some(expected))
      }
      withExtendedLifetime(root) {}
    }
    let end = await values.next()
    #expect(end == nil)
    withExtendedLifetime((child, mark)) {}
  }

  @Test("of three weak references the one in the middle becomes nil")
  func weakMiddle() async {
    let (root, leaf, mark) = (Chain(), Chain(), Mark("1"))
    var middle: Chain? = Chain()
    root.linked = middle
    middle?.linked = leaf
    var values = root.values(for: \.linked?.linked?.linkedMark).makeAsyncIterator()
    leaf.linkedMark = mark
    for expected in [nil, "1"] {
      let value = await values.next()
      #expect(value.map { $0?.text } == .some(expected))
    }
    middle = nil
    #expect(root.linked == nil)
    let last = await values.next()
    #expect(last.map { $0?.text } == .some(nil))
    withExtendedLifetime((root, leaf, mark)) {}
  }

  /// RxSwift's sequence ends with an error; here the fault is reported, and the values are nil.
  @Test("a key that does not exist is reported when the object is there that lacks it")
  func hierarchyPropertyDoesntExist() async throws {
    let account = Account()
    var values: ObservedValues<Int?>?
    let early = verdicts(about: account) {
      values = account.values(forKeyPath: "owner.nosuch", as: Int.self)
    }
    #expect(early.isEmpty)
    let late = verdicts(about: account) { account.owner = Person("Ada") }
    #expect(late.map(\.code) == [.uncompliantPath])
    var iterator = try #require(values).makeAsyncIterator()
    for _ in 0..<2 {
      let value = await iterator.next()
      #expect(value == .some(nil))
    }
  }
}
