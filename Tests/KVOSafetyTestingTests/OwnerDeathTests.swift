import KVOSafety
import Testing

@testable import KVOSafetyTesting

/// What a scope around `body` finds.
private func failure(_ body: () -> Void) -> String? {
  var failure: String?
  AuditedScope.run(
    name: "a scope",
    expectations: ScopeExpectations(),
    report: { failure = $0.text },
    body
  )
  return failure
}

/// Observes an account by `observe`, and changes it twice while it is being deallocated.
private final class Owner {
  let account: Account
  var kept: [ObservationToken] = []
  var controller: ObservationController<Owner>?

  init(_ account: Account, _ observe: (Owner) -> Void) {
    self.account = account
    observe(self)
  }

  deinit {
    account.balance = 1
    account.balance = 2
  }
}

@Suite("Owners of observations that are deallocated")
struct OwnerDeathTests {
  @Test("miss no change that they make in their deinit")
  func changesInDeinit() {
    let forms: [(Owner) -> Void] = [
      { ObservationController.of($0).observe($0.account, \.balance) { _, _, _ in } },
      {
        $0.controller = ObservationController(owner: $0)
        $0.controller?.observe($0.account, \.balance) { _, _, _ in }
      },
      { owner in owner.account.observe(\.balance) { _, _ in }.bind(to: owner) },
      { owner in owner.kept.append(owner.account.observe(\.balance) { _, _ in }) },
    ]
    for (index, form) in forms.enumerated() {
      let found = failure {
        let account = Account()
        do { _ = Owner(account, form) }
        account.balance = 3
      }
      #expect(found == nil, "form \(index)")
    }
  }

  @Test("do not drop their tokens at once if nothing changes")
  func unchanged() {
    final class Screen {
      var tokens: [ObservationToken] = []
      func appear(_ account: Account) { tokens.append(account.observe(\.balance) { _, _ in }) }
      func disappear() { tokens = [] }
    }
    let account = Account()
    #expect(
      failure {
        let screen = Screen()
        screen.appear(account)
        screen.disappear()
        screen.appear(account)
      } == nil
    )
    let dropped = failure { _ = account.observe(\.balance) { _, _ in } }
    #expect(dropped?.contains("KVO031") == true)
  }

  @Test("do not drop their tokens at once in an asynchronous function")
  func unchangedAsynchronously() async {
    final class Screen {
      private let account = Account()
      private var token: ObservationToken?
      func appear() { token = account.observe(\.balance) { _, _ in } }
      func load() async { token = account.observe(\.balance) { _, _ in } }
      func disappear() { token = nil }
    }
    func failure(_ body: () async -> Void) async -> String? {
      var failure: String?
      await AuditedScope.run(
        name: "a scope",
        expectations: ScopeExpectations(),
        report: { failure = $0.text },
        body
      )
      return failure
    }
    let stored = await failure {
      let screen = Screen()
      screen.appear()
      screen.disappear()
      screen.appear()
      screen.appear()
      screen.disappear()
      await screen.load()
      screen.disappear()
    }
    #expect(stored == nil)
    let account = Account()
    let dropped = await failure {
      _ = account.observe(\.balance) { _, _ in }
      await Task.yield()
    }
    #expect(dropped?.contains("KVO031") == true)
  }
}
