import KVORules
import Testing

@testable import KVOSafety

private final class Shelf: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("books", \Shelf.books),
    ObservableKey("loans", \Shelf.loans),
    ObservableKey("topics", \Shelf.topics),
    ObservableKey("wishes", \Shelf.wishes),
    ObservableKey("prices", \Shelf.prices),
    ObservableKey("notes", \Shelf.notes)
  )

  var books = ["b", "c", "a"] {
    willSet { willChangeValue(for: \.books) }
    didSet { didChangeValue(for: \.books) }
  }
  var loans: [String]? {
    willSet { willChangeValue(for: \.loans) }
    didSet { didChangeValue(for: \.loans) }
  }
  var topics: Set<String> = [] {
    willSet { willChangeValue(for: \.topics) }
    didSet { didChangeValue(for: \.topics) }
  }
  var wishes: Set<String>?
  var prices: [String: Int] = [:] {
    willSet { willChangeValue(for: \.prices) }
    didSet { didChangeValue(for: \.prices) }
  }
  var notes: [String: Int]?
}

/// The expected lines are what Foundation's proxies send, as its documentation of
/// `NSKeyValueChangeKindKey` and the primitive methods of `NSMutableArray` have it; the arrays are compared
/// with plain Swift's.
@Suite("Collections that are changed by element")
struct MutableValuesTests {
  private let shelf = Shelf()

  @Test("elements are read and replaced by index and by range")
  func subscripts() {
    let lines = heard(\.books) {
      let books = shelf.mutableValues(of: \.books)
      #expect(books[1] == "c")
      #expect(books[0..<2] == ["b", "c"])
      books[1] = "x"
      books[0..<2] = ["p", "q"]
      books[1..<1] = ["i"]
      books[0..<2] = []
      books[0..<1] = ["m", "n"]
    }
    #expect(
      lines == [
        "replacement 1..<2 [\"c\"] [\"x\"]",
        "replacement 0..<2 [\"b\", \"x\"] [\"p\", \"q\"]",
        "insertion 1..<2 nil [\"i\"]",
        "removal 0..<2 [\"p\", \"i\"] nil",
        "removal 0..<1 [\"q\"] nil",
        "insertion 0..<2 nil [\"m\", \"n\"]",
      ]
    )
    #expect(shelf.books == ["m", "n", "a"])
  }

  @Test(
    "replaceSubrange ends as an array's does",
    arguments: [
      (0..<0, []), (0..<0, ["x"]), (0..<3, []), (0..<3, ["x"]), (1..<2, ["x", "y"]), (3..<3, ["x"]),
      (2..<3, ["x"]), (0..<3, ["x", "y", "z"]),
    ] as [(Range<Int>, [String])]
  )
  func replaceSubrange(range: Range<Int>, new: [String]) throws {
    var expected = shelf.books
    expected.replaceSubrange(range, with: new)
    let lines = try heard(\.books) {
      try shelf.mutableValues(of: \.books).replaceSubrange(range, with: new)
    }
    #expect(shelf.books == expected)
    let isReplacement = range.count == new.count && !new.isEmpty
    let kinds = (range.isEmpty ? [] : ["removal"]) + (new.isEmpty ? [] : ["insertion"])
    let heardKinds = lines.map { String($0.split(separator: " ")[0]) }
    #expect(heardKinds == (isReplacement ? ["replacement"] : kinds))
  }

  @Test("an index or a range that is not there is an error, and changes and notifies nothing")
  func outside() {
    let lines = heard(\.books) {
      let books = shelf.mutableValues(of: \.books)
      #expect(throws: ObservedIndexError.self) { try books.replaceSubrange(2..<4, with: ["x"]) }
      #expect(throws: ObservedIndexError.self) { try books.replaceSubrange(4..<4, with: ["x"]) }
      #expect(throws: ObservedIndexError.self) { try books.swapAt(0, 3) }
    }
    #expect(lines.isEmpty)
    #expect(shelf.books == ["b", "c", "a"])
  }

  @Test("the greatest integer, as which NSNotFound comes, is not an index either")
  func greatestIndex() {
    let lines = heard(\.books) {
      let books = shelf.mutableValues(of: \.books)
      let error = #expect(throws: ObservedIndexError.self) { try books.remove(at: .max) }
      #expect(error?.index == .max && error?.key == "books" && error?.count == 3)
      #expect(throws: ObservedIndexError.self) { try books.insert("x", at: .max) }
      #expect(throws: ObservedIndexError.self) { try books.replace(at: .max, with: "x") }
      #expect(throws: ObservedIndexError.self) { try books.swapAt(0, .max) }
      let end = Int.max..<Int.max
      #expect(throws: ObservedIndexError.self) { try books.replaceSubrange(end, with: ["x"]) }
      #expect(throws: ObservedIndexError.self) {
        try shelf.willChange(.insertion, valuesAt: RangeSet(-1..<Int.max), for: \.books)
      }
    }
    #expect(lines.isEmpty)
    #expect(shelf.books == ["b", "c", "a"])
  }

  @Test("sorting and swapping are one replacement each, and none if nothing changes")
  func sortsAndSwaps() throws {
    let lines = try heard(\.books) {
      let books = shelf.mutableValues(of: \.books)
      books.sort()
      books.sort { $0 > $1 }
      try books.swapAt(0, 2)
      try books.swapAt(1, 1)
      books.removeAll()
      books.sort()
      books.append("only")
      books.sort()
    }
    #expect(
      lines == [
        "replacement 0..<3 [\"b\", \"c\", \"a\"] [\"a\", \"b\", \"c\"]",
        "replacement 0..<3 [\"a\", \"b\", \"c\"] [\"c\", \"b\", \"a\"]",
        "replacement 0..<1,2..<3 [\"c\", \"a\"] [\"a\", \"c\"]",
        "removal 0..<3 [\"a\", \"b\", \"c\"] nil",
        "insertion 0..<1 nil [\"only\"]",
      ]
    )
  }

  @Test("a collection that is nil comes to be at the first insertion")
  func optionalArray() {
    var lines: [String] = []
    let token = shelf.observe(\.loans, options: [.old, .new]) { _, change in
      lines.append(describe(change.kind, change.indexes, change.oldValue, change.newValue))
    }
    let loans = shelf.mutableValues(of: \.loans)
    #expect(loans.isEmpty)
    loans.removeAll()
    loans.append(contentsOf: [])
    #expect(throws: ObservedIndexError.self) { try loans.remove(at: 0) }
    #expect(shelf.loans == nil)
    loans.append("x")
    loans[0] = "y"
    #expect(shelf.loans == ["y"])
    loans.removeAll()
    #expect(shelf.loans == [])
    #expect(
      lines == [
        "insertion 0..<1 nil Optional([\"x\"])",
        "replacement 0..<1 Optional([\"x\"]) Optional([\"y\"])",
        "removal 0..<1 Optional([\"y\"]) nil",
      ]
    )
    token.invalidate()
  }

  @Test("a set notifies by element; operations that change nothing do not notify")
  func sets() {
    let lines = heard(\.topics) {
      let topics = shelf.mutableValues(of: \.topics)
      topics.insert("a")
      topics.insert("a")
      #expect(topics.contains("a") && topics.count == 1)
      #expect(topics.remove("b") == nil)
      topics.formUnion(["b"])
      #expect(topics.remove("a") == "a")
      topics.removeAll()
      topics.removeAll()
    }
    #expect(
      lines == [
        "insertion - nil [\"a\"]", "insertion - nil [\"b\"]", "removal - [\"a\"] nil",
        "removal - [\"b\"] nil",
      ]
    )
  }

  @Test("a set that nothing comes to and nothing goes from notifies no one, and is not set")
  func unchangedSets() {
    let topics = shelf.mutableValues(of: \.topics)
    topics.formUnion(["a", "b"])
    let lines = heard(\.topics) {
      topics.formUnion(["a"])
      topics.formUnion([])
      topics.subtract(["c"])
      topics.subtract([])
      topics.formIntersection(["a", "b", "c"])
      topics.set(["b", "a"])
    }
    #expect(lines == [])
    #expect(heard(\.topics) { topics.formUnion(["a", "c"]) } == ["insertion - nil [\"c\"]"])
    #expect(heard(\.topics) { topics.subtract(["c", "d"]) } == ["removal - [\"c\"] nil"])
  }

  @Test("a set and a dictionary that are nil come to be at the first insertion")
  func optionalUnordered() {
    let wishes = shelf.mutableValues(of: \.wishes)
    wishes.removeAll()
    wishes.subtract(["x"])
    #expect(shelf.wishes == nil)
    wishes.insert("x")
    #expect(shelf.wishes == ["x"])
    let notes = shelf.mutableValues(of: \.notes)
    notes["x"] = nil
    notes.merge([:])
    #expect(shelf.notes == nil)
    notes["x"] = 1
    #expect(shelf.notes == ["x": 1])
    notes.removeAll()
    #expect(shelf.notes == [:])
  }

  @Test("a dictionary notifies by entry: insertion, replacement and removal")
  func dictionaries() {
    let lines = heard(\.prices) {
      let prices = shelf.mutableValues(of: \.prices)
      prices["a"] = 1
      prices["a"] = 2
      #expect(prices["a"] == 2)
      prices["b"] = nil
      prices.merge(["a": 3])
      #expect(prices.removeValue(forKey: "a") == 3)
      #expect(prices.removeValue(forKey: "a") == nil)
      prices.removeAll()
      prices["c"] = 4
      prices.removeAll()
    }
    #expect(
      lines == [
        "insertion - nil [\"a\": 1]", "replacement - [\"a\": 1] [\"a\": 2]",
        "replacement - [\"a\": 2] [\"a\": 3]", "removal - [\"a\": 3] nil",
        "insertion - nil [\"c\": 4]", "removal - [\"c\": 4] nil",
      ]
    )
    #expect(shelf.prices.isEmpty)
  }

  private func heard<Value>(
    _ keyPath: KeyPath<Shelf, Value>,
    _ body: () throws -> Void
  ) rethrows -> [String] {
    var lines: [String] = []
    let token = shelf.observe(keyPath, options: [.old, .new]) { _, change in
      lines.append(
        describe(
          change.kind,
          change.indexes,
          change.oldValue.map { "\($0)" },
          change.newValue.map { "\($0)" }
        )
      )
    }
    try body()
    token.invalidate()
    return lines
  }
}

private func describe(
  _ kind: ObservedChangeKind,
  _ indexes: RangeSet<Int>?,
  _ old: (some Any)?,
  _ new: (some Any)?
) -> String {
  let places = indexes?.ranges.map { "\($0)" }.joined(separator: ",") ?? "-"
  let values = [old.map { "\($0)" } ?? "nil", new.map { "\($0)" } ?? "nil"]
  return
    ([
      "\(kind)", places,
    ] + values).joined(separator: " ")
}
