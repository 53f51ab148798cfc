import Testing

@testable import KVOSafety

/// An actor that is late.
private actor Clerk {
  private(set) var count = 0

  /// Executes the calls only when all of them wait.
  func wait(for calls: Int) {
    guard let expected = ExpectedExecutor.of(self) else { return }
    for _ in 0..<calls { expected.hand({ self.assumeIsolated { $0.count += 1 } }, to: self) }
    expected.makeWaitingCalls()
  }
}

/// Nothing is timed here; quadratic time would take minutes instead of seconds.
@Suite("Many observations")
struct ScaleTests {
  enum Order: CaseIterable { case creation, reverse, random, death }

  @Test(
    "of one object end in any order, and the rest stay as they are",
    arguments: Order.allCases
  )
  func oneObject(order: Order) {
    var account: Account? = Account()
    var heard: [Int] = []
    var tokens: [ObservationToken] = []
    for number in 0..<20_000 {
      guard let token = account?.observe(\.balance, handler: { _, _ in heard.append(number) })
      else { continue }
      tokens.append(token)
    }
    switch order {
    case .creation: break
    case .reverse: tokens.reverse()
    case .random: tokens.shuffle()
    case .death:
      // Each observation that its deallocation ends is reported, 20,000 times; the reports are dropped here.
      _ = verdicts(where: { _ in false }) { account = nil }
    }
    if order != .death {
      for token in tokens.dropLast(3) { token.invalidate() }
      account?.balance = 1
      #expect(heard == heard.sorted())
      #expect(heard.count == 3)
    }
    for token in tokens { token.invalidate() }
    #expect(tokens.allSatisfy { !$0.isActive })
  }

  @Test("of as many objects by one controller end one by one")
  func oneController() {
    let owner = Listener()
    let controller = ObservationController(owner: owner)
    var heard = 0
    let accounts = (0..<20_000).map { _ in Account() }
    for account in accounts { controller.observe(account, \.balance) { _, _, _ in heard += 1 } }
    for account in accounts.dropLast(2) { controller.unobserve(account, \.balance) }
    for account in accounts { account.balance = 1 }
    #expect(heard == 2)
    controller.unobserveAll()
    for account in accounts { account.balance = 2 }
    #expect(heard == 2)
  }

  @Test("whose callbacks wait for their actor")
  func waitingCalls() async {
    let clerk = Clerk()
    await clerk.wait(for: 400_000)
    #expect(await clerk.count == 400_000)
  }
}
