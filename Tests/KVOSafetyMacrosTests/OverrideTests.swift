#if Macros
import KVOSafety
import Testing

private enum Plain {
  class Gauge: Levelled {
    var log: [String] = []
    var level = 0 { didSet { log.append("own \(oldValue) \(level)") } }
    var name = "a"
    var free = 0
    required init() {}
  }

  class Clamped: Gauge {
    override var level: Int {
      willSet { log.append("will \(newValue) of \(level)") }
      didSet {
        log.append("did \(oldValue) \(level)")
        guard level > 10 else { return }
        level = 10
      }
    }
    override var name: String { didSet { log.append("named") } }
    override var free: Int { didSet(last) { if free < last { normalize() } } }
    func normalize() { free += 100 }
  }

  final class Halved: Clamped {
    var change = 0
    override var level: Int {
      didSet {
        if level > 5 { super.level = level / 2 }
        change += 1
        log.append("change \(change)")
      }
    }
  }

  final class Purse: Gauge {
    override var level: Int { didSet { change() } }
    func change() { log.append("changed to \(level)") }
  }
}

private enum Observable {
  @KeyValueObservable
  class Gauge: Levelled {
    @KeyValue(.ignored) var log: [String] = []
    var level = 0 { didSet { log.append("own \(oldValue) \(level)") } }
    @KeyValue(.whenDifferent) var name = "a"
    @KeyValue(.manual) var free = 0
    @KeyValue(affectedBy: "level") var text: String { "at \(level)" }
    required init() {}
  }

  @KeyValueObservable
  class Clamped: Gauge {
    override var level: Int {
      willSet { log.append("will \(newValue) of \(level)") }
      didSet {
        log.append("did \(oldValue) \(level)")
        guard level > 10 else { return }
        level = 10
      }
    }
    override var name: String { didSet { log.append("named") } }
    override var free: Int { didSet(last) { if free < last { normalize() } } }
    func normalize() { free += 100 }
  }

  @KeyValueObservable
  final class Halved: Clamped {
    var change = 0
    override var level: Int {
      didSet {
        if level > 5 { super.level = level / 2 }
        change += 1
        log.append("change \(change)")
      }
    }
  }

  @KeyValueObservable
  final class Purse: Gauge {
    override var level: Int { didSet { change() } }
    func change() { log.append("changed to \(level)") }
  }

  /// What a superclass without the macro stores.
  @KeyValueObservable
  final class Adopted: Plain.Gauge {
    override var level: Int { didSet { if level > 10 { level = 10 } } }
  }

  @KeyValueObservable
  final class Scaled: Gauge {
    override var level: Int {
      get { super.level * 10 }
      set { super.level = newValue / 10 }
    }
  }

  @KeyValueObservable
  final class Owner {
    var gauge: Gauge = Scaled()
  }
}

private protocol Levelled: AnyObject {
  var log: [String] { get set }
  var level: Int { get set }
  var name: String { get set }
  var free: Int { get set }
  init()
}

@Suite("Overrides of observed properties")
struct OverrideTests {
  private func story<Object: Levelled>(_ type: Object.Type, _ look: (Object) -> Void) -> [String] {
    let object = Object()
    look(object)
    for value in [1, 20, 20, 7] { object.level = value }
    object.level += 30
    for value in ["a", "b", "b"] { object.name = value }
    for value in [5, 3] { object.free = value }
    return object.log + ["\(object.level) \(object.free)"]
  }

  @Test("run their observers as in plain Swift, observed or not", arguments: [false, true])
  func twins(isObserved: Bool) {
    var tokens: [ObservationToken] = []
    func look(_ gauge: Observable.Gauge) {
      guard isObserved else { return }
      tokens = ["level", "name", "free"].map { gauge.observe(keyPath: $0) { _, _ in } }
    }
    #expect(story(Observable.Clamped.self, look) == story(Plain.Clamped.self) { _ in })
    #expect(story(Observable.Halved.self, look) == story(Plain.Halved.self) { _ in })
    #expect(story(Observable.Purse.self, look) == story(Plain.Purse.self) { _ in })
    for token in tokens { token.invalidate() }
  }

  private func heard<Object: KeyValueObservable>(
    _ object: Object,
    _ keyPath: String,
    options: ObservingOptions = [.old, .new],
    _ body: (Object) -> Void
  ) -> [String] {
    var heard: [String] = []
    let token = object.observe(keyPath: keyPath, options: options) { _, change in
      let words = [change.oldValue, change.newValue].map { $0.map { "\($0)" } ?? "-" }
      heard.append((change.isPrior ? "prior " : "") + words.joined(separator: " → "))
    }
    body(object)
    token.invalidate()
    return heard
  }

  @Test("report one change, from the value before to the one after the last didSet")
  func once() {
    let clamped = heard(Observable.Clamped(), "level") {
      $0.level = 20
      $0.level = 3
      $0.level += 30
    }
    #expect(clamped == ["0 → 10", "10 → 3", "3 → 10"])
    #expect(heard(Observable.Halved(), "level") { $0.level = 20 } == ["0 → 5"])
    #expect(heard(Observable.Clamped(), "text") { $0.level = 20 } == ["at 0 → at 10"])
  }

  @Test("notify before the change as well, once")
  func prior() {
    let lines = heard(Observable.Clamped(), "level", options: [.old, .new, .prior]) {
      $0.level = 20
    }
    #expect(lines == ["prior 0 → -", "0 → 10"])
  }

  @Test("report a callback's assignment as a separate change")
  func fromCallback() {
    let gauge = Observable.Clamped()
    var heard: [Int?] = []
    let token = gauge.observe(\.level, options: .new) { gauge, change in
      heard.append(change.newValue)
      if gauge.level == 10 { gauge.level = 4 }
    }
    gauge.level = 20
    token.invalidate()
    #expect(heard == [10, 4])
  }

  @Test("notify of differences, or manually, like the superclass")
  func inheritedStyle() {
    #expect(heard(Observable.Clamped(), "name") { $0.name = "a" }.isEmpty)
    #expect(heard(Observable.Clamped(), "name") { $0.name = "b" } == ["a → b"])
    #expect(heard(Observable.Clamped(), "free") { $0.free = 1 }.isEmpty)
  }

  @Test("notify if the superclass does not")
  func plainSuperclass() {
    let gauge = Observable.Adopted()
    #expect(heard(gauge, "level") { $0.level = 20 } == ["0 → 10"])
    #expect(heard(gauge, "level") { ($0 as Plain.Gauge).level += 1 } == ["10 → 10"])
  }

  @Test("with their own getter notify with what it returns, directly and at the end of a path")
  func ownGetter() {
    #expect(heard(Observable.Scaled(), "level") { $0.level = 70 } == ["0 → 70"])
    let all = heard(Observable.Scaled(), "level", options: [.initial, .new, .old, .prior]) {
      $0.level = 50
    }
    #expect(all == ["- → 0", "prior 0 → -", "0 → 50"])
    #expect(heard(Observable.Owner(), "gauge.level") { $0.gauge.level = 30 } == ["0 → 30"])
    var typed: [Int?] = []
    let gauge = Observable.Scaled()
    let token = gauge.observe(\.level, options: .new) { typed.append($1.newValue) }
    gauge.level = 20
    token.invalidate()
    #expect(typed == [20])
  }

  @Test("leave nothing open, and report nothing")
  func balance() {
    let gauge = Observable.Clamped()
    let token = gauge.observe(\.level) { _, _ in }
    for value in 0..<300 { gauge.level = value }
    token.invalidate()
    #expect(heard(gauge, "level") { $0.level = 2 } == ["10 → 2"])
  }
}
#endif
