import KVORules
import Testing

@testable import KVOSafety

private final class Screen {
  var heard: [String] = []
  private(set) lazy var observations = ObservationController(owner: self)
}

@Suite("The controller form")
struct ControllerTests {
  @Test("nothing remains of a controller")
  func leavesNothing() {
    let account = Account()
    var address: UInt = 0
    do {
      let screen = Screen()
      screen.observations.observe(account, \.balance) { _, _, _ in }
      address = ObjectTable.address(of: screen.observations.identity)
      #expect(ObjectTable.shared.knownRecord(at: address) != nil)
    }
    // Another object may have the address by now.
    #expect(ObjectTable.shared.knownRecord(at: address).map { $0.object != nil } != false)
  }

  @Test("observations end with the owner, without a word")
  func endsWithOwner() {
    let account = Account()
    let found = verdicts(about: account) {
      do {
        let screen = Screen()
        screen.observations.observe(account, \.balance, options: .new) { screen, object, change in
          #expect(object === account)
          screen.heard.append(line("balance", change))
        }
        account.balance = 1
        #expect(screen.heard == ["balance setting to 1"])
      }
      #expect(KVO.census(of: account).isEmpty)
      account.balance = 2
    }
    #expect(found.isEmpty)
  }

  @Test("observations end when the owner is deallocated, even if the controller is retained")
  func ownerDiesFirst() {
    let account = Account()
    var controller: ObservationController<Screen>?
    let found = verdicts(about: account) {
      do {
        let screen = Screen()
        controller = ObservationController(owner: screen)
        controller?.observe(account, \.balance) { _, _, _ in Issue.record("the owner is dead") }
      }
      account.balance = 1
      #expect(KVO.census(of: account).isEmpty)
      controller = nil
    }
    #expect(found.isEmpty)
  }

  @Test("observations of one key path, one object and all are ended")
  func unobserves() {
    let first = Account()
    let second = Account()
    let screen = Screen()
    let observations = screen.observations
    for account in [first, second] {
      observations.observe(account, keyPaths: ["balance", "owner"]) { screen, _, keyPath, _ in
        screen.heard.append(keyPath)
      }
    }
    observations.unobserve(first, \.balance)
    first.balance = 1
    first.owner = nil
    #expect(screen.heard == ["owner"])
    observations.unobserve(first)
    first.owner = nil
    #expect(screen.heard == ["owner"])
    second.balance = 1
    #expect(screen.heard == ["owner", "balance"])
    observations.unobserveAll()
    observations.unobserveAll()
    second.owner = nil
    #expect(screen.heard == ["owner", "balance"])
  }

  @Test("observed objects are kept alive while they are observed, unless that is not wanted")
  func retention() {
    let keeping = Screen()
    weak var kept: Account?
    do {
      let account = Account()
      kept = account
      keeping.observations.observe(account, \.balance) { _, _, _ in }
    }
    #expect(kept != nil)
    keeping.observations.unobserveAll()
    #expect(kept == nil)

    let letting = Screen()
    let controller = ObservationController(owner: letting, retainsObserved: false)
    weak var released: Account?
    let found = verdicts(where: { $0.code == .observedDeinitWhileObserved }) {
      let account = Account()
      released = account
      controller.observe(account, \.balance) { _, _, _ in }
    }
    #expect(released == nil)
    #expect(found.count >= 1)
  }

  @Test("an observation can be ended inside its own initial notification, in silence")
  func endedInsideInitial() {
    let account = Account()
    let screen = Screen()
    let found = verdicts(about: account) {
      screen.observations.observe(account, \.balance, options: .initial) { screen, account, _ in
        screen.heard.append("initial")
        screen.observations.unobserve(account)
      }
      account.balance = 1
    }
    // It is a fault of the classic form alone.
    #expect(found.map(\.code) == [])
    #expect(screen.heard == ["initial"])
    #expect(KVO.census(of: account).isEmpty)
  }
}
