import KVORules
import TestSupport
import Testing

@testable import KVOSafety

private final class Label {
  var text = 0
}

@Suite("Assignments and bindings")
struct BindingTests {
  private let account = Account()
  private let other = Account()

  @Test("both sides are equal at first, and whichever is set")
  func bothWays() {
    account.balance = 1
    other.balance = 5
    let binding = account.bind(\.balance, to: \.balance, of: other)
    #expect(other.balance == 1)
    account.balance = 2
    #expect(other.balance == 2)
    other.balance = 3
    #expect(account.balance == 3)
    #expect(binding.isActive)
    binding.invalidate()
    other.balance = 4
    account.balance = 6
    #expect(account.balance == 6)
    #expect(other.balance == 4)
    #expect(!binding.isActive)
  }

  @Test("a set writes the other side once, and is not sent back")
  func doesNotLoop() {
    let binding = account.bind(\.balance, to: \.balance, of: other)
    var heard: [String] = []
    let tokens = [
      account.observe(\.balance, options: [.new]) { heard.append(line("account", $1)) },
      other.observe(\.balance, options: [.new]) { heard.append(line("other", $1)) },
    ]
    let found = verdicts(about: account) { account.balance = 1 }
    #expect(heard.sorted() == ["account setting to 1", "other setting to 1"])
    #expect(found.isEmpty)
    withExtendedLifetime((binding, tokens)) {}
  }

  @Test("bindings that form a cycle end where they began")
  func cycle() {
    let third = Account()
    var count = 0
    let bindings = [
      account.bind(\.balance, to: \.balance, of: other),
      other.bind(\.balance, to: \.balance, of: third),
      third.bind(\.balance, to: \.balance, of: account),
    ]
    let token = account.observe(\.balance) { _, _ in count += 1 }
    for object in [account, other, third] {
      object.balance += 1
      #expect(
        [account.balance, other.balance, third.balance]
          == Array(repeating: object.balance, count: 3)
      )
    }
    // Each of the three statements sets it once at the most itself, and once from either side.
    #expect(count <= 9)
    withExtendedLifetime((bindings, token)) {}
  }

  @Test("a binding keeps neither side alive, and ends when it is released")
  func keepsNothing() {
    weak var gone: Account?
    var binding: ObservedBinding?
    let found = verdicts(about: account) {
      let short = Account()
      gone = short
      binding = account.bind(\.balance, to: \.balance, of: short)
      #expect(binding?.isActive == true)
      binding = nil
    }
    #expect(gone == nil)
    #expect(found.isEmpty)
    #expect(KVO.census(of: account).isEmpty)
  }

  @Test("values are assigned until they end, and neither side is kept alive")
  @MainActor
  func assigns() async {
    var account: Account? = Account()
    weak let observed = account
    let label = Label()
    let task = account?.values(for: \.balance).assign(to: \.text, on: label)
    account?.balance = 1
    while label.text != 1 { await Task.yield() }
    account?.balance = 2
    account = nil
    #expect(observed == nil)
    await task?.value
    #expect(label.text == 2)
  }

  @Test("an assignment ends when its object is deallocated")
  @MainActor
  func endsWithTarget() async {
    let account = Account()
    weak var target: Label?
    let task: Task<Void, Never>
    do {
      let label = Label()
      target = label
      task = account.values(for: \.balance, boundTo: label).assign(to: \.text, on: label)
    }
    #expect(target == nil)
    await task.value
    #expect(KVO.census(of: account).isEmpty)
  }
}
