import KVORules
import TestSupport
import Testing

@testable import KVOSafety

/// Changes its balance in its own deinit, and does there what a test asks for.
private final class Purse: KeyValueObservable, @unchecked Sendable {
  // Sendable: tests use it on one thread at a time.
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("balance", \Purse.balance))
  var balance = 0 {
    willSet { willChangeValue(for: \.balance) }
    didSet { didChangeValue(for: \.balance) }
  }
  private let last: (Purse) -> Void
  init(last: @escaping (Purse) -> Void = { $0.balance = -1 }) { self.last = last }
  deinit { last(self) }
}

/// A purse that is released on another thread.
private final class Pocket: @unchecked Sendable {
  // Sendable: as `Purse`.
  var purse: Purse?
  init(_ purse: Purse) { self.purse = purse }
}

/// Leads to a purse, which it does not keep alive.
private final class Finder: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("purse", \Finder.purse, isWeak: true)
  )
  weak var purse: Purse? {
    willSet { willChangeValue(for: \.purse) }
    didSet { didChangeValue(for: \.purse) }
  }
}

@Suite("What an object does in its own deinit")
struct OwnDeinitTests {
  // The oracle of these tests is the runtime: it ends the process if something keeps the object.

  @Test("a change elsewhere is not handed to the actor of its observer")
  func notHandedOver() async throws {
    let result = try await #require(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) { @MainActor in
      let pocket = Pocket(Purse())
      var heard: [Int] = []
      let token = pocket.purse?.observe(\.balance, options: .new) { _, change in
        heard.append(change.newValue ?? 0)
      }
      onThread { pocket.purse = nil }
      await Task { @MainActor in }.value
      precondition(heard.isEmpty && token?.isActive == false)
    }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("(KVO023"))
  }

  @Test("observing itself there leaves no record for the next object at its address")
  func noRecordIsLeft() {
    let finder = Finder()
    var token: ObservationToken?
    for _ in 0..<20 {
      let purse = Purse { purse in
        token = purse.observe(\.balance) { _, _ in }
        purse.balance = 2
      }
      finder.purse = purse
      let path = finder.observe(\.purse?.balance) { _, _ in }
      // The next purse often has the address of this one.
      let record = ObjectTable.shared.record(of: purse)
      #expect(record.object === purse)
      finder.purse = nil
      path.invalidate()
    }
    #expect(token?.isActive == false)
  }

  @Test("a controller that it asks for there is released, and so is one that it is given")
  func controller() {
    weak var asked: ObservationController<Purse>?
    weak var given: ObservationController<Purse>?
    do {
      _ = Purse { purse in
        asked = .of(purse)
        ObservationController.of(purse).unobserveAll()
        let controller = ObservationController(owner: purse, retainsObserved: false)
        ObservationController.set(controller, of: purse, retainsObserved: false)
        given = controller
      }
    }
    #expect(asked == nil)
    #expect(given == nil)
  }

  @Test("its own controller is still the one that it has")
  func knownController() {
    let account = Account()
    var isSame = false
    do {
      let known = Box<ObjectIdentifier?>(nil)
      let purse = Purse { isSame = ObjectIdentifier(ObservationController.of($0)) == known.value }
      let controller = ObservationController.of(purse)
      controller.observe(account, \.balance) { _, _, _ in }
      known.value = ObjectIdentifier(controller)
    }
    #expect(isSame)
    #expect(KVO.census(of: account).isEmpty)
  }

  @Test("a token that is bound to it there ends")
  func boundToken() {
    let account = Account()
    do {
      _ = Purse { account.observe(\.balance) { _, _ in Issue.record("called") }.bind(to: $0) }
    }
    #expect(KVO.census(of: account).isEmpty)
    account.balance = 1
  }
}

private final class Box<Value> {
  var value: Value
  init(_ value: Value) { self.value = value }
}
