import KVOSafety

/// An object of random programs: with keys of every kind, whose assignments are reported to the run.
///
/// Strong and weak references, stored and derived ones; setters that notify by two calls and fast ones.
final class ModelNode: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()

  /// What affects each derived key, for the library and for the model.
  static let affecting: [String: [String]] = [
    "best": ["next"],
    "champion": ["best"],
    "guest": ["other.best"],
    "total": ["value", "next.value"],
    "deep": ["best.total", "link.value"],
    "odd": ["even"],
    "even": ["odd"],
    "count": ["items"],
  ]

  private static func key<Value>(
    _ name: String,
    _ keyPath: KeyPath<ModelNode, Value>,
    isWeak: Bool = false
  ) -> ObservableKey {
    ObservableKey(name, keyPath, affectedBy: affecting[name] ?? [], isWeak: isWeak)
  }

  static let valueKey = key("value", \.value)
  static let otherKey = key("other", \.other)
  static let linkKey = key("link", \.link, isWeak: true)
  static let observableKeys = ObservableKeyTable(
    valueKey,
    otherKey,
    linkKey,
    key("next", \.next),
    key("items", \.items),
    key("best", \.best),
    key("champion", \.champion),
    key("guest", \.guest),
    key("total", \.total),
    key("deep", \.deep),
    key("odd", \.odd),
    key("even", \.even),
    key("count", \.count)
  )

  let id: Int
  private unowned let run: ModelRun

  init(_ id: Int, in run: ModelRun) {
    self.id = id
    self.run = run
  }

  private var storedValue = 0
  private var storedOther: ModelNode?
  private weak var storedLink: ModelNode?
  private var storedNext: ModelNode?
  private var storedItems: [Int] = []
  private var storedOdd = 1

  // Fast setters, as the macro's.

  var value: Int {
    get { storedValue }
    set { change(Self.valueKey, storedValue) { storedValue = newValue } }
  }
  var other: ModelNode? {
    get { storedOther }
    set { change(Self.otherKey, storedOther) { storedOther = newValue } }
  }
  var link: ModelNode? {
    get { storedLink }
    set { change(Self.linkKey, storedLink) { storedLink = newValue } }
  }

  // Setters that notify by hand.

  var next: ModelNode? {
    get { storedNext }
    set {
      willChangeValue(for: \.next)
      run.assign("next", of: self) { storedNext = newValue }
      didChangeValue(for: \.next)
    }
  }
  var items: [Int] {
    get { storedItems }
    set {
      willChangeValue(for: \.items)
      run.assign("items", of: self) { storedItems = newValue }
      didChangeValue(for: \.items)
    }
  }
  var odd: Int {
    get { storedOdd }
    set {
      willChangeValue(for: \.odd)
      run.assign("odd", of: self) { storedOdd = newValue }
      didChangeValue(for: \.odd)
    }
  }

  // Derived.

  var even: Int { odd + 1 }
  var best: ModelNode? { next }
  var champion: ModelNode? { best }
  var guest: ModelNode? { other?.best }
  var total: Int { value + (next?.value ?? 0) }
  var deep: Int { (best?.total ?? 0) * 100 + (link?.value ?? 0) }
  var count: Int { items.count }

  private func change<Value>(
    _ key: ObservableKey,
    _ value: @autoclosure () -> Value,
    _ assign: () -> Void
  ) {
    guard observationRegistrar.wasEverObserved else {
      return run.assign(key.name, of: self, assign)
    }
    observationRegistrar.change(key, of: self, value: value()) {
      run.assign(key.name, of: self, assign)
    }
  }

  /// Releases what it refers to, without notifications.
  func cut() { (storedNext, storedOther) = (nil, nil) }

  /// The value of a key, read without the library.
  func read(_ key: String) -> Any? {
    switch key {
    case "value": value
    case "other": other
    case "link": link
    case "next": next
    case "items": items
    case "best": best
    case "champion": champion
    case "guest": guest
    case "total": total
    case "deep": deep
    case "odd": odd
    case "even": even
    case "count": count
    default: preconditionFailure("no key \(key)")
    }
  }
}
