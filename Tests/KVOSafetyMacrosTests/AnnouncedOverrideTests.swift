#if Macros
import KVOSafety
import Testing

// An override whose observers announce a key that depends on it, as a class by hand does. The key itself is left to
// the macro: "an override that adds `willSet` or `didSet` notifies, whether or not the superclass does".

private enum Scope {
  class Plain {
    var state = 0
    var limit = 0
  }

  @KeyValueObservable
  class Job: Plain {
    override var state: Int {
      willSet { willChangeValue(forKey: "isBusy") }
      didSet { didChangeValue(forKey: "isBusy") }
    }
    var isBusy: Bool { state > 0 }
    /// Announces itself, so that the macro adds nothing.
    override var limit: Int {
      willSet { willChangeValue(for: \.limit) }
      didSet { didChangeValue(for: \.limit) }
    }
  }

  @KeyValueObservable
  class Watched {
    var level = 0
  }

  @KeyValueObservable
  class Gauge: Watched {
    override var level: Int {
      willSet { willChangeValue(for: \.isFull) }
      didSet {
        if level > 10 { level = 10 }
        didChangeValue(for: \.isFull)
      }
    }
    var isFull: Bool { level >= 10 }
  }
}

@Suite("Overrides whose observers announce other keys")
struct AnnouncedOverrideTests {
  private func heard<Subject: KeyValueObservable>(
    _ subject: Subject,
    _ keys: String...,
    while body: () -> Void
  ) -> [String] {
    var heard: [String] = []
    let tokens = keys.map { key in
      subject.observe(keyPath: key, options: [.old, .new]) { _, change in
        let old = change.oldValue.map { "\($0)" } ?? "nil"
        heard.append("\(key) \(old) → \(change.newValue.map { "\($0)" } ?? "nil")")
      }
    }
    body()
    for token in tokens { token.invalidate() }
    return heard
  }

  @Test("notify over a superclass that does not")
  func overPlain() {
    let job = Scope.Job()
    let changes = heard(job, "state", "isBusy") { job.state = 2 }
    #expect(changes.sorted() == ["isBusy false → true", "state 0 → 2"])
  }

  @Test("and once if they announce themselves")
  func announced() {
    let job = Scope.Job()
    #expect(heard(job, "limit") { job.limit = 2 } == ["limit 0 → 2"])
  }

  @Test("are one change with the superclass's setter, with the corrected value")
  func corrected() {
    let gauge = Scope.Gauge()
    let changes = heard(gauge, "level") { gauge.level = 99 }
    #expect(changes == ["level 0 → 10"])
    #expect(heard(gauge, "isFull") { gauge.level = 3 } == ["isFull true → false"])
  }
}
#endif
