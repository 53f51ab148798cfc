import KVOSafety
import Testing

@testable import KVOSafetyTesting

/// A screen whose call sites tests know by line: do not move these lines.
private final class Page {
  // Deallocated before the account is.
  private var token: ObservationToken?
  private let account: Account
  private var count = 0

  init(_ account: Account) { self.account = account }

  func observeStrongly() {
    token = account.observe(\.balance) { _, _ in self.count += 1 }
  }

  func observeWeakly() {
    token = account.observe(\.balance) { [weak self] _, _ in self?.count += 1 }
  }
}

private func openStrongly(_ account: Account = Account()) {
  let page = Page(account)
  page.observeStrongly()
}

private func openWeakly() {
  let account = Account()
  let page = Page(account)
  page.observeWeakly()
  account.balance = 1
}

/// Observes an account by a controller, with a handler that captures nothing.
private final class ControlledPage {
  let account = OwningAccount()

  func observe(keepsPage: Bool) {
    if keepsPage { account.owned = self }
    ObservationController.of(self).observe(account, \.balance) { _, _, _ in }
  }
}

private final class OwningAccount: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(ObservableKey("balance", \OwningAccount.balance))

  var balance = 0
  var owned: AnyObject?
}

/// Why a scope around `body` fails, or nil.
private func failure(findsRetainCycles: Bool = true, _ body: () -> Void) -> String? {
  var failure: String?
  AuditedScope.run(
    name: "a scope",
    expectations: ScopeExpectations(findsRetainCycles: findsRetainCycles),
    report: { failure = $0.text },
    body
  )
  return failure
}

@Suite("Retain cycles at the end of a scope", .serialized)
struct RetainScopeTests {
  @Test("an observation that keeps its page alive fails the scope, drawn, with the lines of both")
  func cycle() throws {
    let text = try #require(failure { openStrongly() })
    let lines = text.split(separator: "\n").map(String.init)
    let cycle = lines.prefix { !$0.hasPrefix("  Signature") }
      .filter { $0.hasPrefix("  >") || !$0.contains("    #") }
      .map {
        $0.replacing(#/[a-z]#\d+/#) { "\($0.output.prefix(1))#N" }.replacing(
          #/, on thread \d+( \([^)]*\))?/#,
          with: ""
        )
        .replacing(#/\S {3,}/#) { "\($0.output.prefix(1)) " }
      }
    #expect(
      cycle == [
        "1 observation violation",
        "WARNING: KVOSafety: an observation keeps its owner alive (KVO019 observation-retain-cycle)",
        "  Page#N is kept alive by its own observation of \"balance\" of Account#N",
        "  > #0 (call) RetainScopeTests.swift:16",
        "  Registered at",
        "  > #0 Page.observeStrongly() RetainScopeTests.swift:16",
        "  The cycle",
        "    Page#N",
        "      ↓ token",
        "    ObservationToken#N",
        "      ↓ handler",
        "    closure#N",
        "      ↓ capture of self",
        "        ~~~~~~~~~~~~~~~ make this weak",
        "    Page#N",
        "  It leads to",
        "    A closure still observed \"balance\" of Account#N at the end of \"a scope\" "
          + "(KVO021 leaked-registration, 2:9654855944, seen once)",
        "  Fix: capture weakly: `account.observe(keyPath: \"balance\") { [weak self] _, _ in … }`",
      ]
    )
    // What it leads to stands under it, and nowhere else.
    #expect(text.matches(of: /KVO021/).count == 1)
  }

  @Test("one that captures it weakly does not, and is deallocated with its page")
  func weakly() { #expect(failure { openWeakly() } == nil) }

  @Test("a scope without a search finds the registration that was left, and no cycle")
  func notAsked() throws {
    let account = Account()
    let text = failure(findsRetainCycles: false) { openStrongly(account) }
    #expect(try #require(text).contains("KVO021"))
    #expect(try #require(text).contains("KVO019") == false)
  }

  @Test(
    "a test that expects a cycle expects what follows from it",
    .audited(expecting: .observationRetainCycle)
  )
  func expectedAlone() { openStrongly() }

  @Test(
    "a test can expect a cycle",
    .audited(expecting: .observationRetainCycle, .leakedRegistration)
  )
  func expected() { openStrongly() }

  @Test("an expected deallocation that an older observation prevents fails the scope")
  func survivor() throws {
    let account = Account()
    let page = Page(account)
    page.observeStrongly()
    let text = failure {
      let token = account.observe(\.balance) { _, _ in }
      KVO.expectDeallocation(of: page, within: .seconds(3600))
      token.invalidate()
    }
    #expect(try #require(text).contains("KVO019"))
  }

  @Test("an account that a controller keeps, and that holds the page of the controller, fails it")
  func controlled() throws {
    weak var left: ControlledPage?
    let text = failure {
      let page = ControlledPage()
      page.observe(keepsPage: true)
      left = page
    }
    #expect(left != nil)
    let lines = try #require(text).split(separator: "\n").map {
      $0.replacing(#/#\d+|^ +/#, with: "")
    }
    let cycle = lines.drop { $0 != "The cycle" }.prefix { !$0.hasPrefix("It leads to") }
    #expect(
      cycle == [
        "The cycle", "ControlledPage", "↓ ObservationController.of", "ObservationController",
        "↓ observed object", "OwningAccount", "↓ owned", "~~~~~ make this weak", "ControlledPage",
      ]
    )
    #expect(try #require(text).matches(of: /KVO019/).count == 1)
    left?.account.owned = nil
    #expect(left == nil)
  }

  @Test("one that does not hold the page is deallocated with it")
  func controlledAlone() {
    weak var left: ControlledPage?
    let text = failure {
      let page = ControlledPage()
      page.observe(keepsPage: false)
      left = page
    }
    #expect(left == nil)
    #expect(text == nil)
  }

  @Test("a page that outlives the scope and ends with its controller afterwards is not a cycle")
  func controlledOutside() throws {
    var page: ControlledPage? = ControlledPage()
    weak let left = page
    let text = failure { page?.observe(keepsPage: false) }
    #expect(try #require(text).contains("KVO021"))
    #expect(try #require(text).contains("KVO019") == false)
    page = nil
    #expect(left == nil)
  }
}
