import KVORules
import KVOTrace
import Synchronization
import TestSupport
import Testing

@testable import KVOSafety

private final class Screen: KeyValueObserver {
  static let context = ObservationContext("screen")
  var heard: [String] = []
  var handling = NotificationHandling.handled

  func changed() { heard.append("changed") }
  func balanceChanged(_ change: ObservedChange<Int>) { heard.append(line("balance", change)) }
  func balanceChanged(_ change: ObservedChange<Int>, of account: Account) {
    heard.append(line("balance of \(account.balance)", change))
  }

  func changed(_ keyPath: PartialKeyPath<Account>, _ change: ObservedChange<Any>) {
    heard.append(line(keyPath == \Account.balance ? "balance" : "another", change))
  }

  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    #expect(context === Self.context)
    heard.append(line(keyPath, change))
    return handling
  }
}

@Suite("The controller form: styles of callbacks, and controllers without set-up")
struct ControllerStyleTests {
  private let account = Account(owner: Person("Ada"))
  private let screen = Screen()
  private var observations: ObservationController<Screen> { .of(screen) }

  @Test(
    "a closure gets the values that its options request",
    arguments: [
      ([], ["balance setting"]),
      ([.new], ["balance setting to 1"]),
      ([.old, .new], ["balance setting from 0 to 1"]),
      (
        [.old, .new, .initial, .prior],
        ["balance setting to 0", "balance setting prior from 0", "balance setting from 0 to 1"]
      ),
    ] as [(ObservingOptions, [String])]
  )
  func options(options: ObservingOptions, expected: [String]) {
    observations.observe(account, \.balance, options: options) { screen, _, change in
      screen.heard.append(line("balance", change))
    }
    account.balance = 1
    #expect(screen.heard == expected)
  }

  @Test("a method is called with nothing, with the change, or with the change and the object")
  func methods() {
    observations.observe(account, \.balance, action: Screen.changed as (Screen) -> () -> Void)
    observations.observe(
      account,
      \.balance,
      options: .new,
      action: Screen.balanceChanged as (Screen) -> (ObservedChange<Int>) -> Void
    )
    observations.observe(
      account,
      \.balance,
      action: Screen.balanceChanged as (Screen) -> (ObservedChange<Int>, Account) -> Void
    )
    account.balance = 1
    #expect(screen.heard == ["changed", "balance setting to 1", "balance of 1 setting"])
  }

  @Test("the context style calls the owner's own method, with the context")
  func context() {
    let found = verdicts(about: account) {
      observations.observe(
        account,
        keyPaths: ["balance", "owner.name"],
        options: [.old, .new],
        context: Screen.context
      )
      account.balance = 1
      account.owner?.name = "Grace"
      screen.handling = .unhandled
      account.balance = 2
    }
    #expect(
      screen.heard == [
        "balance setting from 0 to 1", "owner.name setting from Ada to Grace",
        "balance setting from 1 to 2",
      ]
    )
    #expect(found.map(\.code) == [.unhandledNotification])
  }

  @Test("several key paths in one call: the handler receives the one that changed")
  func severalKeyPaths() {
    observations.observe(account, keyPaths: ["balance", "owner.name"]) { screen, _, keyPath, _ in
      screen.heard.append(keyPath)
    }
    observations.observe(account, [\.balance, \.owner]) { screen, _, keyPath, _ in
      screen.heard.append(keyPath == \Account.balance ? "\\.balance" : "another")
    }
    account.balance = 1
    account.owner?.name = "Grace"
    account.owner = nil
    #expect(
      screen.heard == ["balance", "\\.balance", "owner.name", "owner.name", "another"]
    )
  }

  @Test("a method is called for several key paths, and receives the one that changed")
  func methodOfSeveral() {
    observations.observe(account, [\.balance, \.owner], action: Screen.changed as Notified)
    observations.observe(account, [\.tags], action: Screen.changed as (Screen) -> () -> Void)
    account.balance = 1
    account.owner = nil
    account.tags = []
    #expect(screen.heard == ["balance setting", "another setting", "changed"])
  }

  private typealias Notified = (Screen) -> (PartialKeyPath<Account>, ObservedChange<Any>) -> Void

  @Test("a key path that is empty or unknown is refused, and those beside it are observed")
  func refusals() {
    let found = verdicts(about: account) {
      observations.observe(account, keyPaths: ["", "nosuch", "balance"]) { screen, _, keyPath, _ in
        screen.heard.append(keyPath)
      }
      observations.observe(account, keyPath: "owner.nosuch") { _, _, _ in }
      account.balance = 1
    }
    #expect(found.map(\.code) == [.uncompliantPath, .uncompliantPath, .uncompliantPath])
    #expect(screen.heard == ["balance"])
  }

  @Test("an empty list of key paths is refused in every form, as FBKVOController raises for it")
  func noKeyPaths() {
    let none: [PartialKeyPath<Account>] = []
    let found = verdicts(about: account) {
      observations.observe(account, keyPaths: []) { _, _, _, _ in }
      observations.observe(account, none) { _, _, _, _ in }
      observations.observe(account, none, action: Screen.changed as (Screen) -> () -> Void)
      observations.observe(account, none, action: Screen.changed as Notified)
      observations.observe(account, keyPaths: [], context: Screen.context)
    }
    #expect(found.map(\.code) == Array(repeating: .uncompliantPath, count: 5))
    #expect(found.allSatisfy { $0.observer?.id == ObjectTable.shared.record(of: screen).ref.id })
    #expect(account.storage.count == 0)
  }

  @Test("two closures on one key path are both called, and one call ends both")
  func twoClosures() {
    for name in ["first", "second"] {
      observations.observe(account, \.balance) { screen, _, _ in screen.heard.append(name) }
    }
    account.balance = 1
    #expect(screen.heard == ["first", "second"])
    observations.unobserve(account, \.balance)
    account.balance = 2
    #expect(screen.heard == ["first", "second"])
  }

  @Test("a closure can end its own observation, and is not called again")
  func endsItself() {
    let found = verdicts(about: account) {
      observations.observe(account, \.balance) { screen, account, _ in
        screen.heard.append("once")
        ObservationController.of(screen).unobserve(account, \.balance)
      }
      account.balance = 1
      account.balance = 2
    }
    #expect(screen.heard == ["once"])
    #expect(found.isEmpty)
  }

  @Test("any class has its controllers, the same each time, deallocated with the object")
  func attached() {
    final class Plain { var count = 0 }
    let account = account
    weak var controller: ObservationController<Plain>?
    weak var kept: Account?
    let found = verdicts(about: account) {
      let plain = Plain()
      controller = .of(plain)
      #expect(controller === ObservationController.of(plain))
      #expect(controller !== ObservationController.of(plain, retainsObserved: false))
      controller?.observe(account, \.balance) { plain, _, _ in plain.count += 1 }
      do {
        let other = Account()
        kept = other
        controller?.observe(other, \.balance) { _, _, _ in }
      }
      account.balance = 1
      #expect(plain.count == 1)
      #expect(kept != nil)
    }
    #expect(controller == nil)
    #expect(kept == nil)
    #expect(KVO.census(of: account).isEmpty)
    #expect(found.isEmpty)
  }

  @Test("an object observes itself through its controller, and is deallocated all the same")
  func selfObservation() {
    final class Model: KeyValueObservable {
      let observationRegistrar = ObservationRegistrar()
      static let observableKeys = ObservableKeyTable(ObservableKey("value", \Model.value))
      var heard = 0
      private(set) lazy var observations = ObservationController(owner: self)
      var value = 0 {
        willSet { willChangeValue(for: \.value) }
        didSet { didChangeValue(for: \.value) }
      }
      init() { observations.observe(self, \.value) { model, _, _ in model.heard += 1 } }
    }
    weak var stored: Model?
    weak var attached: Account?
    do {
      let model = Model()
      stored = model
      model.value = 1
      #expect(model.heard == 1)
      let account = Account()
      attached = account
      ObservationController.of(account).observe(account, \.balance) { _, _, _ in }
    }
    #expect(stored == nil)
    #expect(attached == nil)
  }

  @Test("a controller that keeps nothing alive outlives its object, which is reported")
  func notRetaining() {
    weak var released: Account?
    let found = verdicts(where: { $0.code == .observedDeinitWhileObserved }) {
      let account = Account()
      released = account
      ObservationController.of(screen, retainsObserved: false)
        .observe(account, \.tags) { _, _, _ in }
    }
    #expect(released == nil)
    #expect(found.count >= 1)
    ObservationController.of(screen, retainsObserved: false).unobserveAll()
  }

  @Test("its description lists who observes what since which line")
  func description() throws {
    #expect(
      observations.debugDescription.wholeMatch(of: /ObservationController of Screen#\d+/) != nil
    )
    observations.observe(account, \.balance, options: [.new, .initial]) { _, _, _ in }
    observations.observe(account, keyPath: "owner.name") { _, _, _ in }
    let expected =
      #/
      ObservationController\ of\ Screen\#\d+,\ keeps\ 1\ object\ alive
      \n\ \ Account\#\d+\ "balance"\ \(new,\ initial\),\ since\ ControllerStyleTests\.swift:\d+
      \n\ \ Account\#\d+\ "owner\.name",\ since\ ControllerStyleTests\.swift:\d+
      /#
    #expect(observations.debugDescription.wholeMatch(of: expected) != nil)
  }

  @Test("a main actor screen observes with a method of its own")
  @MainActor
  func mainActor() {
    @MainActor
    final class View {
      var count = 0
      func changed() { count += 1 }
    }
    let view = View()
    ObservationController.of(view).observe(account, \.balance, action: View.changed)
    account.balance = 1
    #expect(view.count == 1)
    #expect(KVO.census(of: account).map(\.keyPath) == ["balance"])
  }

  @Test("threads that observe and unobserve through one controller lose nothing")
  func threads() {
    let controller = ObservationController(owner: screen)
    let accounts = (0..<4).map { _ in Account() }
    onThreads(count: 4) { index in
      for _ in 0..<200 {
        controller.observe(accounts[index], \.balance) { _, _, _ in }
        accounts[index].balance += 1
        if index.isMultiple(of: 2) {
          controller.unobserve(accounts[index], \.balance)
        } else {
          controller.unobserve(accounts[index])
        }
      }
    }
    #expect(accounts.allSatisfy { KVO.census(of: $0).isEmpty } == true)
  }
}
