import Testing

@testable import KVOSafety

// Scenarios of ReactiveObjCTests/RACKVOWrapperSpec.m in ReactiveCocoa/ReactiveObjC (1af6617) of collections, which
// are one object's own or at the end of a path.

@Suite("ReactiveObjC's scenarios of collections")
struct ReactiveObjCCollectionTests {
  private let target = Chain(next: Chain())

  /// The notifications while `body` changes `[0]`, each with the collection at that time.
  private func heard(
    _ isComposite: Bool,
    _ key: String,
    _ body: (Chain) throws -> Void
  ) rethrows -> [String] {
    guard let owner = isComposite ? target.next : target else { return [] }
    owner.numbers = [0]
    owner.tags = [0]
    var heard: [String] = []
    let token = target.observe(
      keyPath: isComposite ? "next.\(key)" : key,
      options: [.old, .new, .prior]
    ) { _, change in
      let places = change.indexes.map { "\($0.ranges.flatMap { Array($0) }) " } ?? ""
      let whole = key == "tags" ? owner.tags.sorted() : owner.numbers
      heard.append(line(places, change) + " of \(whole)")
    }
    try body(owner)
    token.invalidate()
    return heard.map { String($0.trimmingPrefix(" ")).replacing("  ", with: " ") }
  }

  @Test("an insertion: the index before it, and the element after it", arguments: [false, true])
  func insertion(isComposite: Bool) throws {
    let lines = try heard(isComposite, "numbers") {
      try $0.mutableValues(of: \.numbers).insert(1, at: 0)
    }
    #expect(lines == ["[0] insertion prior of [0]", "[0] insertion to [1] of [1, 0]"])
  }

  @Test("a removal: the element before it, and the index after it", arguments: [false, true])
  func removal(isComposite: Bool) throws {
    let lines = try heard(isComposite, "numbers") {
      try $0.mutableValues(of: \.numbers).remove(at: 0)
    }
    #expect(lines == ["[0] removal prior from [0] of [0]", "[0] removal from [0] of []"])
  }

  @Test("a replacement: the element that goes, and the one that comes", arguments: [false, true])
  func replacement(isComposite: Bool) throws {
    let lines = try heard(isComposite, "numbers") {
      try $0.mutableValues(of: \.numbers).replace(at: 0, with: 1)
    }
    #expect(
      lines == ["[0] replacement prior from [0] of [0]", "[0] replacement from [0] to [1] of [1]"]
    )
  }

  @Test("a union adds the missing elements", arguments: [false, true])
  func union(isComposite: Bool) {
    let lines = heard(isComposite, "tags") { $0.mutableValues(of: \.tags).formUnion([0, 1]) }
    #expect(lines == ["insertion prior of [0]", "insertion to [1] of [0, 1]"])
  }

  @Test("a subtraction removes the present elements", arguments: [false, true])
  func subtraction(isComposite: Bool) {
    let lines = heard(isComposite, "tags") { $0.mutableValues(of: \.tags).subtract([0, 2]) }
    #expect(lines == ["removal prior from [0] of [0]", "removal from [0] of []"])
  }
}
