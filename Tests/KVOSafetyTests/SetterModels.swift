import KVOSafety

/// A class whose setters notify as those of `@KeyValueObservable` do.
class Meter: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let countKey = ObservableKey("count", \Meter.count)
  static let nameKey = ObservableKey("name", \Meter.name)
  static let unitKey = ObservableKey("unit", \Meter.unit)
  static let samplesKey = ObservableKey("samples", \Meter.samples)
  static let nextKey = ObservableKey("next", \Meter.next)
  private static let keys = ObservableKeyTable(countKey, nameKey, unitKey, samplesKey, nextKey)
  class var observableKeys: ObservableKeyTable { keys }

  private var storedCount = 0 {
    // As a property observer that is kept by the macro.
    didSet { if storedCount > 1_000 { storedCount = 1_000 } }
  }
  var count: Int {
    get { storedCount }
    set { change(Self.countKey, storedCount) { storedCount = newValue } }
  }

  private var storedName = "meter"
  var name: String {
    get { storedName }
    set { change(Self.nameKey, storedName) { storedName = newValue } }
  }

  private var storedUnit: String?
  var unit: String? {
    get { storedUnit }
    set { change(Self.unitKey, storedUnit) { storedUnit = newValue } }
  }

  private var storedSamples: [Int] = []
  var samples: [Int] {
    get { storedSamples }
    set { change(Self.samplesKey, storedSamples) { storedSamples = newValue } }
    _modify {
      observationRegistrar.willChange(Self.samplesKey, of: self)
      defer { observationRegistrar.didChange(Self.samplesKey, of: self) }
      yield &storedSamples
    }
  }

  private var storedNext: Meter?
  var next: Meter? {
    get { storedNext }
    set { change(Self.nextKey, storedNext) { storedNext = newValue } }
  }

  private func change<Value>(
    _ key: ObservableKey,
    _ value: @autoclosure () -> Value,
    _ assign: () -> Void
  ) {
    guard observationRegistrar.wasEverObserved else { return assign() }
    observationRegistrar.change(key, of: self, value: value(), by: assign)
  }
}

/// Names whose values depend on others: of the object, of a superclass, of another object, of each
/// other.
class Contact: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  private static let keys = ObservableKeyTable(
    ObservableKey("first", \Contact.first),
    ObservableKey("last", \Contact.last),
    ObservableKey("full", \Contact.full, affectedBy: ["first", "last"]),
    ObservableKey("greeting", \Contact.greeting, affectedBy: ["full"]),
    ObservableKey("boss", \Contact.boss),
    ObservableKey("line", \Contact.line, affectedBy: ["boss.full", "full"]),
    ObservableKey("team", \Contact.team),
    ObservableKey("size", \Contact.size, affectedBy: ["team.first"]),
    ObservableKey("odd", \Contact.odd, affectedBy: ["even"]),
    ObservableKey("even", \Contact.even, affectedBy: ["odd"]),
    ObservableKey("stamp", \Contact.stamp, isManual: true)
  )
  class var observableKeys: ObservableKeyTable { keys }

  var first: String {
    willSet { willChangeValue(for: \.first) }
    didSet { didChangeValue(for: \.first) }
  }
  var last: String {
    willSet { willChangeValue(for: \.last) }
    didSet { didChangeValue(for: \.last) }
  }
  var full: String { "\(first) \(last)" }
  var greeting: String { "Dear \(full)" }
  var boss: Contact? {
    willSet { willChangeValue(for: \.boss) }
    didSet { didChangeValue(for: \.boss) }
  }
  var line: String { "\(full) under \(boss?.full ?? "nobody")" }
  var team: [Contact] = [] {
    willSet { willChangeValue(for: \.team) }
    didSet { didChangeValue(for: \.team) }
  }
  var size: Int { team.count }
  var odd = 1 {
    willSet { willChangeValue(for: \.odd) }
    didSet { didChangeValue(for: \.odd) }
  }
  var even: Int {
    get { odd - 1 }
    set { odd = newValue + 1 }
  }
  /// Notified by hand.
  var stamp = 0

  init(_ first: String, _ last: String) {
    self.first = first
    self.last = last
  }
}

/// Adds to what its superclass says of a key.
final class TitledContact: Contact {
  private static let keys = ObservableKeyTable(
    inheriting: Contact.observableKeys,
    ObservableKey("title", \TitledContact.title),
    ObservableKey("full", \TitledContact.full, affectedBy: ["title"])
  )
  override class var observableKeys: ObservableKeyTable { keys }

  var title = "Dr." {
    willSet { willChangeValue(for: \.title) }
    didSet { didChangeValue(for: \.title) }
  }
  override var full: String { "\(title) \(super.full)" }
}
