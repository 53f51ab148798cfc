import KVORules
import KVOTrace
import TestSupport
import Testing

@testable import KVOSafety

/// A notification with its indexes: `tags insertion [1] to ["b"]`.
private func placed<Value>(_ change: ObservedChange<Value>) -> String {
  let places = change.indexes.map { " \($0.ranges.flatMap { Array($0) })" } ?? ""
  return line("tags", change).replacing("\(change.kind)", with: "\(change.kind)\(places)")
}

private final class Group: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("names", \Group.names),
    ObservableKey("numbers", \Group.numbers),
    ObservableKey("count", \Group.count, affectedBy: ["numbers"])
  )
  var names: Set<String> = [] {
    willSet { willChangeValue(for: \.names) }
    didSet { didChangeValue(for: \.names) }
  }
  var numbers: ContiguousArray<Int> = [] {
    willSet { willChangeValue(for: \.numbers) }
    didSet { didChangeValue(for: \.numbers) }
  }
  var count: Int { numbers.count }
}

@Suite("Collections")
struct CollectionTests {
  private func tags(
    _ options: ObservingOptions = [.old, .new],
    _ body: (Account) throws -> Void
  ) rethrows -> [String] {
    let account = Account()
    account.tags = ["a", "b", "c"]
    var heard: [String] = []
    let token = account.observe(\.tags, options: options) { heard.append(placed($1)) }
    try body(account)
    token.invalidate()
    return heard
  }

  @Test("an insertion, a removal and a replacement report the elements and their indexes")
  func kinds() throws {
    let heard = try tags { account in
      let tags = account.mutableValues(of: \.tags)
      try tags.insert("x", at: 1)
      tags.append(contentsOf: ["y", "z"])
      #expect(try tags.remove(at: 0) == "a")
      try tags.replace(at: 0, with: "w")
      try tags.remove(at: RangeSet([0..<1, 3..<5]))
      #expect(tags.values == ["b", "c"])
      tags.removeAll()
      #expect(account.tags.isEmpty)
    }
    #expect(
      heard == [
        #"tags insertion [1] to ["x"]"#,
        #"tags insertion [4, 5] to ["y", "z"]"#,
        #"tags removal [0] from ["a"]"#,
        #"tags replacement [0] from ["x"] to ["w"]"#,
        #"tags removal [0, 3, 4] from ["w", "y", "z"]"#,
        #"tags removal [0, 1] from ["b", "c"]"#,
      ]
    )
  }

  @Test("the notification before a change of elements has the indexes, and the removed elements")
  func prior() throws {
    let heard = try tags([.prior, .old, .new]) { account in
      let tags = account.mutableValues(of: \.tags)
      try tags.insert("x", at: 0)
      try tags.remove(at: 0)
    }
    #expect(
      heard == [
        "tags insertion [0] prior",
        #"tags insertion [0] to ["x"]"#,
        #"tags removal [0] prior from ["x"]"#,
        #"tags removal [0] from ["x"]"#,
      ]
    )
  }

  @Test("the kinds have Foundation's numbers")
  func numbers() {
    let kinds: [ObservedChangeKind] = [.setting, .insertion, .removal, .replacement]
    #expect(kinds.map(\.rawValue) == [1, 2, 3, 4])
  }

  @Test("invalid indexes are an error before anything changes, and no observer is notified")
  func outOfRange() {
    let heard = tags { account in
      let tags = account.mutableValues(of: \.tags)
      let error = #expect(throws: ObservedIndexError.self) { try tags.insert("x", at: 4) }
      #expect(
        error?.description
          == "\"4\" is not an index for a change (insertion) of \"tags\", which has 3 elements: "
          + "give one in 0...3"
      )
      #expect(throws: ObservedIndexError.self) { try tags.insert("x", at: -1) }
      #expect(throws: ObservedIndexError.self) { try tags.remove(at: 3) }
      #expect(throws: ObservedIndexError.self) { try tags.replace(at: 3, with: "x") }
      #expect(throws: ObservedIndexError.self) { try tags.remove(at: RangeSet([0..<1, 2..<9])) }
      #expect(throws: ObservedIndexError.self) {
        try account.willChange(.removal, valuesAt: RangeSet(3..<4), for: \.tags)
      }
      #expect(account.tags == ["a", "b", "c"])
    }
    #expect(heard.isEmpty)
  }

  @Test("both halves by hand report elements; the setter in between notifies no one")
  func byHand() throws {
    let heard = try tags { account in
      try account.willChange(.insertion, valuesAt: RangeSet(0..<1), for: \.tags)
      account.tags.insert("z", at: 0)
      account.didChange(.insertion, valuesAt: RangeSet(0..<1), for: \.tags)
      account.tags.append("set")
    }
    #expect(
      heard == [
        #"tags insertion [0] to ["z"]"#,
        #"tags setting from ["z", "a", "b", "c"] to ["z", "a", "b", "c", "set"]"#,
      ]
    )
  }

  @Test("a change of another key inside a change of elements is notified as usual")
  func otherKeyInside() throws {
    let account = Account()
    let listener = Listener()
    account.addObserver(listener, forKeyPath: "balance", options: [.new])
    account.addObserver(listener, forKeyPath: "tags", options: [.new])
    try account.willChange(.insertion, valuesAt: RangeSet(0..<1), for: \.tags)
    account.balance = 3
    account.tags.append("a")
    account.didChange(.insertion, valuesAt: RangeSet(0..<1), for: \.tags)
    #expect(listener.heard == ["balance setting to 3", #"tags insertion to ["a"]"#])
    account.removeObserver(listener, forKeyPath: "balance")
    account.removeObserver(listener, forKeyPath: "tags")
  }

  @Test("setters of the registrar's form are covered by a change of elements too")
  func setterForm() throws {
    let meter = Meter()
    var heard: [String] = []
    let token = meter.observe(\.samples, options: [.old, .new]) {
      heard.append(line("samples", $1))
    }
    let samples = meter.mutableValues(of: \.samples)
    samples.append(1)
    try samples.replace(at: 0, with: 2)
    meter.samples = []
    #expect(
      heard == [
        "samples insertion to [1]", "samples replacement from [1] to [2]",
        "samples setting from [2] to []",
      ]
    )
    token.invalidate()
  }

  @Test("any collection with integer indexes can be changed so; what depends on it is set")
  func orderedCollections() throws {
    let group = Group()
    let listener = Listener()
    group.addObserver(listener, forKeyPath: "numbers", options: [.old, .new])
    group.addObserver(listener, forKeyPath: "count", options: [.old, .new])
    try group.mutableValues(of: \.numbers).insert(5, at: 0)
    #expect(listener.heard == ["numbers insertion to [5]", "count setting from 0 to 1"])
    group.removeObserver(listener, forKeyPath: "numbers")
    group.removeObserver(listener, forKeyPath: "count")
  }

  @Test("a set reports inserted and removed elements, without indexes")
  func sets() {
    let group = Group()
    group.names = ["a", "b"]
    var heard: [String] = []
    let token = group.observe(\.names, options: [.old, .new]) { _, change in
      #expect(change.indexes == nil)
      func text(_ names: Set<String>?) -> String { names.map { "\($0.sorted())" } ?? "nothing" }
      heard.append("\(change.kind) \(text(change.oldValue)) \(text(change.newValue))")
    }
    let names = group.mutableSet(of: \.names)
    names.formUnion(["b", "c"])
    names.subtract(["a", "z"])
    names.formIntersection(["c"])
    names.set(["d"])
    #expect(names.values == ["d"])
    #expect(
      heard == [
        #"insertion nothing ["c"]"#, #"removal ["a"] nothing"#, #"removal ["b"] nothing"#,
        #"replacement ["c"] ["d"]"#,
      ]
    )
    token.invalidate()
  }

  @Test("changes of elements are balanced in the log; a beginning without an end is reported")
  func balance() {
    let account = Account()
    let codes = verdicts(about: account) {
      account.mutableValues(of: \.tags).append("a")
      onThread { try? account.willChange(.removal, valuesAt: RangeSet(0..<1), for: \.tags) }
    }
    .map(\.code)
    #expect(codes == [.unbalancedChange])
  }
}
