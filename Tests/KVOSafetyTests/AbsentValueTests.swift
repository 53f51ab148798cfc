import KVOSafety
import Testing

// Foundation's change dictionary has no old value of inserted elements and no new one of removed elements, nor of what
// was not requested; a value that is nil is there, as `NSNull`. A typed change of an optional key distinguishes them.

private final class Lists: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("names", \Lists.names),
    ObservableKey("tags", \Lists.tags),
    ObservableKey("next", \Lists.next)
  )
  var names: [String]? = ["a"] {
    willSet { willChangeValue(for: \.names) }
    didSet { didChangeValue(for: \.names) }
  }
  var tags: Set<String>? {
    willSet { willChangeValue(for: \.tags) }
    didSet { didChangeValue(for: \.tags) }
  }
  var next: Lists? {
    willSet { willChangeValue(for: \.next) }
    didSet { didChangeValue(for: \.next) }
  }
}

@Suite("Values that a change does not have")
struct AbsentValueTests {
  private let lists = Lists()

  /// The changes that `body` makes, as text: `-` for a missing value, `nil` for one that is nil.
  ///
  /// Unless the observer `isAlone`, there is another one that wants everything.
  private func heard<Value>(
    _ keyPath: KeyPath<Lists, Value?>,
    isAlone: Bool,
    _ options: ObservingOptions,
    _ body: () throws -> Void
  ) rethrows -> [String] {
    var heard: [String] = []
    let other = isAlone ? nil : lists.observe(keyPath, options: [.old, .new, .prior]) { _, _ in }
    let token = lists.observe(keyPath, options: options) { _, change in
      let prior = change.isPrior ? "prior " : ""
      heard.append("\(prior)\(text(change.oldValue)) \(text(change.newValue))")
    }
    try body()
    token.invalidate()
    other?.invalidate()
    return heard
  }

  @Test("inserted elements have no old value, removed ones no new one", arguments: [true, false])
  func elements(isAlone: Bool) throws {
    let all: ObservingOptions = [.old, .new, .prior]
    let names = try heard(\.names, isAlone: isAlone, all) {
      lists.mutableValues(of: \.names).append("b")
      try lists.mutableValues(of: \.names).remove(at: 0)
    }
    #expect(names == ["prior - -", #"- <["b"]>"#, #"prior <["a"]> -"#, #"<["a"]> -"#])
    let tags = heard(\.tags, isAlone: isAlone, all) {
      lists.mutableValues(of: \.tags).insert("c")
      lists.mutableValues(of: \.tags).remove("c")
    }
    #expect(tags == ["prior - -", #"- <["c"]>"#, #"prior <["c"]> -"#, #"<["c"]> -"#])
  }

  @Test("of the end of a path as well, with the new value alone", arguments: [true, false])
  func path(isAlone: Bool) throws {
    let end = Lists()
    let changes = try heard(\.next?.names, isAlone: isAlone, .new) {
      lists.next = end
      end.mutableValues(of: \.names).append("b")
      try end.mutableValues(of: \.names).remove(at: 0)
      lists.next = nil
    }
    #expect(changes == [#"- <["a"]>"#, #"- <["b"]>"#, "- -", "- nil"])
  }

  @Test("what was not requested is missing, also before a change", arguments: [true, false])
  func notRequested(isAlone: Bool) {
    func set() {
      lists.tags = ["x"]
      lists.tags = nil
    }
    #expect(
      heard(\.tags, isAlone: isAlone, .prior, set) == ["prior - -", "- -", "prior - -", "- -"]
    )
    #expect(
      heard(\.tags, isAlone: isAlone, [.prior, .new], set)
        == ["prior - -", #"- <["x"]>"#, "prior - -", "- nil"]
    )
    #expect(
      heard(\.tags, isAlone: isAlone, [.prior, .old], set)
        == ["prior nil -", "nil -", #"prior <["x"]> -"#, #"<["x"]> -"#]
    )
  }
}
