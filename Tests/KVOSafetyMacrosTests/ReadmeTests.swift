#if Macros
import Foundation
import KVOSafety
import TestSupport
import Testing

// The classes of the README, open to subclasses.
private enum Readme {
  @KeyValueObservable
  class Account {
    var balance = 0.0
    var owner: Owner?
    @KeyValue(affectedBy: "balance", "owner.name") var summary: String {
      "\(owner?.name ?? "nobody") has \(balance)"
    }
  }

  @KeyValueObservable
  class Owner {
    var name: String
    init(_ name: String) { self.name = name }
  }

  final class SavingsAccount: Account {}
}

private final class ReadmeScreen: KeyValueObserver {
  static let context = ObservationContext()
  let account: Readme.Account
  var token: ObservationToken?
  var heard: [String] = []

  init(_ account: Readme.Account) { self.account = account }

  func observeValue(
    forKeyPath keyPath: String,
    of object: any KeyValueObservable,
    change: ObservedChange<Any>,
    context: ObservationContext?
  ) -> NotificationHandling {
    guard context === Self.context else { return .unhandled }
    heard.append("classic \(keyPath) \(change.newValue ?? "none")")
    return .handled
  }

  func classic(while body: () -> Void) {
    account.addObserver(self, forKeyPath: "balance", options: [.old, .new], context: Self.context)
    body()
    account.removeObserver(self, forKeyPath: "balance", context: Self.context)
  }

  func modern() {
    token = account.observe(\.balance, options: [.old, .new]) { [weak self] account, change in
      self?.heard.append("token \(change.oldValue ?? -1) \(account.balance)")
    }
    ObservationController.of(self).observe(account, \.balance) { screen, account, change in
      screen.heard.append("controller \(account.balance)")
    }
  }

  func names() async -> [String?] {
    var names: [String?] = []
    for await name in account.values(for: \.owner?.name, boundTo: self) {
      names.append(name)
      switch names.count {
      case 1: account.owner = Readme.Owner("Ada")
      case 2: account.owner?.name = "Grace"
      default: return names
      }
    }
    return names
  }
}

@Suite("The first examples of the README, on classes that are not final")
struct ReadmeTests {
  @Test("each form is notified of each change", arguments: [false, true])
  func forms(ofSubclass isSubclass: Bool) async {
    let account = isSubclass ? Readme.SavingsAccount() : Readme.Account()
    let screen = ReadmeScreen(account)
    screen.classic { account.balance = 1 }
    account.balance = 2
    screen.modern()
    account.balance = 3
    screen.token?.invalidate()
    #expect(screen.heard == ["classic balance 1.0", "token 2.0 3.0", "controller 3.0"])
    #expect(await screen.names() == [nil, "Ada", "Grace"])
    var summaries: [String?] = []
    let token = account.observe(\.summary, options: .new) { summaries.append($1.newValue) }
    account.owner?.name = "Edsger"
    token.invalidate()
    #expect(summaries == ["Edsger has 3.0"])
    #expect(#keyPathName(account, \.owner?.name) == "owner.name")
  }

  @Test("the README has these calls")
  func text() throws {
    let document = ProgramRun.package.appending(path: "README.md")
    let readme = try String(contentsOf: document, encoding: .utf8)
    let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
    let calls = [
      #"account.addObserver(self, forKeyPath: "balance", options: [.old, .new], context: Self.context)"#,
      #"account.removeObserver(self, forKeyPath: "balance", context: Self.context)"#,
      #"token = account.observe(\.balance, options: [.old, .new]) {"#,
      #"ObservationController.of(self).observe(account, \.balance) { screen, account, change in"#,
      #"for await name in account.values(for: \.owner?.name, boundTo: self) {"#,
      #"@KeyValue(affectedBy: "balance", "owner.name") var summary: String {"#,
    ]
    for call in calls {
      #expect(readme.contains(call))
      #expect(source.contains("  " + call), "not what the tests run")
    }
  }
}
#endif
