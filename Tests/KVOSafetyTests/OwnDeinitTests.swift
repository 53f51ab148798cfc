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
}
