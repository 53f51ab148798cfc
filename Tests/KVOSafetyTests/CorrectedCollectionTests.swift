import Testing

@testable import KVOSafety

/// A class whose properties keep three elements at most, and no negative numbers.
private final class Recent: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("numbers", \Recent.numbers),
    ObservableKey("pages", \Recent.pages),
    ObservableKey("words", \Recent.words),
    ObservableKey("tags", \Recent.tags),
    ObservableKey("prices", \Recent.prices)
  )
  struct Page { var number: Int }

  private func change<Value>(_ key: KeyPath<Recent, Value>, _ body: () -> Void) {
    willChangeValue(for: key)
    body()
    didChangeValue(for: key)
  }

  private var storedNumbers = [1, 2]
  var numbers: [Int] {
    get { storedNumbers }
    set { change(\.numbers) { storedNumbers = newValue.filter { $0 >= 0 }.suffix(3) } }
  }
  private var storedPages: [Page] = []
  var pages: [Page] {
    get { storedPages }
    set { change(\.pages) { storedPages = newValue.suffix(3) } }
  }
  private var storedWords: [String]?
  var words: [String]? {
    get { storedWords }
    set { change(\.words) { storedWords = newValue.map { $0.suffix(3) } } }
  }
  private var storedTags: Set<Int> = [1]
  var tags: Set<Int> {
    get { storedTags }
    set { change(\.tags) { storedTags = newValue.filter { $0 >= 0 } } }
  }
  private var storedPrices = ["a": 1]
  var prices: [String: Int] {
    get { storedPrices }
    set { change(\.prices) { storedPrices = newValue.filter { $0.value >= 0 } } }
  }
}

@Suite("A collection that the property corrects")
struct CorrectedCollectionTests {
  private let recent = Recent()

  private func heard<Value>(
    _ keyPath: KeyPath<Recent, Value>,
    options: ObservingOptions = [.old, .new],
    _ body: () throws -> Void
  ) rethrows -> [String] {
    var heard: [String] = []
    func text(_ value: Value?) -> String {
      guard let value else { return "-" }
      if let set = value as? Set<Int> { return "\(set.sorted())" }
      if let entries = value as? [String: Int] { return "\(entries.keys.sorted())" }
      if let pages = value as? [Recent.Page] { return "\(pages.map(\.number))" }
      return "\(value)"
    }
    let token = recent.observe(keyPath, options: options) { _, change in
      let places = change.indexes.map { "\($0.ranges.map { $0 })" } ?? "whole"
      heard.append(
        "\(change.kind)\(change.isPrior ? " (prior)" : "") \(places) \(text(change.oldValue)) \(text(change.newValue))"
      )
    }
    try body()
    token.invalidate()
    return heard
  }

  @Test("is reported as a setting, with the values before and after")
  func numbers() throws {
    let numbers = recent.mutableValues(of: \.numbers)
    let lines = try heard(\.numbers) {
      numbers.append(3)
      numbers.append(4)
      try numbers.insert(-1, at: 1)
      try numbers.replace(at: 0, with: -5)
      try numbers.remove(at: 0)
      numbers.append(contentsOf: [7, 8, 9])
      try numbers.swapAt(0, 2)
    }
    #expect(
      lines == [
        "insertion [Range(2..<3)] - [3]", "setting whole [1, 2, 3] [2, 3, 4]",
        "setting whole [2, 3, 4] [2, 3, 4]", "setting whole [2, 3, 4] [3, 4]",
        "removal [Range(0..<1)] [3] -", "setting whole [4] [7, 8, 9]",
        "replacement [Range(0..<1), Range(2..<3)] [7, 9] [9, 7]",
      ]
    )
  }

  @Test("has its old value even if elements were removed, or cannot be compared")
  func others() throws {
    recent.numbers = [5, 6, 7]
    let rest = heard(\.numbers) {
      try? recent.mutableValues(of: \.numbers).replaceSubrange(1..<2, with: [-1])
    }
    #expect(rest == ["setting whole [5, 6, 7] [5, 7]"])
    let pages = recent.mutableValues(of: \.pages)
    let lines = heard(\.pages) { for number in 1...4 { pages.append(.init(number: number)) } }
    #expect(lines.prefix(3).allSatisfy { $0.hasPrefix("setting") || $0.hasPrefix("insertion") })
    #expect(lines.last == "setting whole [1, 2, 3] [2, 3, 4]")
  }

  @Test("was nil before if the property was")
  func optional() {
    let words = recent.mutableValues(of: \.words)
    let lines = heard(\.words) {
      words.append(contentsOf: ["a", "b", "c", "d"])
      words.append("e")
    }
    #expect(
      lines == [
        #"setting whole nil Optional(["b", "c", "d"])"#,
        #"setting whole Optional(["b", "c", "d"]) Optional(["c", "d", "e"])"#,
      ]
    )
  }

  @Test("is noticed in sets and dictionaries too")
  func unordered() {
    let tags = recent.mutableValues(of: \.tags)
    let sets = heard(\.tags) {
      tags.formUnion([2, -3])
      tags.insert(4)
      tags.set([-1, 5])
    }
    #expect(
      sets == ["setting whole [1] [1, 2]", "insertion whole - [4]", "setting whole [1, 2, 4] [5]"]
    )
    let prices = recent.mutableValues(of: \.prices)
    let entries = heard(\.prices) {
      prices["b"] = 2
      prices["a"] = -1
      prices.merge(["b": 3, "c": -1])
    }
    #expect(
      entries == [
        #"insertion whole - ["b"]"#, #"setting whole ["a", "b"] ["b"]"#,
        #"setting whole ["b"] ["b"]"#,
      ]
    )
  }

  @Test("was announced by its elements")
  func prior() {
    recent.numbers = [1, 2, 3]
    let lines = heard(\.numbers, options: [.old, .new, .prior]) {
      recent.mutableValues(of: \.numbers).append(4)
    }
    #expect(
      lines == ["insertion (prior) [Range(3..<4)] - -", "setting whole [1, 2, 3] [2, 3, 4]"]
    )
  }
}
