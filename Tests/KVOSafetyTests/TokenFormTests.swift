import KVORules
import Testing

@testable import KVOSafety

@Suite("The token form")
struct TokenFormTests {
  @Test("a change is delivered until the token is invalidated; invalidating twice is silent")
  func deliversUntilInvalidated() {
    let account = Account()
    var heard: [String] = []
    let found = verdicts(about: account) {
      let token = account.observe(\.balance, options: [.old, .new]) { object, change in
        #expect(object === account)
        heard.append(line("balance", change))
      }
      account.balance = 1
      #expect(token.isActive)
      token.invalidate()
      #expect(!token.isActive)
      token.invalidate()
      account.balance = 2
    }
    #expect(heard == ["balance setting from 0 to 1"])
    #expect(found.isEmpty)
  }

  @Test("a dropped token ends its observation without a word")
  func dropsToken() {
    let account = Account()
    var count = 0
    let found = verdicts(about: account) {
      do {
        let token = account.observe(\.balance) { _, _ in count += 1 }
        account.balance = 1
        withExtendedLifetime(token) {}
      }
      account.balance = 2
    }
    #expect(count == 1)
    #expect(found.isEmpty)
    #expect(KVO.census(of: account).isEmpty)
  }

  @Test("tokens are kept in a set, in which each is itself")
  func set() {
    let account = Account()
    var count = 0
    let found = verdicts(about: account) {
      let first = account.observe(\.balance) { _, _ in count += 1 }
      var tokens: Set<ObservationToken> = [
        first, account.observe(\.balance) { _, _ in count += 1 },
      ]
      tokens.insert(first)
      #expect(tokens.count == 2)
      account.balance = 1
      tokens.remove(first)
      first.invalidate()
      account.balance = 2
      // Releasing the last token ends its observation.
      tokens = []
      account.balance = 3
    }
    #expect(count == 3)
    #expect(found.isEmpty)
  }

  @Test("two observations of one property are both called, in the order in which they were made")
  func twoObservations() {
    let account = Account()
    var heard: [Int] = []
    let found = verdicts(about: account) {
      let first = account.observe(\.balance) { _, _ in heard.append(1) }
      let second = account.observe(\.balance) { _, _ in heard.append(2) }
      account.balance = 1
      first.invalidate()
      account.balance = 2
      second.invalidate()
    }
    #expect(heard == [1, 2, 2])
    #expect(found.isEmpty)
  }

  @Test("the handler's captures are released when the token is invalidated")
  func releasesCaptures() {
    final class Captured {}
    let account = Account()
    weak var captured: Captured?
    let token: ObservationToken
    do {
      let object = Captured()
      captured = object
      token = account.observe(\.balance) { _, _ in withExtendedLifetime(object) {} }
    }
    #expect(captured != nil)
    token.invalidate()
    #expect(captured == nil)
  }

  @Test("neither the token nor the observation keeps the observed object alive")
  func keepsNobodyAlive() {
    weak var observed: Account?
    var token: ObservationToken?
    do {
      let account = Account()
      observed = account
      token = account.observe(\.balance) { _, _ in }
    }
    #expect(observed == nil)
    #expect(token?.isActive == false)
    token?.invalidate()
    token = nil
  }

  @Test("an optional value that becomes nil is a new value of nil, not a missing one")
  func optionalValues() {
    let account = Account(owner: Person("Ada"))
    var values: [String??] = []
    let token = account.observe(\.owner, options: [.new]) { _, change in
      values.append(change.newValue.map { $0?.name })
    }
    account.owner = nil
    account.owner = Person("Grace")
    token.invalidate()
    #expect(values == [.some(nil), .some("Grace")])
  }

  @Test("equal values notify as well")
  func equalValues() {
    let account = Account()
    var count = 0
    let token = account.observe(\.balance) { _, _ in count += 1 }
    account.balance = 0
    account.balance = 0
    token.invalidate()
    #expect(count == 2)
  }

  @Test("a property inherited from an observable class is observed through the subclass")
  func inheritedProperty() {
    let account = SavingsAccount()
    var heard: [String] = []
    let found = verdicts(about: account) {
      let tokens = [
        account.observe(\.balance, options: .new) { heard.append(line("balance", $1)) },
        account.observe(\.rate, options: .new) { heard.append(line("rate", $1)) },
        (account as Account).observe(\.balance) { heard.append(line("base", $1)) },
      ]
      account.balance = 1
      account.rate = 2
      tokens.forEach { $0.invalidate() }
    }
    #expect(heard == ["balance setting to 1", "base setting", "rate setting to 2"])
    #expect(found.isEmpty)
  }

  @Test("an append to an observed array is one change of the whole")
  func append() {
    let account = Account()
    var heard: [String] = []
    let token = account.observe(\.tags, options: [.old, .new]) { heard.append(line("tags", $1)) }
    account.tags.append("a")
    token.invalidate()
    #expect(heard == [#"tags setting from [] to ["a"]"#])
  }
}
