#if Macros
import KVOSafety
import Testing

/// The operations on both classes of a pair, whose outputs are compared.
private protocol Level: AnyObject {
  var log: [String] { get set }
  var level: Int { get set }
  var steps: Int { get set }
  var name: String? { get set }
  init(level: Int)
  init(twice level: Int)
}

extension Level {
  /// Called by an observer: an assignment here is not the observer's own.
  fileprivate func raise() { level += 1 }
}

/// The classes have the same members, so that the compiler's rule for the one is expected of the
/// other.
private enum Plain {
  class Gauge: Level {
    var log: [String] = []
    var level = 1 {
      willSet(next) { log.append("level will \(next) of \(level)") }
      didSet {
        log.append("level did \(oldValue), \(level)")
        if level > 10 { level = min(level, 10) }
        if level == 3 { self.level += 1 }
        if level == 5 { raise() }
        if level == 7 { ({ level += 1 })() }
        do {
          defer { if level < 0 { (self).level = 0 } }
          log.append("deferred")
        }
      }
    }
    var steps: Int {
      didSet {
        log.append("steps")
        do {
          let steps = steps + 1
          log.append("shadowed \(steps)")
        }
        if steps == 4 { self[keyPath: \.steps] = 9 }
        if steps > 20 { twice(&steps) }
      }
    }
    var name: String? {
      didSet {
        log.append("name \(name ?? "none")")
        if let name, name.isEmpty { self.name = nil }
        guard let name else { return }
        if name.count > 3 { self.name = String(name.prefix(3)) }
      }
    }
    required init(level: Int) {
      self.level = level
      steps = 1
      steps = 2
      self.level += 1
      name = "n"
      let assign = { self.level = 2 }
      assign()
    }
    required convenience init(twice level: Int) {
      self.init(level: level)
      self.level = 2 * level
    }
    private func twice(_ value: inout Int) { value *= 2 }
    deinit {
      level = 99
      Self.last = log
    }
    nonisolated(unsafe) static var last: [String] = []
  }

  final class Overriding: Gauge {
    override var level: Int { didSet { log.append("overridden did \(oldValue), \(level)") } }
    override var steps: Int {
      get { super.steps + 100 }
      set { super.steps = newValue }
    }
  }
}

private enum Observable {
  @KeyValueObservable
  class Gauge: Level {
    @KeyValue(.ignored) var log: [String] = []
    var level = 1 {
      willSet(next) { log.append("level will \(next) of \(level)") }
      didSet {
        log.append("level did \(oldValue), \(level)")
        if level > 10 { level = min(level, 10) }
        if level == 3 { self.level += 1 }
        if level == 5 { raise() }
        if level == 7 { ({ level += 1 })() }
        do {
          defer { if level < 0 { (self).level = 0 } }
          log.append("deferred")
        }
      }
    }
    var steps: Int {
      didSet {
        log.append("steps")
        do {
          let steps = steps + 1
          log.append("shadowed \(steps)")
        }
        if steps == 4 { self[keyPath: \.steps] = 9 }
        if steps > 20 { twice(&steps) }
      }
    }
    var name: String? {
      didSet {
        log.append("name \(name ?? "none")")
        if let name, name.isEmpty { self.name = nil }
        guard let name else { return }
        if name.count > 3 { self.name = String(name.prefix(3)) }
      }
    }
    required init(level: Int) {
      self.level = level
      steps = 1
      steps = 2
      self.level += 1
      name = "n"
      let assign = { self.level = 2 }
      assign()
    }
    required convenience init(twice level: Int) {
      self.init(level: level)
      self.level = 2 * level
    }
    private func twice(_ value: inout Int) { value *= 2 }
    deinit {
      level = 99
      Self.last = log
    }
    nonisolated(unsafe) static var last: [String] = []
  }

  @KeyValueObservable
  final class Overriding: Gauge {
    override var level: Int { didSet { log.append("overridden did \(oldValue), \(level)") } }
    override var steps: Int {
      get { super.steps + 100 }
      set { super.steps = newValue }
    }
  }
}

/// Initializers of each kind, whose bodies the macro compiles from a copy.
@KeyValueObservable
private class Initialized {
  @KeyValue(.ignored) var calls = 0
  var count = 0 { didSet { calls += 1 } }
  init?(positive count: Int) {
    guard count > 0 else { return nil }
    self.count = count
  }
  init(throwing isThrowing: Bool) throws {
    count = 2
    #if !NEVER
    if isThrowing { throw CancellationError() }
    count += 1
    #endif
  }
  init(waiting count: Int) async {
    await Task.yield()
    self.count = count
  }
  init<Value: BinaryInteger>(converting value: Value) where Value: Sendable {
    count = Int(value); count += 1  // two on a line
  }
}

@Suite("A property's own observers run as in plain Swift", .serialized)
struct OwnObserverTests {
  /// What an object says while it is made, changed and deallocated.
  private func story<Object: Level>(_ type: Object.Type, while look: (Object) -> Void) -> [String] {
    var lines: [String] = []
    for object in [Object(level: 6), Object(twice: 4)] {
      look(object)
      for value in [2, 3, 5, 7, 12, -4, 12] { object.level = value }
      object.level += 100
      for value in [4, 30] { object.steps = value }
      for value in ["", "long name", nil] { object.name = value }
      lines += object.log + ["\(object.level) \(object.steps) \(object.name ?? "none")"]
    }
    return lines
  }

  @Test("assignments of observers, initializers and deinitializers call observers as there")
  func twins() {
    let plain = story(Plain.Gauge.self) { _ in }
    #expect(plain.contains("level did 10, 110"))
    #expect(story(Observable.Gauge.self) { _ in } == plain)
    #expect(Observable.Gauge.last == Plain.Gauge.last)
    #expect(!Plain.Gauge.last.contains("level will 99 of 10"))
    let overriding = story(Plain.Overriding.self) { _ in }
    #expect(overriding != plain)
    #expect(story(Observable.Overriding.self) { _ in } == overriding)
    #expect(Observable.Overriding.last == Plain.Overriding.last)
  }

  @Test("failing, throwing, asynchronous and generic initializers call no observers")
  func initializers() async throws {
    #expect(Initialized(positive: 0) == nil)
    #expect(throws: CancellationError.self) { try Initialized(throwing: true) }
    let made = [
      try #require(Initialized(positive: 3)), try Initialized(throwing: false),
      await Initialized(waiting: 3), Initialized(converting: UInt8(2)),
    ]
    #expect(made.map(\.count) == [3, 3, 3, 3])
    #expect(made.map(\.calls) == [0, 0, 0, 0])
    made[0].count = 4
    #expect(made[0].calls == 1)
  }

  @Test("being observed changes nothing of it")
  func observed() {
    var tokens: [ObservationToken] = []
    let story = story(Observable.Gauge.self) { object in
      for key in ["level", "steps", "name"] {
        tokens.append(object.observe(keyPath: key, options: [.old, .new, .prior]) { _, _ in })
      }
    }
    #expect(story == self.story(Plain.Gauge.self) { _ in })
  }

  /// As with `@objc dynamic var level { didSet … }` under Foundation: its setter is bracketed as a
  /// whole by `willChangeValue` and `didChangeValue` of the KVO subclass, and what its own `didSet`
  /// assigns goes to storage, past that setter (the compiler's `isDirectToStorageAccess`).
  @Test("a correction is one notification, with the final value")
  func correction() {
    let gauge = Observable.Gauge(level: 1)
    var heard: [String] = []
    let token = gauge.observe(\.level, options: [.old, .new]) { gauge, change in
      heard.append("\(change.oldValue ?? -1) → \(change.newValue ?? -1), \(gauge.level)")
    }
    gauge.level = 50
    gauge.level = 3
    gauge.level += 30
    token.invalidate()
    #expect(heard == ["2 → 10, 10", "10 → 4, 4", "4 → 10, 10"])
  }

  @Test("an assignment that calls the observer again in plain Swift is a change of its own")
  func nested() {
    let gauge = Observable.Gauge(level: 1)
    var heard: [Int] = []
    let token = gauge.observe(\.level, options: .new) { heard.append($1.newValue ?? -1) }
    gauge.level = 5
    gauge.level = 7
    token.invalidate()
    #expect(heard == [6, 6, 8, 8])
  }
}
#endif
