#if Macros
import KVOSafety
import KVOSafetySpelling
import Synchronization
import Testing

/// The calls of the guide's tables on Foundation's forms, as people write them.
@Suite("The guide's calls: Foundation")
struct FoundationCallTests {
  private let account = Account()
  private let screen: Screen

  init() { screen = Screen(account: account) }

  @Test("the classic form")
  func classic() {
    screen.observeInClassicForm()
    account.balance = 1
    screen.stopInClassicForm()
    account.balance = 2
    #expect(screen.heard == ["balance 1.0"])
    #expect(#keyPathName(\Account.owner?.name) == "owner.name")
    #expect(Screen.ownContext == Screen.ownContext)
    #expect(Screen.ownContext != ObservationContext("screen"))
  }

  @Test("the classic form of an observer that is bound to the main actor")
  @MainActor
  func mainActor() {
    let account = Account()
    let screen = MainScreen(account: account)
    account.balance = 3
    #expect(screen.heard == ["balance 3.0"])
  }

  @Test("the block form")
  func block() {
    screen.observeInBlockForm()
    account.balance = 1
    #expect(screen.log.lines == ["0.0 1.0"])
    screen.token?.invalidate()
    screen.token?.invalidateAndWait()
    account.balance = 2
    #expect(screen.log.lines.count == 1)
    var texts: [String] = []
    let options: NSKeyValueObservingOptions = [.new]
    let old: NSKeyValueObservation = account.observe(
      \.balance,
      options: options,
      changeHandler: { (_, change: NSKeyValueObservedChange<Double>) in texts.append("\(change)") }
    )
    account.balance = 3
    #expect(texts == ["{\n    kind = 1;\n    new = 3.0;\n}"])
    let labeled = account.observe(\.balance, handler: { _, _ in texts.append("labeled") })
    account.balance = 4
    #expect(texts.last == "labeled")
    withExtendedLifetime((old, labeled)) {}
  }

  @Test("a token in its own handler, and tokens that are bound")
  func tokens() {
    var heard: [Double?] = []
    let token = account.observe(\.balance, options: [.initial, .new]) { account, change, token in
      heard.append(change.newValue)
      token.invalidate()
    }
    screen.observeBound()
    account.balance = 4
    #expect(heard == [0])
    #expect(screen.heard == ["bound", "as long as the object"])
    #expect(token.object === account)
    #expect(token.keyPath == nil)
  }

  @Test("key-value coding, and collections by element")
  func coding() throws {
    try account.setValue(5, forKey: "balance")
    #expect(try account.value(forKey: "balance") as? Double == 5)
    account.owner = Person()
    try account.setValue("Ada", forKeyPath: "owner.name")
    #expect(try account.value(forKeyPath: "owner.name") as? String == "Ada")
    account.mutableValues(of: \.tags).append("new")
    account.mutableValues(of: \.rates)["EUR"] = 1.1
    #expect(account.tags == ["new"])
    #expect(account.rates == ["EUR": 1.1])
    let indexes = RangeSet(0..<1)
    try account.willChange(.insertion, valuesAt: indexes, for: \.tags)
    account.tags.insert("first", at: 0)
    account.didChange(.insertion, valuesAt: indexes, for: \.tags)
    #expect(account.tags == ["first", "new"])
    account.cents = 700
    #expect(account.balance == 7)
  }

  @Test("changes that are handed to an actor, and those of any thread")
  @MainActor
  func hops() async {
    let account = Account()
    await withCheckedContinuation { continuation in
      let token = account.observeOnMainActor(\.balance) { hopped in continuation.resume() }
      account.balance = 1
      token.bind(to: account)
    }
    let changes = Atomic(0)
    let token = account.observeOnAnyThread(\.balance) { _, _ in
      changes.wrappingAdd(1, ordering: .relaxed)
    }
    account.balance = 2
    token.invalidate()
    account.balance = 3
    #expect(changes.load(ordering: .relaxed) == 1)
  }
}

/// Calls with `self`, as they stand in a class.
extension Screen {
  fileprivate func observeInClassicForm() {
    account.addObserver(
      self,
      forKeyPath: "balance",
      options: [.old, .new],
      context: Self.ownContext
    )
    account.addObserver(self, forKeyPath: "limit")
  }

  fileprivate func stopInClassicForm() {
    account.removeObserver(self, forKeyPath: "balance", context: Self.ownContext)
    account.removeObserver(self, forKeyPath: "limit")
  }

  fileprivate func observeInBlockForm() {
    let log = log
    token = account.observe(\.balance, options: [.old, .new]) { account, change in
      log.lines.append("\(change.oldValue ?? -1) \(change.newValue ?? -1)")
      print(change)
    }
  }

  fileprivate func observeBound() {
    account.observe(\.balance) { [weak self] _, _ in self?.heard.append("bound") }.bind(to: self)
    account.observe(\.balance) { [weak self] _, _ in
      self?.heard.append("as long as the object")
    }.bindToObject()
  }
}
#endif
