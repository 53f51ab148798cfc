import KVORules
import KVOTrace
import Testing

@testable import KVOSafety

/// A class with a value without bytes, which an optimized program gives no address.
private final class Job: KeyValueObservable {
  enum Stage { case ready }

  let observationRegistrar = ObservationRegistrar()
  static let stageKey = ObservableKey("stage", \Job.stage)
  static let observableKeys = ObservableKeyTable(stageKey)

  private var storedStage = Stage.ready
  var stage: Stage {
    get { storedStage }
    set {
      observationRegistrar.change(Self.stageKey, of: self, value: storedStage) {
        storedStage = newValue
      }
    }
  }
}

@Suite("Setters that notify through the registrar")
struct SetterTests {
  /// What a token hears of `count = 1`, for each combination of options.
  @Test("each combination of options brings its notifications and values", arguments: 0..<16)
  func combinations(bits: UInt) {
    let meter = Meter()
    let options = ObservingOptions(rawValue: bits)
    var heard: [String] = []
    let token = meter.observe(\.count, options: options) { heard.append(line("count", $1)) }
    meter.count = 1
    token.invalidate()
    meter.count = 2
    let old = options.contains(.old) ? " from 0" : ""
    let new = options.contains(.new) ? " to 1" : ""
    var expected: [String] = []
    if options.contains(.initial) {
      expected.append("count setting" + (options.contains(.new) ? " to 0" : ""))
    }
    if options.contains(.prior) { expected.append("count setting prior" + old) }
    expected.append("count setting" + old + new)
    #expect(heard == expected)
  }

  @Test("the only value of a type is delivered like any other", arguments: [false, true])
  func valueWithoutBytes(isPriorWanted: Bool) {
    let job = Job()
    var heard: [String] = []
    let options: ObservingOptions = isPriorWanted ? [.old, .new, .prior] : [.old, .new]
    let token = job.observe(\.stage, options: options) { heard.append(line("stage", $1)) }
    job.stage = .ready
    let prior = isPriorWanted ? ["stage setting prior from ready"] : []
    #expect(heard == prior + ["stage setting from ready to ready"])
    token.invalidate()
  }

  @Test("typed, classic and by-name observers of one setter get the same, in order of addition")
  func forms() {
    let meter = Meter()
    let listener = Listener()
    var heard: [String] = []
    listener.onNotification = { _ in heard.append("classic") }
    let first = meter.observe(\.unit, options: [.old, .new]) { _, change in
      heard.append("typed \(change.oldValue as Any) \(change.newValue as Any)")
    }
    meter.addObserver(listener, forKeyPath: "unit", options: [.old, .new])
    let second = meter.observe(keyPath: "unit", options: [.old, .new]) { _, change in
      heard.append("name \(change.oldValue as Any) \(change.newValue as Any)")
    }
    meter.unit = "W"
    #expect(
      heard == [
        "typed Optional(nil) Optional(Optional(\"W\"))", "classic", "name nil Optional(\"W\")",
      ]
    )
    #expect(listener.heard == ["unit setting to W"])
    meter.removeObserver(listener, forKeyPath: "unit")
    first.invalidate()
    second.invalidate()
  }

  @Test("a single classic observer is notified through boxes, and not after its removal")
  func classicAlone() {
    let meter = Meter()
    let listener = Listener()
    meter.addObserver(listener, forKeyPath: "name", options: [.old, .new])
    meter.name = "ohm"
    meter.removeObserver(listener, forKeyPath: "name")
    meter.name = "volt"
    #expect(listener.heard == ["name setting from meter to ohm"])
  }

  @Test("the new value is that of the property after its own observers ran")
  func clamped() {
    let meter = Meter()
    var values: [Int?] = []
    let token = meter.observe(\.count, options: [.new]) { values.append($1.newValue) }
    meter.count = 5_000
    #expect(values == [1_000])
    token.invalidate()
  }

  @Test("a change of a key that no one observes notifies no one, also beside an observed key")
  func otherKey() {
    let meter = Meter()
    var count = 0
    let token = meter.observe(\.count) { _, _ in count += 1 }
    meter.name = "ohm"
    meter.unit = "Ω"
    #expect(count == 0)
    meter.count = 1
    #expect(count == 1)
    token.invalidate()
  }

  @Test("a set inside a notification is delivered before the first set reaches later observers")
  func nested() {
    let meter = Meter()
    var heard: [String] = []
    let first = meter.observe(\.count, options: [.new]) { meter, change in
      heard.append("first \(change.newValue ?? -1)")
      if change.newValue == 1 { meter.count = 2 }
    }
    let second = meter.observe(\.count, options: [.new]) {
      heard.append("second \($1.newValue ?? -1)")
    }
    meter.count = 1
    #expect(heard == ["first 1", "first 2", "second 2", "second 2"])
    first.invalidate()
    second.invalidate()
  }

  @Test("an observation that ends itself inside its notification is not called again")
  func endsItself() {
    let meter = Meter()
    var token: ObservationToken?
    var count = 0
    token = meter.observe(\.count) { _, _ in
      count += 1
      token?.invalidate()
    }
    meter.count = 1
    meter.count = 2
    #expect(count == 1)
  }

  @Test("a mutation in place is one setting, with the whole value before and after")
  func inPlace() {
    let meter = Meter()
    var heard: [String] = []
    let token = meter.observe(\.samples, options: [.old, .new]) {
      heard.append(line("samples", $1))
    }
    meter.samples.append(7)
    meter.samples.append(8)
    #expect(heard == ["samples setting from [] to [7]", "samples setting from [7] to [7, 8]"])
    token.invalidate()
  }

  @Test("with a recording each set is a change with its delivery, and nothing is reported")
  func recorded() {
    let meter = Meter()
    let found = verdicts(about: meter) {
      let listener = Listener()
      meter.addObserver(listener, forKeyPath: "count", options: [.new, .prior])
      meter.count = 4
      meter.removeObserver(listener, forKeyPath: "count", context: nil)
      #expect(listener.heard == ["count setting prior", "count setting to 4"])
    }
    #expect(found.isEmpty)
  }

  @Test("a typed path of several parts is named, moves to new objects, and ends at nil")
  func typedPath() {
    let meter = Meter()
    var heard: [String?] = []
    let token = meter.observe(\.next?.next?.name, options: [.initial, .new]) { _, change in
      heard.append(change.newValue ?? "no value")
    }
    #expect(KVO.census(of: meter).map(\.keyPath) == ["next.next.name"])
    let middle = Meter()
    let end = Meter()
    middle.next = end
    meter.next = middle
    end.name = "end"
    middle.next = nil
    end.name = "gone"
    #expect(heard == [nil, "meter", "end", nil])
    token.invalidate()
    meter.next = nil
    #expect(heard.count == 4)
  }

  @Test("a typed path through a part that is not a key is refused")
  func typedPathUnknown() {
    let account = Account(owner: Person("Ada"))
    let found = verdicts(about: account) {
      let token = account.observe(\.owner?.name.count) { _, _ in }
      #expect(!token.isActive)
    }
    #expect(found.map(\.code) == [.uncompliantPath])
  }
}
