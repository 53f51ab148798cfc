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
    #expect(screen.heard == ["Ada", "", "Ada", "", "Ada"])
  }

  @Test("changes, and what a stream keeps")
  func changes() async {
    let changes = screen.changes()
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

  @Test("what brought a change about, and several loops")
  func transitions() async {
    var transitions = account.transitions(of: \.owner?.name).makeAsyncIterator()
    let shared = account.sharedValues(for: \.balance)
    account.owner?.name = "Ada"
    #expect(await transitions.next()?.affectedOnlyLastPart == false)
    let change = await transitions.next()
    #expect(change?.affectedOnlyLastPart == true)
    #expect(change?.wasCausedByDeallocation == false)
    for _ in 0..<2 {
      var loop = shared.makeAsyncIterator()
      #expect(await loop.next() == 0)
    }
  }

  @Test("assignments and bindings")
  @MainActor
  func bindings() async {
    let account = Account()
    let copy = Account()
    let meter = Meter()
    let task = account.values(for: \.balance).assign(to: \.value, on: meter)
    let binding = account.bind(\.balance, to: \.balance, of: copy)
    copy.balance = 5
    while meter.value != 5 { await Task.yield() }
    #expect(account.balance == 5)
    binding.invalidate()
    task.cancel()
  }

  @Test("every element of a collection")
  func elements() {
    let team = Team()
    var heard: [String] = []
    let observation = team.observeEach(\.members, \.name) { team, member, change in
      heard.append(member.name)
    }
    team.members = [Person()]
    team.members.first?.name = "Ada"
    #expect(heard == ["Ada"])
    observation.invalidate()
  }

  @Test("what a class says of its keys at run time")
  func runtimeKeys() {
    let gauge = Gauge()
    var count = 0
    let tokens = [
      gauge.observe(\.isOver) { _, _ in count += 1 },
      gauge.observe(\.limit) { _, _ in count += 10 },
    ]
    gauge.value = 2
    gauge.limit = 3
    #expect(count == 1)
    #expect(tokens.count == 2)
  }

  @Test("duplicates that are coalesced")
  func duplicates() {
    var policy = ObservationPolicy()
    policy.coalescesDuplicates = true
    #expect(policy.coalescesDuplicates)
  }
}

/// Calls with `self`, as they stand in a class.
extension Screen {
  fileprivate func changes() -> ObservedValues<ObservedChange<Double>> {
    account.changes(of: \.balance, options: [.old, .new], boundTo: self)
  }

  fileprivate func takeValues() async {
    var balances = account.values(for: \.balance, boundTo: self).makeAsyncIterator()
    if await balances.next() != 0 { heard.append("another balance") }
    let ported = RACObserve(account, \.owner?.name)
    let named = account.values(forKeyPath: "owner.name", as: String.self, boundTo: self)
    account.owner?.name = "Ada"
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
