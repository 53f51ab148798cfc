import KVOSafety

/// What `Twin.m` has, in Swift.
final class SwiftTwin: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  private static let valueKey = ObservableKey("value", \SwiftTwin.value)
  private static let nextKey = ObservableKey("next", \SwiftTwin.next)
  private static let otherKey = ObservableKey("other", \SwiftTwin.other)
  private static let itemsKey = ObservableKey("items", \SwiftTwin.items)
  static let observableKeys = ObservableKeyTable(
    valueKey,
    nextKey,
    otherKey,
    itemsKey,
    ObservableKey("label", \SwiftTwin.label),
    ObservableKey("twice", \SwiftTwin.twice, affectedBy: ["value"]),
    ObservableKey("sum", \SwiftTwin.sum, affectedBy: ["value", "label"]),
    ObservableKey("best", \SwiftTwin.best, affectedBy: ["next"])
  )

  let number: Int
  private var storedValue = 0
  private var storedNext: SwiftTwin?
  private var storedOther: SwiftTwin?
  private var storedItems: [Int] = []

  init(_ number: Int) { self.number = number }

  var value: Int {
    get { storedValue }
    set { change(Self.valueKey, storedValue) { storedValue = newValue } }
  }
  var next: SwiftTwin? {
    get { storedNext }
    set { change(Self.nextKey, storedNext) { storedNext = newValue } }
  }
  var other: SwiftTwin? {
    get { storedOther }
    set { change(Self.otherKey, storedOther) { storedOther = newValue } }
  }
  var items: [Int] {
    get { storedItems }
    set { change(Self.itemsKey, storedItems) { storedItems = newValue } }
  }
  /// Notifies by hand.
  var label = 0 {
    willSet { willChangeValue(for: \.label) }
    didSet { didChangeValue(for: \.label) }
  }
  var twice: Int { value * 2 }
  var sum: Int { value + label }
  var best: SwiftTwin? { next }

  private func change<Value>(
    _ key: ObservableKey,
    _ value: @autoclosure () -> Value,
    _ assign: () -> Void
  ) {
    guard observationRegistrar.wasEverObserved else { return assign() }
    observationRegistrar.change(key, of: self, value: value(), by: assign)
  }

  /// Releases what it refers to, without notifications.
  func cut() { (storedNext, storedOther) = (nil, nil) }
}
