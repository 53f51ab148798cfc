import KVOTrace
import Testing

@testable import KVOSafety

// Scenarios of Tests/base/NSKVOSupport in gnustep/libs-base (195782d): ComplexNilAndCycleTest.m and
// newoldvalues.m, with what those files expect.

private final class Tail: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("detail", \Tail.detail),
    ObservableKey("middle", \Tail.middle),
    ObservableKey("form", \Tail.form)
  )
  var detail: String? {
    willSet { willChangeValue(for: \.detail) }
    didSet { didChangeValue(for: \.detail) }
  }
  var middle: Middle? {
    willSet { willChangeValue(for: \.middle) }
    didSet { didChangeValue(for: \.middle) }
  }
  private var storedForm = 0
  /// Notifies that `detail` changes as well, if there is one.
  var form: Int {
    get { storedForm }
    set {
      let hasDetail = detail != nil
      willChangeValue(for: \.form)
      if hasDetail { willChangeValue(for: \.detail) }
      storedForm = newValue
      if hasDetail { didChangeValue(for: \.detail) }
      didChangeValue(for: \.form)
    }
  }
}

private final class Middle: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("tail", \Middle.tail),
    ObservableKey("extra", \Middle.extra)
  )
  var tail: Tail? {
    willSet { willChangeValue(for: \.tail) }
    didSet { didChangeValue(for: \.tail) }
  }
  var extra = 0 {
    willSet { willChangeValue(for: \.extra) }
    didSet { didChangeValue(for: \.extra) }
  }
}

private final class Head: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("middle", \Head.middle),
    ObservableKey("tail", \Head.tail),
    ObservableKey(
      "isSet",
      \Head.isSet,
      affectedBy: ["middle.tail.detail", "tail.middle.extra"]
    )
  )
  var middle: Middle? {
    willSet { willChangeValue(for: \.middle) }
    didSet { didChangeValue(for: \.middle) }
  }
  var tail: Tail? {
    willSet { willChangeValue(for: \.tail) }
    didSet { didChangeValue(for: \.tail) }
  }
  var isSet: Bool { middle?.tail?.detail != nil || (tail?.middle?.extra ?? 0) > 0 }
}

private final class Shared: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("offset", \Shared.offset))
  var offset = 0 {
    willSet { willChangeValue(for: \.offset) }
    didSet { didChangeValue(for: \.offset) }
  }
}

private final class Sum: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("own", \Sum.own),
    ObservableKey("shared", \Sum.shared),
    ObservableKey("total", \Sum.total, affectedBy: ["own", "shared.offset"])
  )
  var own: Int {
    willSet { willChangeValue(for: \.own) }
    didSet { didChangeValue(for: \.own) }
  }
  var shared: Shared
  var total: Int { own + shared.offset }
  init(_ own: Int, _ shared: Shared) {
    self.own = own
    self.shared = shared
  }
}

@Suite("GNUstep's scenarios of values of keys that depend on other objects")
struct GNUstepValueTests {
  @Test("objects that refer to each other, and parts that are nil and come back, notify once")
  func complexNilAndCycle() {
    let middle = Middle()
    let tailOfHead = Tail()
    tailOfHead.middle = middle
    let first = Tail()
    let head = Head()
    head.middle = middle
    head.tail = tailOfHead
    middle.tail = first
    var count = 0
    let token = head.observe(\.isSet) { _, _ in count += 1 }
    func notified(_ body: () -> Void) -> Int {
      count = 0
      body()
      return count
    }
    let second = Tail()
    second.detail = "there"
    #expect(notified { middle.extra = 2 } == 1)
    #expect(notified { middle.tail = second } == 1)
    #expect(notified { middle.extra = 3 } == 1)
    #expect(notified { second.form = 101 } == 1)
    #expect(notified { second.detail = nil } == 1)
    #expect(notified { second.form = 102 } == 0)
    #expect(notified { middle.tail = nil } == 1)
    #expect(notified { middle.extra = 4 } == 1)
    token.invalidate()
  }

  @Test("two objects that depend on one report their own old and new values")
  func newOldValues() {
    let shared = Shared()
    let (first, second) = (Sum(1, shared), Sum(2, shared))
    var heard: [String] = []
    let tokens = [(1, first), (2, second)].map { number, sum in
      sum.observe(\.total, options: [.old, .new]) { _, change in
        heard.append("\(number): \(change.oldValue ?? -1) \(change.newValue ?? -1)")
      }
    }
    shared.offset = 1
    #expect(heard.sorted() == ["1: 1 2", "2: 2 3"])
    heard = []
    shared.offset = 1
    #expect(heard.sorted() == ["1: 2 2", "2: 3 3"])
    heard = []
    first.own = 2
    #expect(heard == ["1: 2 3"])
    tokens.forEach { $0.invalidate() }
  }
}
