import KVOSafety
import KVOSafetySpelling
import Testing

private final class PortedAccount: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("balance", \PortedAccount.balance))
  var balance = 0 {
    willSet { willChangeValue(for: \.balance) }
    didSet { didChangeValue(for: \.balance) }
  }
}

private final class PortedScreen: KVOControlled {
  var heard: [Int?] = []
}

@Suite("The names that ported code has")
struct SpellingTests {
  private let account = PortedAccount()
  private let screen = PortedScreen()

  @Test("Foundation's block form")
  func foundation() {
    let options: NSKeyValueObservingOptions = [.old, .new]
    var heard: [Int?] = []
    let observation: NSKeyValueObservation = account.observe(
      \.balance,
      options: options,
      changeHandler: { (_: PortedAccount, change: NSKeyValueObservedChange<Int>) in
        #expect(change.kind == NSKeyValueChange.setting)
        heard.append(change.newValue)
      }
    )
    account.balance = 1
    observation.invalidate()
    account.balance = 2
    #expect(heard == [1])
    #expect(KVO.census(of: account).isEmpty)
  }

  @Test("KVOController's closure form, and its two controllers of any object")
  func controller() {
    let controller = FBKVOController(observer: screen, retainObserved: false)
    for controller in [controller, screen.kvoController, screen.kvoControllerNonRetaining] {
      controller.observe(
        account,
        keyPath: "balance",
        options: [.new],
        block: { observer, _, change in observer.heard.append(change.newValue as? Int) }
      )
    }
    #expect(KVO.census(of: account).first?.site.hasPrefix("SpellingTests.swift:") == true)
    account.balance = 1
    #expect(screen.heard == [1, 1, 1])
    controller.unobserve(account, keyPath: "balance")
    screen.kvoController.unobserve(account)
    screen.kvoControllerNonRetaining.unobserveAll()
    account.balance = 2
    #expect(screen.heard == [1, 1, 1])
  }

  @Test("RACObserve, and a path by name until an observer is deallocated")
  func reactive() async {
    let typed = RACObserve(account, \.balance)
    var named = account.rac_values(forKeyPath: "balance", as: Int.self, observer: screen)
      .makeAsyncIterator()
    account.balance = 1
    var values = typed.makeAsyncIterator()
    #expect(await values.next() == 0)
    #expect(await values.next() == 1)
    #expect(await named.next() == .some(0))
    #expect(await named.next() == .some(1))
  }
}
