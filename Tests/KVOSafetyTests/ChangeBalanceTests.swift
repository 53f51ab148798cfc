import KVORules
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
    let found = verdicts(about: account) {
      account.addObserver(listener, forKeyPath: "balance")
      account.didChangeValue(for: \.balance)
      account.removeObserver(listener, forKeyPath: "balance")
    }
    #expect(found.map(\.code) == [.unbalancedChange])
    #expect(found.first?.detail == .change(.didWithoutWill))
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
