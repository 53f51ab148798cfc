import Testing

@testable import KVOSafety

@Suite("Options")
struct OptionTests {
  /// What a classic observer hears of `balance = 1; balance = 2`, and whether each option alone and
  /// together with others brings what it says.
  @Test(
    "each combination of options brings its notifications and values",
    arguments: [
      ([], ["after"]),
      ([.new], ["after to 1"]),
      ([.old], ["after from 0"]),
      ([.old, .new], ["after from 0 to 1"]),
      ([.initial], ["initial", "after"]),
      ([.initial, .new], ["initial to 0", "after to 1"]),
      ([.initial, .old], ["initial", "after from 0"]),
      ([.initial, .old, .new], ["initial to 0", "after from 0 to 1"]),
      ([.prior], ["prior", "after"]),
      ([.prior, .new], ["prior", "after to 1"]),
      ([.prior, .old], ["prior from 0", "after from 0"]),
      ([.prior, .old, .new], ["prior from 0", "after from 0 to 1"]),
      ([.initial, .prior], ["initial", "prior", "after"]),
      ([.initial, .prior, .new], ["initial to 0", "prior", "after to 1"]),
      ([.initial, .prior, .old], ["initial", "prior from 0", "after from 0"]),
      (
        [.initial, .prior, .old, .new],
        ["initial to 0", "prior from 0", "after from 0 to 1"]
      ),
    ] as [(ObservingOptions, [String])]
  )
  func combinations(options: ObservingOptions, expected: [String]) {
    let account = Account()
    let listener = Listener()
    account.addObserver(listener, forKeyPath: "balance", options: options)
    let initialCount = listener.heard.count
    account.balance = 1
    account.removeObserver(listener, forKeyPath: "balance")
    let heard = listener.heard.enumerated().map { index, line in
      let isPrior = line.contains(" prior")
      let phase = index < initialCount ? "initial" : isPrior ? "prior" : "after"
      return line.replacing("balance setting", with: phase).replacing("prior prior", with: "prior")
    }
    #expect(heard == expected)
  }

  @Test("an observer added inside a change is notified of its end, a removed one is not")
  func changesDuringRegistration() {
    let account = Account()
    let early = Listener()
    let late = Listener()
    let found = verdicts(about: account) {
      account.addObserver(early, forKeyPath: "balance", options: [.new])
      account.willChangeValue(for: \.balance)
      account.addObserver(late, forKeyPath: "balance", options: [.new])
      account.removeObserver(early, forKeyPath: "balance")
      account.didChangeValue(for: \.balance)
      account.removeObserver(late, forKeyPath: "balance")
    }
    #expect(early.heard.isEmpty)
    #expect(late.heard == ["balance setting to 0"])
    #expect(found.isEmpty)
  }

  @Test("a first observer added inside a change is notified of its end, and nothing is reported")
  func firstObserverDuringChange() {
    let account = Account()
    let listener = Listener()
    account.willChangeValue(for: \.balance)
    let found = verdicts(about: account) {
      account.addObserver(listener, forKeyPath: "balance")
      account.didChangeValue(for: \.balance)
      account.removeObserver(listener, forKeyPath: "balance")
    }
    #expect(listener.heard == ["balance setting"])
    #expect(found.isEmpty)
  }
}
