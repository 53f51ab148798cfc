import KVORecorder
import KVORules
import KVOTrace
import TestSupport
import Testing

@testable import KVOSafety

@Suite("Manual notification")
struct ChangeBalanceTests {
  @Test("nested changes of two keys, of one key, and of two objects are silent")
  func nesting() {
    let account = Account()
    let other = Account()
    let listener = Listener()
    let found = verdicts(about: account) {
      account.addObserver(listener, forKeyPath: "balance")
      account.willChangeValue(for: \.balance)
      account.willChangeValue(for: \.tags)
      other.willChangeValue(for: \.balance)
      account.willChangeValue(for: \.balance)
      account.didChangeValue(for: \.balance)
      other.didChangeValue(for: \.balance)
      account.didChangeValue(for: \.tags)
      account.didChangeValue(for: \.balance)
      account.removeObserver(listener, forKeyPath: "balance")
    }
    #expect(listener.heard == ["balance setting", "balance setting"])
    #expect(found.isEmpty)
  }

  @Test("an end without a beginning is delivered and reported")
  func didWithoutWill() {
    let account = Account()
    let listener = Listener()
    let line = #line + 3
    let found = verdicts(about: account) {
      account.addObserver(listener, forKeyPath: "balance")
      account.didChangeValue(for: \.balance)
      account.removeObserver(listener, forKeyPath: "balance")
    }
    #expect(found.map(\.code) == [.unbalancedChange])
    #expect(found.first?.detail == .change(.didWithoutWill))
    let site = found.first?.evidence.first?.site ?? .none
    #expect(Recorder.shared.names.site(site)?.location == "ChangeBalanceTests.swift:\(line)")
    #expect(listener.heard == ["balance setting"])
  }

  @Test("changes closed in the wrong order are reported once")
  func outOfOrder() {
    let account = Account()
    let listener = Listener()
    let found = verdicts(about: account) {
      account.addObserver(listener, forKeyPath: "balance")
      account.willChangeValue(for: \.balance)
      account.willChangeValue(for: \.tags)
      account.didChangeValue(for: \.balance)
      account.didChangeValue(for: \.tags)
      account.removeObserver(listener, forKeyPath: "balance")
    }
    #expect(found.map(\.code) == [.unbalancedChange])
  }

  /// A setter as the macro writes it, in which another change may begin.
  private final class Dial: KeyValueObservable {
    let observationRegistrar = ObservationRegistrar()
    static let levelKey = ObservableKey("level", \Dial.level)
    static let observableKeys = ObservableKeyTable(levelKey, ObservableKey("unit", \Dial.unit))
    var unit = 0
    var beginsUnit = false
    private var stored = 0
    var level: Int {
      get { stored }
      set {
        observationRegistrar.change(Self.levelKey, of: self, value: stored) {
          stored = newValue
          if beginsUnit { willChangeValue(for: \.unit) }
        }
        if beginsUnit { didChangeValue(for: \.unit) }
      }
    }
  }

  @Test(
    "a setter whose change ends inside another one is reported with the stack of that end",
    arguments: [true, false]
  )
  func setterOutOfOrder(isWrong: Bool) {
    let dial = Dial()
    dial.beginsUnit = isWrong
    // Changes of setters are judged while something records.
    let memory = EventMemory()
    Recorder.shared.attach(memory)
    defer { Recorder.shared.detach(memory) }
    let found = verdicts(about: dial) {
      let token = dial.observe(\.level, options: [.old, .new, .prior]) { _, _ in }
      dial.level = 1
      token.invalidate()
    }
    #expect(found.map(\.code) == (isWrong ? [.unbalancedChange] : []))
    #expect(found.allSatisfy { $0.evidence.first?.stack != StackID.none })
  }

  @Test("a change that is never ended is reported when its thread ends")
  func willWithoutDid() {
    let account = Account()
    let listener = Listener()
    let found = verdicts(about: account) {
      account.addObserver(listener, forKeyPath: "balance")
      onThread { account.willChangeValue(for: \.balance) }
      account.removeObserver(listener, forKeyPath: "balance")
    }
    #expect(found.map(\.detail) == [.change(.willWithoutDid)])
  }

  @Test("changes by name notify as changes by key path do; an unknown name is reported")
  func byName() {
    let account = Account()
    let listener = Listener()
    let found = verdicts(about: account) {
      account.addObserver(listener, forKeyPath: "note", options: [.old, .new])
      account.willChangeValue(forKey: "note")
      account.note = "x"
      account.didChangeValue(forKey: "note")
      account.willChangeValue(forKey: "nosuch")
      account.didChangeValue(forKey: "nosuch")
      account.removeObserver(listener, forKeyPath: "note")
    }
    #expect(listener.heard == ["note setting from  to x"])
    #expect(found.map(\.code) == [.uncompliantPath])
  }

  @Test("an observer that does not know a notification is reported")
  func unhandled() {
    let account = Account()
    let listener = Listener()
    listener.handling = .unhandled
    let found = verdicts(about: account) {
      account.addObserver(listener, forKeyPath: "balance")
      account.balance = 1
      account.removeObserver(listener, forKeyPath: "balance")
    }
    #expect(found.map(\.code) == [.unhandledNotification])
    #expect(found.first?.evidence.map(\.role) == [.failed, .notified, .registered])
  }
}
