import KVORecorder
import KVORules
import KVOTrace
import TestSupport
import Testing

@testable import KVOSafety

@Suite("Tokens that are bound to the life of an object")
struct BoundTokenTests {
  private let account = Account()

  @Test(
    "a token that is bound to an observer need not be kept, and ends silently with the observer"
  )
  func endsWithObserver() {
    var heard: [String] = []
    weak var observer: Pet?
    let found = verdicts(about: account) {
      let pet = Pet()
      observer = pet
      account.observe(\.balance, options: [.new]) { heard.append(line("balance", $1)) }
        .bind(to: pet)
      account.balance = 1
      withExtendedLifetime(pet) {}
    }
    #expect(observer == nil)
    account.balance = 2
    #expect(heard == ["balance setting to 1"])
    #expect(found.isEmpty)
    #expect(KVO.census(of: account).isEmpty)
  }

  @Test("it ends silently with the observed object, too, which is not kept alive")
  func endsWithSubject() {
    let pet = Pet()
    weak var observed: Account?
    weak var token: ObservationToken?
    var count = 0
    let found = verdicts(where: { $0.code == .observedDeinitWhileObserved }) {
      let account = Account()
      observed = account
      token = account.observe(\.balance) { _, _ in count += 1 }.bind(to: pet)
      account.balance = 1
    }
    #expect(count == 1)
    #expect(observed == nil)
    #expect(token == nil)
    #expect(found.isEmpty)
    withExtendedLifetime(pet) {}
  }

  @Test("an observation lives as long as its object, and ends with it silently")
  func livesWithObject() {
    weak var observed: Account?
    weak var token: ObservationToken?
    var heard: [String] = []
    let found = verdicts(where: { $0.code == .observedDeinitWhileObserved }) {
      let account = Account()
      observed = account
      token = account.observe(\.balance, options: [.new]) { heard.append(line("balance", $1)) }
        .bindToObject()
      #expect(token?.isActive == true)
      account.balance = 1
      account.balance = 2
    }
    #expect(heard == ["balance setting to 1", "balance setting to 2"])
    #expect(observed == nil && token == nil)
    #expect(found.isEmpty)
  }

  @Test("an object without a hook of its class ends it in its registrar's deinit")
  func withoutHook() {
    let storage: SubjectStorage
    do {
      let account = Account()
      account.observe(\.balance) { _, _ in }.bindToObject()
      storage = account.storage
      #expect(storage.count == 1)
    }
    #expect(storage.count == 0)
  }

  @Test("invalidated earlier it is over, and binding it again does nothing")
  func invalidatedEarlier() {
    let pet = Pet()
    var count = 0
    let token = account.observe(\.balance) { _, _ in count += 1 }.bind(to: pet)
    token.invalidate()
    token.bind(to: pet).bindToObject()
    account.balance = 1
    #expect(count == 0)
    #expect(!token.isActive)
  }

  @Test("of two owners the first that goes ends it")
  func twoOwners() {
    let second = Pet()
    var count = 0
    do {
      let first = Pet()
      account.observe(\.balance) { _, _ in count += 1 }.bind(to: first).bind(to: second)
      account.balance = 1
      withExtendedLifetime(first) {}
    }
    account.balance = 2
    #expect(count == 1)
    withExtendedLifetime(second) {}
  }

  @Test("tokens that have ended are forgotten while their owner lives")
  func sweeps() {
    let pet = Pet()
    let mine = ObjectTable.shared.record(of: pet)
    for _ in 0..<1000 { account.observe(\.balance) { _, _ in }.bind(to: pet).invalidate() }
    let kept = BoundTokens.shared.addresses.filter { $0.owner === mine }.count
    #expect(kept <= 9)
    withExtendedLifetime(pet) {}
  }

  @Test("in the log the owner ended it, so that no token counts as dropped")
  func recorded() {
    let memory = EventMemory()
    Recorder.shared.attach(memory)
    let id: RegistrationID?
    do {
      let pet = Pet()
      account.observe(\.balance) { _, _ in }.bind(to: pet)
      id = account.storage.registrations.first?.id
      withExtendedLifetime(pet) {}
    }
    Recorder.shared.detach(memory)
    let causes = memory.events.compactMap { event -> CancelCause? in
      guard case .cancel(let ended, let cause) = event.body, ended == id else { return nil }
      return cause
    }
    #expect(causes == [.owner])
  }

  @Test("many threads bind to one owner")
  func threads() {
    let pet = Pet()
    let accounts = (0..<4).map { _ in Account() }
    onThreads(count: 4) { thread in
      for _ in 0..<200 { accounts[thread].observe(\.balance) { _, _ in }.bind(to: pet) }
    }
    #expect(accounts.map { KVO.census(of: $0).count } == [200, 200, 200, 200])
    withExtendedLifetime(pet) {}
  }
}
