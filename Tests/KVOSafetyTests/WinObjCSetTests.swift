import Testing

@testable import KVOSafety

// Scenarios of NSObject_KeyValueObservationTests.mm, NSObject_NSKeyValueArrayAdaptersTests.mm,
// …OrderedSetAdaptersTests.mm and …SetAdaptersTests.mm of tests/unittests/Foundation in microsoft/WinObjC (94f6b5b).

private final class Numbers: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("set", \Numbers.set),
    ObservableKey("array", \Numbers.array)
  )
  var stored: Set<Int> = []
  private(set) var setterCallCount = 0
  var set: Set<Int> {
    get { stored }
    set {
      willChangeValue(for: \.set)
      stored = newValue
      setterCallCount += 1
      didChangeValue(for: \.set)
    }
  }
  var array = ["1"] {
    willSet { willChangeValue(for: \.array) }
    didSet { didChangeValue(for: \.array) }
  }

  func change(_ mutation: ObservedSetMutation, _ elements: Set<Int>, _ form: CollectionForm) {
    guard form == .manual else { return changeProxy(mutation, elements) }
    willChangeValue(for: \.set, withSetMutation: mutation, using: elements)
    switch mutation {
    case .union: stored.formUnion(elements)
    case .minus: stored.subtract(elements)
    case .intersect: stored.formIntersection(elements)
    case .set: stored = elements
    }
    didChangeValue(for: \.set, withSetMutation: mutation, using: elements)
  }

  private func changeProxy(_ mutation: ObservedSetMutation, _ elements: Set<Int>) {
    let proxy = mutableValues(of: \.set)
    switch mutation {
    case .union: proxy.formUnion(elements)
    case .minus: proxy.subtract(elements)
    case .intersect: proxy.formIntersection(elements)
    case .set: proxy.set(elements)
    }
  }
}

@Suite("WinObjC's scenarios of sets, and of collections that are changed by element")
struct WinObjCSetTests {
  private let numbers = Numbers()

  private func heard(_ body: () -> Void) -> [String] {
    var heard: [String] = []
    let token = numbers.observe(\.set, options: [.old, .new]) { _, change in
      #expect(change.indexes == nil)
      let texts = [change.oldValue, change.newValue].map { $0.map { "\($0.sorted())" } ?? "-" }
      heard.append("\(change.kind) \(texts[0]) \(texts[1])")
    }
    body()
    token.invalidate()
    return heard
  }

  @Test("six mutations of a set, each with its elements", arguments: CollectionForm.allCases)
  func setMutationMethods(form: CollectionForm) {
    let lines = heard {
      numbers.change(.union, [1, 2, 3], form)
      numbers.change(.minus, [1], form)
      numbers.change(.union, [1], form)
      numbers.change(.minus, [1], form)
      numbers.change(.intersect, [2], form)
      numbers.change(.set, [3], form)
    }
    #expect(
      lines == [
        "insertion - [1, 2, 3]", "removal [1] -", "insertion - [1]", "removal [1] -",
        "removal [3] -", "replacement [2] [3]",
      ]
    )
    #expect(numbers.stored == [3])
  }

  @Test("one element that comes or goes by the collection's own methods")
  func addAndRemoveObject() {
    numbers.stored = [2, 3]
    let set = numbers.mutableValues(of: \.set)
    let lines = heard {
      set.insert(1)
      set.remove(1)
    }
    #expect(lines == ["insertion - [1]", "removal [1] -"])
  }

  /// WinObjC's set is the same object before and after, so that its old value is the new one.
  @Test("an assignment is a setting, with the old value and the new one")
  func setByAssignment() {
    numbers.stored = [2]
    #expect(heard { numbers.set = [3] } == ["setting [2] [3]"])
  }

  @Test("a collection that was requested once shows later settings")
  func changePropagation() {
    let (array, set) = (numbers.mutableValues(of: \.array), numbers.mutableValues(of: \.set))
    numbers.set = [1]
    #expect(array[0] == "1" && set.contains(1))
    numbers.array = ["2"]
    numbers.set = [2]
    #expect(array[0] == "2" && set.contains(2) && !set.contains(1))
  }

  @Test("a collection is changed through the property's setter")
  func basicAccessors() {
    numbers.mutableValues(of: \.set).insert(7)
    #expect(numbers.set == [7])
    #expect(numbers.setterCallCount == 1)
    numbers.mutableValues(of: \.array).append("2")
    #expect(numbers.array == ["1", "2"])
  }
}
