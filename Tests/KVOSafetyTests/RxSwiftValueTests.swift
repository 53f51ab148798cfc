import Testing

@testable import KVOSafety

// Scenarios of KVOObservableTests.swift (5abdfe4) and KeyPathKVOObservableTests.swift (b69d20c) of
// Tests/RxCocoaTests in ReactiveX/RxSwift of values of each type, by key path and by name.

private enum Small: Int32 { case one, two }
private enum Large: UInt64 { case one, two }

private struct Frame: Equatable {
  var x = 0.0
  var y = 0.0
  var width = 100.0
  var height = 100.0
}

private final class Gauge: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("integer", \Gauge.integer),
    ObservableKey("natural", \Gauge.natural),
    ObservableKey("small", \Gauge.small),
    ObservableKey("large", \Gauge.large),
    ObservableKey("frame", \Gauge.frame)
  )
  var integer = 1 {
    willSet { willChangeValue(for: \.integer) }
    didSet { didChangeValue(for: \.integer) }
  }
  var natural: UInt = 1 {
    willSet { willChangeValue(for: \.natural) }
    didSet { didChangeValue(for: \.natural) }
  }
  var small = Small.one {
    willSet { willChangeValue(for: \.small) }
    didSet { didChangeValue(for: \.small) }
  }
  var large = Large.one {
    willSet { willChangeValue(for: \.large) }
    didSet { didChangeValue(for: \.large) }
  }
  var frame = Frame() {
    willSet { willChangeValue(for: \.frame) }
    didSet { didChangeValue(for: \.frame) }
  }
}

@Suite("RxSwift's scenarios of values of each type")
struct RxSwiftValueTests {
  /// The initial value and that after a change, typed and by name, until the object is deallocated.
  private func observe<Value: Equatable & Sendable>(
    _ keyPath: ReferenceWritableKeyPath<Gauge, Value>,
    _ name: String,
    _ new: Value
  ) async {
    let typed: ObservedValues<Value>
    let named: ObservedValues<Value?>
    let other: ObservedValues<[Int]?>
    let first: Value
    do {
      let gauge = Gauge()
      first = gauge[keyPath: keyPath]
      typed = gauge.values(for: keyPath)
      named = gauge.values(forKeyPath: name, as: Value.self)
      other = gauge.values(forKeyPath: name, as: [Int].self)
      gauge[keyPath: keyPath] = new
    }
    var heard: [Value] = []
    for await value in typed { heard.append(value) }
    #expect(heard == [first, new])
    var heardByName: [Value?] = []
    for await value in named { heardByName.append(value) }
    #expect(heardByName == [first, new])
    var ofAnotherType: [[Int]?] = []
    for await value in other { ofAnotherType.append(value) }
    #expect(ofAnotherType == [nil, nil])
  }

  @Test("integers with a sign and without one")
  func integers() async {
    await observe(\.integer, "integer", 2)
    await observe(\.natural, "natural", 2)
  }

  @Test("enums with values of any size")
  func enumerations() async {
    await observe(\.small, "small", .two)
    await observe(\.large, "large", .two)
  }

  @Test("structures; as a value of another type they are nil")
  func structures() async {
    await observe(\.frame, "frame", Frame(x: -2, width: 0, height: 1))
  }
}
