import KVORecorder
import KVORules
import KVOTrace
import Testing

@testable import KVOSafety

/// Policies are the process's: each is tried in a process of its own.
@Suite("Duplicates that are coalesced")
struct DuplicateCoalescingTests {
  @Test(
    "the second of two additions is reported with both call sites, and neither delivers nor is needed"
  )
  func classic() async {
    await #expect(processExitsWith: .success) {
      KVO.policy.coalescesDuplicates = true
      let account = Account()
      let listener = Listener()
      let found = verdicts(about: account) {
        Self.addTwice(listener, to: account)
        account.balance = 1
        #expect(KVO.census(of: account).count == 1)
        account.removeObserver(listener, forKeyPath: "balance")
        account.balance = 2
        account.removeObserver(listener, forKeyPath: "balance")
        account.balance = 3
      }
      #expect(listener.heard == ["balance setting to 1", "balance setting to 2"])
      #expect(found.count == 1)
      #expect(found.first?.code == .contextCollision)
      #expect(Set(found.first?.evidence.map(\.site) ?? []).count == 2)
      #expect(KVO.census(of: account).isEmpty)
    }
  }

  /// Not in the closure of the test, all of which has one line.
  private static func addTwice(_ listener: Listener, to account: Account) {
    account.addObserver(listener, forKeyPath: "balance", options: [.new])
    account.addObserver(listener, forKeyPath: "balance", options: [.initial, .new])
  }

  @Test("one removal more than there were additions is reported as ever")
  func removedTooOften() async {
    await #expect(processExitsWith: .success) {
      KVO.policy.coalescesDuplicates = true
      let account = Account()
      let listener = Listener()
      let found = verdicts(about: account) {
        for _ in 0..<3 { account.addObserver(listener, forKeyPath: "balance") }
        for _ in 0..<4 { account.removeObserver(listener, forKeyPath: "balance") }
      }
      #expect(found.map(\.code).last == .doubleRemove)
      #expect(found.filter { $0.code == .doubleRemove }.count == 1)
    }
  }

  @Test("many at once cost no more than few each; quadratic time would take minutes")
  func many() async {
    await #expect(processExitsWith: .success) {
      KVO.policy.coalescesDuplicates = true
      KVO.policy.setAll(.ignore)
      let accounts = (0..<4_000).map { _ in Account() }
      let listener = Listener()
      for account in accounts { Self.addTwice(listener, to: account) }
      for account in accounts { account.removeObserver(listener, forKeyPath: "balance") }
      #expect(KVO.census().count == 4_000)
      for account in accounts { account.removeObserver(listener, forKeyPath: "balance") }
      #expect(KVO.census().isEmpty)
    }
  }

  @Test("many observers of one object cost no more than few; quadratic time would take minutes")
  func manyObservers() async {
    await #expect(processExitsWith: .success) {
      KVO.policy.coalescesDuplicates = true
      KVO.policy.setAll(.ignore)
      let account = Account()
      let listeners = (0..<10_000).map { _ in Listener() }
      for listener in listeners { Self.addTwice(listener, to: account) }
      for listener in listeners { account.removeObserver(listener, forKeyPath: "balance") }
      #expect(KVO.census(of: account).count == 10_000)
      for listener in listeners { account.removeObserver(listener, forKeyPath: "balance") }
      #expect(KVO.census(of: account).isEmpty)
    }
  }

  @Test("of two that two threads add at one time the older one stays, whichever is looked at first")
  func older() {
    let account = Account()
    let listener = Listener()
    _ = verdicts(about: account) {
      for _ in 0..<3 { account.addObserver(listener, forKeyPath: "balance") }
      let added = account.storage.registrations
      let originals = added.map { account.storage.original(of: $0) }
      #expect(originals == [nil, added[0].id, added[0].id])
      for _ in 0..<3 { account.removeObserver(listener, forKeyPath: "balance") }
    }
  }

  @Test("other contexts, observers, key paths, tokens and streams are not duplicates")
  func different() async {
    await #expect(processExitsWith: .success) {
      KVO.policy.coalescesDuplicates = true
      let account = Account(owner: Person("Ada"))
      let listeners = [Listener(), Listener()]
      let context = ObservationContext("other")
      for listener in listeners {
        account.addObserver(listener, forKeyPath: "balance")
        account.addObserver(listener, forKeyPath: "tags")
        account.addObserver(listener, forKeyPath: "balance", context: context)
      }
      let tokens = (0..<2).map { _ in account.observe(\.balance) { _, _ in } }
      let streams = (0..<2).map { _ in account.values(for: \.balance, boundTo: listeners[0]) }
      #expect(KVO.census(of: account).count == 10)
      for listener in listeners {
        account.removeObserver(listener, forKeyPath: "balance", context: context)
        account.removeObserver(listener, forKeyPath: "balance")
        account.removeObserver(listener, forKeyPath: "tags")
      }
      #expect(KVO.census(of: account).count == 4)
      // The streams end with the listener that they are bound to.
      withExtendedLifetime((listeners, tokens, streams)) {}
    }
  }

  @Test("a controller's second observation of a key path is left out, as KVOController's is")
  func controller() async {
    await #expect(processExitsWith: .success) {
      KVO.policy.coalescesDuplicates = true
      let account = Account()
      let listener = Listener()
      let observations = ObservationController(owner: listener)
      let others = ObservationController(owner: listener, retainsObserved: false)
      var heard: [String] = []
      let found = verdicts(about: account) {
        observations.observe(account, \.balance) { _, _, _ in heard.append("first") }
        observations.observe(account, \.balance) { _, _, _ in heard.append("second") }
        others.observe(account, \.balance) { _, _, _ in heard.append("other") }
        account.balance = 1
        observations.unobserve(account, \.balance)
        others.unobserve(account, \.balance)
        account.balance = 2
      }
      #expect(heard == ["first", "other"])
      #expect(!found.isEmpty)
    }
  }

  @Test("earlier duplicates stay, and the policy can be reset")
  func switched() async {
    await #expect(processExitsWith: .success) {
      let account = Account()
      let listener = Listener()
      for _ in 0..<2 { account.addObserver(listener, forKeyPath: "balance", options: [.new]) }
      KVO.policy.coalescesDuplicates = true
      account.addObserver(listener, forKeyPath: "balance", options: [.new])
      #expect(KVO.census(of: account).count == 2)
      KVO.policy = ObservationPolicy()
      account.addObserver(listener, forKeyPath: "balance", options: [.new])
      #expect(KVO.census(of: account).count == 3)
      for _ in 0..<4 { account.removeObserver(listener, forKeyPath: "balance") }
      #expect(KVO.census(of: account).isEmpty)
    }
  }

  @Test("the log has both additions and the end of the second, so that a replay reports the same")
  func recorded() async {
    await #expect(processExitsWith: .success) {
      KVO.policy.coalescesDuplicates = true
      let account = Account()
      let listener = Listener()
      let memory = EventMemory()
      Recorder.shared.attach(memory)
      for _ in 0..<2 { account.addObserver(listener, forKeyPath: "balance") }
      for _ in 0..<2 { account.removeObserver(listener, forKeyPath: "balance") }
      Recorder.shared.detach(memory)
      let names = memory.events.compactMap { event in
        switch event.body {
        case .register: "register"
        case .cancel(_, .user): "cancel"
        case .remove: "remove"
        default: nil
        }
      }
      #expect(names == ["register", "register", "cancel", "remove"])
    }
  }
}
