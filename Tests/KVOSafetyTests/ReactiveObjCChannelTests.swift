import KVORules
import KVOTrace
import Testing

@testable import KVOSafety

// Scenarios of ReactiveObjCTests/RACKVOChannelSpec.m in ReactiveCocoa/ReactiveObjC (1af6617), with what that file
// expects. `RACChannelTo(a, x) = RACChannelTo(b, x)` gives both the value of b, as `b.bind(\.x, to: \.x, of: a)`.

private final class Form: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("text", \Form.text),
    ObservableKey("lines", \Form.lines),
    ObservableKey("tags", \Form.tags),
    ObservableKey("field", \Form.field)
  )
  var text: String? {
    willSet { willChangeValue(for: \.text) }
    didSet { didChangeValue(for: \.text) }
  }
  var lines: [String] = [] {
    willSet { willChangeValue(for: \.lines) }
    didSet { didChangeValue(for: \.lines) }
  }
  var tags: Set<String> = [] {
    willSet { willChangeValue(for: \.tags) }
    didSet { didChangeValue(for: \.tags) }
  }
  var field = Field() {
    willSet { willChangeValue(for: \.field) }
    didSet { didChangeValue(for: \.field) }
  }
}

private final class Field: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("text", \Field.text))
  var text: String? {
    willSet { willChangeValue(for: \.text) }
    didSet { didChangeValue(for: \.text) }
  }
}

@Suite("ReactiveObjC's scenarios of values that are kept equal")
struct ReactiveObjCChannelTests {
  private let a = Form()
  private let b = Form()
  private let c = Form()

  @Test("both sides are equal, whichever is set, to nil as well")
  func sync() {
    (a.text, b.text) = ("one", "two")
    let binding = b.bind(\.text, to: \.text, of: a)
    #expect([a.text, b.text] == ["two", "two"])
    b.text = "one"
    #expect([a.text, b.text] == ["one", "one"])
    a.text = "three"
    #expect([a.text, b.text] == ["three", "three"])
    a.text = nil
    #expect([a.text, b.text] == [nil, nil])
    binding.invalidate()
    a.text = "four"
    #expect([a.text, b.text] == ["four", nil])
  }

  /// A path with a part that may be nil cannot be bound: Swift has no key path that sets its end.
  @Test("ends of paths are equal, also after an object on one of them was replaced")
  func keyPaths() {
    let binding = b.bind(\.field.text, to: \.field.text, of: a)
    a.field.text = "one"
    #expect(b.field.text == "one")
    let field = Field()
    field.text = "two"
    b.field = field
    #expect(a.field.text == "two")
    #expect(a.field !== b.field)
    a.field.text = "three"
    #expect(field.text == "three")
    withExtendedLifetime(binding) {}
  }

  @Test("three objects in a row are equal, whichever is set")
  func transitive() {
    (a.text, b.text, c.text) = ("one", "two", "three")
    let bindings = [b.bind(\.text, to: \.text, of: a), c.bind(\.text, to: \.text, of: b)]
    #expect([a.text, b.text, c.text] == ["three", "three", "three"])
    for (object, text) in [(c, "one"), (b, "two"), (a, "three")] {
      object.text = text
      #expect([a.text, b.text, c.text] == [text, text, text])
    }
    withExtendedLifetime(bindings) {}
  }

  @Test("collections are equal after changes of their elements, on either side")
  func collections() throws {
    let lines = b.bind(\.lines, to: \.lines, of: a)
    let tags = b.bind(\.tags, to: \.tags, of: a)
    b.mutableValues(of: \.lines).append("one")
    b.mutableValues(of: \.tags).insert("one")
    #expect(a.lines == ["one"] && a.tags == ["one"])
    try a.mutableValues(of: \.lines).remove(at: 0)
    a.mutableValues(of: \.tags).insert("two")
    #expect(b.lines == [] && b.tags == ["one", "two"])
    withExtendedLifetime((lines, tags)) {}
  }

  @Test("it ends when either side is deallocated, with no report", arguments: [false, true])
  func deallocation(isFirst: Bool) {
    weak var gone: Form?
    var binding: ObservedBinding?
    var id: UInt64 = 0
    let found = verdicts(where: { _ in true }) {
      let short = Form()
      gone = short
      id = short.storage.record.ref.id.rawValue
      binding =
        isFirst
        ? short.bind(\.text, to: \.text, of: a) : a.bind(\.text, to: \.text, of: short)
      short.text = "last"
      #expect(binding?.isActive == true)
    }
    #expect(gone == nil)
    #expect(binding?.isActive == false)
    #expect(found.filter { $0.subject?.id.rawValue == id }.map(\.code) == [])
    a.text = "alone"
    #expect(a.text == "alone")
    binding = nil
    #expect(KVO.census(of: a).isEmpty)
  }
}
