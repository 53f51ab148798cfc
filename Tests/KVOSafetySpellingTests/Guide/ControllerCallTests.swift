#if Macros
import KVOSafety
import KVOSafetySpelling
import Testing

/// The calls of the guide's tables on KVOController, as people write them.
@Suite("The guide's calls: KVOController")
struct ControllerCallTests {
  private let account = Account()
  private let screen: Screen

  init() { screen = Screen(account: account) }

  @Test("with this library's names")
  func ownNames() {
    screen.observe()
    account.balance = 1
    account.owner = Person()
    #expect(
      screen.heard == [
        "block 1.0", "balance", "typed", "changed", "change", "changed", "balance 1.0", "name",
        "name",
      ]
    )
    screen.stop()
    account.balance = 2
    #expect(screen.heard.count == 9)
    #expect(KVO.census(of: account).isEmpty)
    #expect(#keyPathName(account, \.balance) == "balance")
    #expect(#keyPathName(\Account.balance) == "balance")
  }

  @Test("with KVOController's names, a trailing closure and implicit members")
  func portedNames() {
    let s = screen
    let p = account
    var heard: [String] = []
    s.kvoController.observe(p, keyPath: "balance", options: .new) { _, _, _ in
      heard.append("trailing")
    }
    s.kvoController.observe(
      p,
      keyPath: "balance",
      options: [.initial, .new],
      block: { observer, object, change in heard.append("block \(change.newValue ?? "nil")") }
    )
    s.kvoControllerNonRetaining.observe(p, keyPaths: ["balance", "owner.name"], options: .new) {
      observer,
      object,
      keyPath,
      change in heard.append(keyPath)
    }
    account.balance = 1
    #expect(heard == ["block 0.0", "trailing", "block 1.0", "balance"])
    s.kvoController.unobserveAll()
    s.kvoControllerNonRetaining.unobserve(p)
    account.balance = 2
    #expect(heard.count == 4)
  }

  @Test("the controller that an object has can be set, and knows its observer")
  func settable() {
    var heard: [String] = []
    screen.kvoController.observe(account, keyPath: "balance") { _, _, _ in heard.append("old") }
    let controller = FBKVOController(observer: screen)
    screen.kvoController = controller
    #expect(screen.kvoController === controller)
    #expect(controller.observer === screen)
    controller.observe(account, keyPath: "balance") { _, _, _ in heard.append("new") }
    account.balance = 1
    #expect(heard == ["new"])
    screen.kvoControllerNonRetaining = FBKVOController(observer: screen, retainObserved: false)
    #expect(screen.kvoControllerNonRetaining !== controller)
  }

  @Test("nil is observed by doing nothing")
  func observesNil() {
    let none: Account? = nil
    screen.observations.observe(none, \.balance) { _, _, _ in }
    screen.observations.observe(none, keyPath: "balance", action: Screen.balanceChanged)
    screen.kvoController.observe(none, keyPaths: ["balance"]) { _, _, _, _ in }
    screen.observations.unobserve(none, \.balance)
    screen.observations.unobserve(none)
    screen.observations.observe(account as Account?, \.balance) { _, _, _ in }
    #expect(KVO.census(of: account).count == 1)
  }
}

/// Calls with `self`, as they stand in a class.
extension Screen {
  fileprivate func observe() {
    ObservationController.of(self).observe(account, \.balance, options: .new) {
      screen,
      account,
      change in screen.heard.append("block \(change.newValue ?? -1)")
    }
    ObservationController.of(self, retainsObserved: false).observe(
      account,
      keyPaths: ["balance", "owner.name"]
    ) { screen, account, keyPath, change in
      screen.heard.append(keyPath == "balance" ? keyPath : "name")
    }
    observations.observe(account, [\.balance, \.tags]) { screen, account, keyPath, change in
      screen.heard.append(keyPath == \Account.balance ? "typed" : "other")
    }
    observations.observe(account, \.balance, action: Screen.balanceChanged)
    observations.observe(account, \.balance, action: Screen.changed(by:))
    observations.observe(account, keyPath: "balance", action: Screen.reload)
    observations.observe(account, keyPath: "balance", options: .new, context: Self.ownContext)
    observations.observe(account, keyPath: "owner.name", action: Screen.nameChanged)
  }

  fileprivate func stop() {
    ObservationController.of(self).unobserve(account, \.balance)
    ObservationController.of(self, retainsObserved: false).unobserveAll()
    observations.unobserve(account, keyPath: "balance")
    observations.unobserve(account)
    observations.unobserveAll()
  }

  fileprivate func changed(by change: ObservedChange<Double>) { heard.append("change") }
  fileprivate func reload() { heard.append("changed") }
}
#endif
