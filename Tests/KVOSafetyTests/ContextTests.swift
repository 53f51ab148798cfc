import KVORules
import KVOTrace
import Testing

@testable import KVOSafety

/// Equal to every other of its kind, and yet another object.
private final class EqualListener: Listener, Equatable {
  static func == (left: EqualListener, right: EqualListener) -> Bool { true }
}

@Suite("Contexts and equal registrations")
struct ContextTests {
  private let first = ObservationContext("first")
  private let second = ObservationContext("second")

  @Test("two registrations of one triple deliver twice and take two removals")
  func twice() {
    let account = Account()
    let listener = Listener()
    let found = verdicts(about: account) {
      // At one line: two lines would be taken for two owners of one context (KVO018).
      for _ in 0..<2 {
        account.addObserver(listener, forKeyPath: "balance", context: first)
      }
      account.balance = 1
      #expect(listener.heard.count == 2)
      account.removeObserver(listener, forKeyPath: "balance", context: first)
      account.balance = 2
      #expect(listener.heard.count == 3)
      account.removeObserver(listener, forKeyPath: "balance", context: first)
      account.balance = 3
      #expect(listener.heard.count == 3)
    }
    #expect(found.map(\.code) == [.duplicateRegistration])
  }

  @Test("a removal without context takes the newest, and reports that it guessed")
  func newest() {
    let account = Account()
    let listener = Listener()
    let found = verdicts(about: account) {
      account.addObserver(listener, forKeyPath: "balance", options: [.new], context: first)
      account.addObserver(listener, forKeyPath: "balance", options: [.old], context: second)
      account.removeObserver(listener, forKeyPath: "balance")
      account.balance = 1
      account.removeObserver(listener, forKeyPath: "balance", context: first)
    }
    #expect(listener.heard == ["balance setting to 1"])
    #expect(found.map(\.code) == [.ambiguousRemove])
  }

  @Test("a removal under another context removes nothing and is reported")
  func wrongContext() {
    let account = Account()
    let listener = Listener()
    let found = verdicts(about: account) {
      account.addObserver(listener, forKeyPath: "balance", context: first)
      account.removeObserver(listener, forKeyPath: "balance", context: second)
      account.removeObserver(listener, forKeyPath: "balance", context: nil)
      account.balance = 1
      account.removeObserver(listener, forKeyPath: "balance", context: first)
    }
    #expect(listener.heard.count == 1)
    #expect(found.map(\.code) == [.removeWrongContext, .removeWrongContext])
  }

  @Test("observers that are equal are distinguished: identity counts")
  func equalObservers() {
    let account = Account()
    let listeners = [EqualListener(), EqualListener()]
    let found = verdicts(about: account) {
      for listener in listeners { account.addObserver(listener, forKeyPath: "balance") }
      account.removeObserver(listeners[0], forKeyPath: "balance")
      account.balance = 1
      account.removeObserver(listeners[1], forKeyPath: "balance")
    }
    #expect(listeners.map(\.heard.count) == [0, 1])
    #expect(found.isEmpty)
  }
}
