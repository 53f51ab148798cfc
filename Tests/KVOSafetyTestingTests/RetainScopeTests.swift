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
}
