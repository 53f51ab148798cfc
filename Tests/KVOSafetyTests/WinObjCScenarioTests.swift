import KVORules
import Testing

@testable import KVOSafety

// Scenarios of tests/unittests/Foundation/NSObject_KeyValueObservationTests.mm in microsoft/WinObjC (94f6b5b), with
// what that file expects; `KVCMediated` and `Proxy` there are `mutableValues(of:)` here.

private final class Store: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("names", \Store.names),
    ObservableKey("numbers", \Store.numbers),
    ObservableKey("nameCount", \Store.nameCount, affectedBy: ["names"])
  )
  var storedNames: [String] = []
  var names: [String] {
    get { storedNames }
    set { setting(\.names) { storedNames = newValue } }
  }
  var storedNumbers: Set<Int> = []
  var numbers: Set<Int> {
    get { storedNumbers }
    set { setting(\.numbers) { storedNumbers = newValue } }
  }
  var nameCount: Int { names.count }

  private func setting<Value>(_ keyPath: KeyPath<Store, Value>, _ set: () -> Void) {
    willChangeValue(for: keyPath)
    set()
    didChangeValue(for: keyPath)
  }

  func add(_ name: String, _ form: CollectionForm) throws {
    guard form == .manual else { return mutableValues(of: \.names).append(name) }
    let places = RangeSet(storedNames.count..<storedNames.count + 1)
    try willChange(.insertion, valuesAt: places, for: \.names)
    storedNames.append(name)
    didChange(.insertion, valuesAt: places, for: \.names)
  }

  func remove(at index: Int, _ form: CollectionForm) throws {
    guard form == .manual else {
      try mutableValues(of: \.names).remove(at: index)
      return
    }
    let places = RangeSet(index..<index + 1)
    try willChange(.removal, valuesAt: places, for: \.names)
    storedNames.remove(at: index)
    didChange(.removal, valuesAt: places, for: \.names)
  }
}

@Suite("WinObjC's scenarios of arrays, and of observers beside each other")
struct WinObjCScenarioTests {
  private let store = Store()

  private func heard(
    _ options: ObservingOptions = [.old, .new],
    _ body: () throws -> Void
  ) rethrows -> [String] {
    var heard: [String] = []
    let token = store.observe(\.names, options: options) { _, change in
      let places = change.indexes.map { " \($0.ranges.flatMap { Array($0) })" } ?? ""
      heard.append(line("\(change.kind)\(places):", change))
    }
    try body()
    token.invalidate()
    return heard.map { $0.replacing(/: \w+/, with: "") }
  }

  @Test("an array that is changed without its property's accessors causes no notification")
  func noNotificationOnBareArray() {
    let lines = heard([]) { store.storedNames.append("hello") }
    #expect(lines.isEmpty)
  }

  @Test("elements come and go, once each, or twice", arguments: CollectionForm.allCases)
  func notifyingArray(form: CollectionForm) throws {
    func change() throws {
      try store.add("1", form)
      try store.add("2", form)
      try store.remove(at: 0, form)
    }
    let (first, second) = (#"insertion [0] to ["1"]"#, #"insertion [1] to ["2"]"#)
    #expect(try heard([.old, .new], change) == [first, second, #"removal [0] from ["1"]"#])
    store.storedNames = []
    let prior = try heard([.old, .new, .prior], change)
    #expect(
      prior == [
        "insertion [0] prior", first, "insertion [1] prior", second,
        #"removal [0] prior from ["1"]"#, #"removal [0] from ["1"]"#,
      ]
    )
    let initial = heard([.initial, .new]) {}
    #expect(initial == [#"setting to ["2"]"#])
  }

  /// A path through the operator `@count` is refused: a key that depends on the array says the same, with a type.
  @Test("the number of elements is set, without indexes", arguments: CollectionForm.allCases)
  func aggregateFunction(form: CollectionForm) throws {
    let found = verdicts(about: store) {
      let token = store.observe(keyPath: "names.@count") { _, _ in Issue.record("notified") }
      #expect(!token.isActive)
    }
    #expect(found.map(\.code) == [.uncompliantPath])
    var heard: [String] = []
    let token = store.observe(\.nameCount, options: [.old, .new]) { _, change in
      #expect(change.indexes == nil)
      heard.append(line("nameCount", change))
    }
    try store.add("1", form)
    token.invalidate()
    #expect(heard == ["nameCount setting from 0 to 1"])
  }

  @Test("each of two observers is notified as it requested, and no more")
  func observerInformationShouldNotLeak() throws {
    let (both, new) = (Listener(), Listener())
    store.addObserver(both, forKeyPath: "names", options: [.old, .new])
    store.addObserver(new, forKeyPath: "names", options: [.new])
    try store.add("1", .manual)
    store.names = []
    #expect(both.heard == [#"names insertion to ["1"]"#, #"names setting from ["1"] to []"#])
    #expect(new.heard == [#"names insertion to ["1"]"#, "names setting to []"])
    store.removeObserver(both, forKeyPath: "names")
    store.removeObserver(new, forKeyPath: "names")
  }

  @Test("some elements of an array are observed one by one, and ended one by one")
  func observeElements() {
    let meters = [Meter(), Meter(), Meter()]
    var count = 0
    let tokens = meters[0..<2].map { $0.observe(\.samples) { _, _ in count += 1 } }
    func notified(_ index: Int) -> Int {
      meters[index].mutableValues(of: \.samples).append(1)
      return count
    }
    #expect([notified(0), notified(0), notified(1), notified(2)] == [1, 2, 3, 3])
    tokens[0].invalidate()
    #expect([notified(0), notified(1)] == [3, 4])
    tokens[1].invalidate()
    #expect(notified(1) == 4)
  }
}
