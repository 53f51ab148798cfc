import KVORules
import Synchronization
import TestSupport
import Testing

@testable import KVOSafety

@Suite("Callbacks that call back")
struct ReentrancyTests {
  @Test("an observer may remove itself inside its notification; the next change does not reach it")
  func removesItself() {
    let account = Account()
    let listener = Listener()
    let found = verdicts(about: account) {
      account.addObserver(listener, forKeyPath: "balance")
      listener.onNotification = { [unowned listener] _ in
        account.removeObserver(listener, forKeyPath: "balance")
      }
      account.balance = 1
      account.balance = 2
    }
    #expect(listener.heard.count == 1)
    #expect(found.isEmpty)
  }

  @Test("an observer removed by an earlier one, inside the same change, is not called any more")
  func removesAnother() {
    let account = Account()
    let first = Listener()
    let second = Listener()
    account.addObserver(first, forKeyPath: "balance")
    account.addObserver(second, forKeyPath: "balance")
    first.onNotification = { [unowned second] _ in
      account.removeObserver(second, forKeyPath: "balance")
    }
    account.balance = 1
    account.removeObserver(first, forKeyPath: "balance")
    #expect(first.heard.count == 1)
    #expect(second.heard.isEmpty)
  }

  @Test(
    "an observer that is deallocated inside a change, at the hand of an earlier one, is not called"
  )
  func killsAnother() {
    let account = Account()
    let first = Listener()
    var second: Listener? = Listener()
    let found = verdicts(about: account) {
      account.addObserver(first, forKeyPath: "balance")
      if let second { account.addObserver(second, forKeyPath: "balance") }
      first.onNotification = { _ in second = nil }
      account.balance = 1
      account.removeObserver(first, forKeyPath: "balance")
    }
    #expect(second == nil)
    #expect(found.map(\.code) == [.observerDeinitWhileRegistered])
  }

  @Test("a change inside a notification notifies, and nests")
  func changesInside() {
    let account = Account()
    let listener = Listener()
    let found = verdicts(about: account) {
      account.addObserver(listener, forKeyPath: "balance", options: .new)
      listener.onNotification = { [unowned listener] _ in
        if listener.heard.count < 3 { account.balance += 1 }
      }
      account.balance = 1
      account.removeObserver(listener, forKeyPath: "balance")
    }
    #expect(
      listener.heard == [
        "balance setting to 1", "balance setting to 2", "balance setting to 3",
      ]
    )
    #expect(found.isEmpty)
  }

  @Test("an observer removed inside its own initial notification is reported and stays removed")
  func removesInsideInitial() {
    let account = Account()
    let listener = Listener()
    let found = verdicts(about: account) {
      listener.onNotification = { [unowned listener] _ in
        account.removeObserver(listener, forKeyPath: "balance")
      }
      account.addObserver(listener, forKeyPath: "balance", options: .initial)
      account.balance = 1
    }
    #expect(listener.heard.count == 1)
    #expect(found.map(\.code) == [.removeDuringInitial])
  }

  @Test("an object may observe itself, and remove itself in its deinit; the first is a note")
  func observesItself() {
    final class Mirror: KeyValueObservable, KeyValueObserver {
      let observationRegistrar = ObservationRegistrar()
      static let observableKeys = ObservableKeyTable(ObservableKey("value", \Mirror.value))
      var count = 0
      var value = 0 {
        willSet { willChangeValue(for: \.value) }
        didSet { didChangeValue(for: \.value) }
      }
      func start() { addObserver(self, forKeyPath: "value") }
      deinit { removeObserver(self, forKeyPath: "value") }
      func observeValue(
        forKeyPath keyPath: String,
        of object: any KeyValueObservable,
        change: ObservedChange<Any>,
        context: ObservationContext?
      ) -> NotificationHandling {
        count += 1
        return .handled
      }
    }
    var codes: [RuleCode] = []
    weak var dead: Mirror?
    do {
      let mirror = Mirror()
      dead = mirror
      codes = verdicts(about: mirror) {
        mirror.start()
        mirror.value = 1
      }.map(\.code)
      #expect(mirror.count == 1)
    }
    #expect(codes == [.selfObservation])
    #expect(dead == nil)
  }

  @Test("no lock is held while a handler runs: other threads observe, change and end")
  func holdsNoLock() {
    let account = Account()
    let handler = Listener()
    account.addObserver(handler, forKeyPath: "balance", options: [.initial, .prior])
    // The handler waits for a thread that needs every lock of the library: it would never return.
    handler.onNotification = { _ in
      onThread {
        let other = Listener()
        account.addObserver(other, forKeyPath: "balance")
        account.removeObserver(other, forKeyPath: "balance")
        account.observe(\.tags) { _, _ in }.invalidate()
        account.tags = ["x"]
        _ = KVO.census()
        account.removeObserver(other, forKeyPath: "balance", context: nil)
      }
    }
    account.balance = 1
    handler.onNotification = nil
    account.removeObserver(handler, forKeyPath: "balance")
    #expect(handler.heard.count == 3)
  }
}
