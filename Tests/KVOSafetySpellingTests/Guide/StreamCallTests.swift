#if Macros
import KVOSafety
import KVOSafetySpelling
import Testing

/// The calls of the guide's tables on ReactiveObjC, as people write them.
@Suite("The guide's calls: ReactiveObjC")
struct StreamCallTests {
  private let account = Account()
  private let screen: Screen

  init() {
    screen = Screen(account: account)
    account.owner = Person()
  }

  @Test("values by key path, with either name, and by name")
  func values() async {
    await screen.takeValues()
    #expect(screen.heard == ["", "Ada", "", "Ada", "", "Ada"])
  }

  @Test("changes, and what a stream keeps")
  func changes() async {
    let changes = account.changes(of: \.balance, options: [.old, .new], boundTo: screen)
    let newest = account.values(for: \.balance, buffering: .newest(1))
    let oldest = account.values(for: \.balance, buffering: .oldest(1))
    account.balance = 1
    var iterator = changes.makeAsyncIterator()
    #expect(await iterator.next()?.oldValue == 0)
    var values = newest.makeAsyncIterator()
    #expect(await values.next() == 1)
    #expect(newest.droppedCount == 1)
    #expect(oldest.droppedCount == 1)
    let all = account.values(for: \.balance, buffering: .unbounded)
    #expect(all.droppedCount == 0)
  }
}

/// Calls with `self`, as they stand in a class.
extension Screen {
  fileprivate func takeValues() async {
    let ported = RACObserve(account, \.owner?.name)
    let named = account.values(forKeyPath: "owner.name", as: String.self, boundTo: self)
    Task { [owner = account.owner] in owner?.name = "Ada" }
    for await name in account.values(for: \.owner?.name, boundTo: self) {
      heard.append(name ?? "nil")
      if name == "Ada" { break }
    }
    for await name in ported {
      heard.append(name ?? "nil")
      if name == "Ada" { break }
    }
    for await name in named {
      heard.append(name ?? "nil")
      if name == "Ada" { break }
    }
  }
}
#endif
