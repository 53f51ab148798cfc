#if Macros
import KVOSafety
import Testing

// Scenarios of gnustep/libs-base: Tests/base/NSProgress/kvo.m, and NSKVOSupport/userdefaults.m and legacy.m. The order of
// the keys of one observer is ours: that of registration.

/// An object that reports to its parent, with keys that depend on two others.
@KeyValueObservable
private class Progress {
  var total = 0
  var completed = 0 { didSet { parent?.finished(self) } }
  @KeyValue(affectedBy: "total", "completed") var isFinished: Bool {
    total > 0 && completed >= total
  }
  @KeyValue(affectedBy: "completed", "total") var isIndeterminate: Bool {
    total < 0 || completed < 0 || total == 0 && completed == 0
  }
  private weak var parent: Progress?
  init(total: Int = 0, parent: Progress? = nil) {
    self.total = total
    self.parent = parent
  }
  private func finished(_ child: Progress) { if child.isFinished { completed += child.total } }
}

/// Values by name that are notified if the visible value differs.
private class Defaults: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  private static let keys = ObservableKeyTable(ObservableKey("key", \Defaults.key))
  class var observableKeys: ObservableKeyTable { keys }
  private var own: String?
  var registered: String?
  var key: String? {
    get { own ?? registered }
    set {
      guard newValue ?? registered != key else { return own = newValue }
      willChangeValue(forKey: "key")
      own = newValue
      didChangeValue(forKey: "key")
    }
  }
}

@KeyValueObservable
private class Name {
  var first = ""
  var middle = ""
  var last = ""
  var full: String { "\(first) \(middle) \(last)" }
  var short: String { "\(first) \(last)" }
  class func keyPathsForValuesAffecting(_ key: String) -> Set<String> {
    switch key {
    case "full": ["middle"]
    case "short": ["first", "last"]
    default: []
    }
  }
}

@KeyValueObservable
private class TriggeredName: Name {
  var trigger = false
  override class func keyPathsForValuesAffecting(_ key: String) -> Set<String> {
    key == "full" ? ["trigger"] : super.keyPathsForValuesAffecting(key)
  }
}

@Suite("GNUstep's scenarios of progress, defaults and declared dependences")
struct ProgressScenarioTests {
  private final class Observer: KeyValueObserver {
    var heard: [String] = []
    func observeValue(
      forKeyPath keyPath: String,
      of object: any KeyValueObservable,
      change: ObservedChange<Any>,
      context: ObservationContext?
    ) -> NotificationHandling {
      let values = "\(change.oldValue ?? "nil") → \(change.newValue ?? "nil")"
      heard.append("\(context?.name ?? "")\(change.isPrior ? " prior" : "") \(values)")
      return .handled
    }
  }

  private let observer = Observer()

  /// What the observer hears of the keys, each under a context with its name, while `body` runs.
  private func heard(
    _ object: some KeyValueObservable,
    _ keys: String...,
    options: ObservingOptions = [.old, .new],
    while body: () -> Void
  ) -> [String] {
    let contexts = keys.map { ObservationContext($0) }
    for (key, context) in zip(keys, contexts) {
      object.addObserver(observer, forKeyPath: key, options: options, context: context)
    }
    body()
    for (key, context) in zip(keys, contexts) {
      object.removeObserver(observer, forKeyPath: key, context: context)
    }
    defer { observer.heard = [] }
    return observer.heard
  }

  @Test("a child that is finished finishes its parent, each key once before and once after")
  func progress() {
    let parent = Progress()
    let all: ObservingOptions = [.old, .new, .prior]
    let changes = heard(parent, "total", "completed", "isFinished", options: all) {
      parent.total = 10
      Progress(total: 10, parent: parent).completed = 10
    }
    #expect(
      changes == [
        "total prior 0 → nil", "isFinished prior false → nil", "total 0 → 10",
        "isFinished false → false", "completed prior 0 → nil", "isFinished prior false → nil",
        "completed 0 → 10", "isFinished false → true",
      ]
    )
  }

  @Test("a key that two others affect has its own values at each of their changes")
  func indeterminate() {
    let progress = Progress()
    let changes = heard(progress, "isIndeterminate") {
      progress.total = 1
      progress.completed = -1
      progress.completed = 0
    }
    #expect(
      changes == [
        "isIndeterminate true → false", "isIndeterminate false → true",
        "isIndeterminate true → false",
      ]
    )
  }

  @Test("a value that another one stands behind is notified if what is visible differs")
  func defaults() {
    let defaults = Defaults()
    let changes = heard(defaults, "key") {
      defaults.key = "own"
      defaults.key = nil
      defaults.key = "own"
      defaults.registered = "registered"
      defaults.key = nil
      defaults.key = "registered"
      defaults.key = nil
    }
    #expect(changes == ["key nil → own", "key own → nil", "key nil → own", "key own → registered"])
  }

  @Test("keys notify of what their class declares, and of nothing else that they read")
  func legacy() {
    let name = Name()
    let changes = heard(name, "full", "short") {
      name.first = "a"
      name.middle = "b"
      name.last = "c"
    }
    #expect(changes == ["short   → a ", "full a   → a b ", "short a  → a c"])
  }

  @Test("a subclass that declares anew what affects a key replaces the superclass's declaration")
  func mixedLegacy() {
    let name = TriggeredName()
    let changes = heard(name, "full") {
      name.middle = "b"
      name.trigger = true
    }
    #expect(changes == ["full  b  →  b "])
  }
}
#endif
