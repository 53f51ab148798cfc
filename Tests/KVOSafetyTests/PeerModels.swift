import KVOSafety

/// What a chain refers to, and what is not observable itself.
final class Mark: Sendable {
  let text: String
  init(_ text: String = "") { self.text = text }
}

/// An object of the scenarios of other libraries' tests, with strong and weak references.
final class Chain: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("next", \Chain.next),
    ObservableKey("linked", \Chain.linked, isWeak: true),
    ObservableKey("mark", \Chain.mark),
    ObservableKey("linkedMark", \Chain.linkedMark, isWeak: true),
    ObservableKey("number", \Chain.number),
    ObservableKey("numbers", \Chain.numbers),
    ObservableKey("tags", \Chain.tags),
    ObservableKey("freshMark", \Chain.freshMark),
    ObservableKey("freshChain", \Chain.freshChain)
  )
  var next: Chain? {
    willSet { willChangeValue(for: \.next) }
    didSet { didChangeValue(for: \.next) }
  }
  weak var linked: Chain? {
    willSet { willChangeValue(for: \.linked) }
    didSet { didChangeValue(for: \.linked) }
  }
  var mark: Mark? {
    willSet { willChangeValue(for: \.mark) }
    didSet { didChangeValue(for: \.mark) }
  }
  weak var linkedMark: Mark? {
    willSet { willChangeValue(for: \.linkedMark) }
    didSet { didChangeValue(for: \.linkedMark) }
  }
  var number = 42 {
    willSet { willChangeValue(for: \.number) }
    didSet { didChangeValue(for: \.number) }
  }
  var numbers: [Int] = [] {
    willSet { willChangeValue(for: \.numbers) }
    didSet { didChangeValue(for: \.numbers) }
  }
  var tags: Set<Int> = [] {
    willSet { willChangeValue(for: \.tags) }
    didSet { didChangeValue(for: \.tags) }
  }
  /// Another one at each read, which is kept nowhere.
  var freshMark: Mark { Mark("fresh") }
  var freshChain: Chain { Chain() }

  init(next: Chain? = nil, mark: Mark? = nil) {
    self.next = next
    self.mark = mark
  }
}

/// Who says which elements change: the class by hand, or a collection of `mutableValues(of:)`.
enum CollectionForm: CaseIterable, Sendable { case manual, proxy }

/// A value of an optional type in a notification: `-` if it is missing, `nil` if it is nil.
func text<Value>(_ value: Value??) -> String {
  switch value {
  case .none: "-"
  case .some(.none): "nil"
  case .some(.some(let value)): "<\(value)>"
  }
}
