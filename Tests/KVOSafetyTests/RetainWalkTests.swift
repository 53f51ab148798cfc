import KVORecorder
import KVOReplay
import KVORetention
import KVORules
import KVOTrace
import Synchronization
import Testing

@testable import KVOSafety

/// A screen that observes an account in many ways, most of them wrong.
private final class Screen {
  let account: Account
  var token: ObservationToken?
  var second: ObservationToken?
  lazy var observations = ObservationController(owner: self)
  var count = 0

  init(_ account: Account) { self.account = account }

  func observeStrongly() {
    token = account.observe(\.balance) { _, _ in self.count += 1 }
  }

  func observeWeakly() {
    token = account.observe(\.balance) { [weak self] _, _ in self?.count += 1 }
  }

  func observeWithController() {
    observations.observe(account, \.owner) { screen, _, _ in screen.count += 1 }
    observations.observe(account, \.balance) { _, _, _ in self.count += 1 }
  }
}

/// Has its token behind a lock, in bytes that the compiler does not describe.
private final class LockedScreen {
  let account: Account
  let token = Mutex<ObservationToken?>(nil)
  var count = 0

  init(_ account: Account) { self.account = account }

  func observeStrongly() {
    let made = account.observe(\.balance) { _, _ in self.count += 1 }
    token.withLock { $0 = made }
  }

  func observeWeakly() {
    let made = account.observe(\.balance) { [weak self] _, _ in self?.count += 1 }
    token.withLock { $0 = made }
  }
}

@Suite("Retain cycles of observations, found by a walk", .serialized)
struct RetainWalkTests {
  init() { RetainSearch.install() }

  /// What is said of a cycle, without the numbers of objects.
  private func drawn(_ cycles: ObservationCycles) -> [String] {
    cycles.cycles.map { cycle in
      cycle.description.replacing(#/#\d+/#, with: "")
    }
  }

  /// Refers to memory without a description.
  private final class Keeper {
    var memory: UnsafeMutableRawPointer?
  }

  @Test("an object that is still being made runs none of its code")
  func unfinished() {
    let account = Account()
    let token = account.observe(\.balance) { _, _ in }
    // The class and the count are there, and no property is set yet.
    let unfinished = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 16)
    defer { unfinished.deallocate() }
    unfinished.initializeMemory(as: UInt.self, repeating: 0, count: 512)
    let counts = Unmanaged.passUnretained(token).toOpaque().load(fromByteOffset: 8, as: UInt.self)
    unfinished.storeBytes(of: counts, toByteOffset: 8, as: UInt.self)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt.self, repeating: 0, count: 8)
    memory.storeBytes(of: unfinished, toByteOffset: 16, as: UnsafeMutableRawPointer.self)
    let keeper = Keeper()
    keeper.memory = memory
    let classes: [AnyObject.Type] = [ForeignRegistration.self, SubjectStorage.self]
    for made in classes {
      unfinished.storeBytes(of: unsafeBitCast(made, to: UInt.self), as: UInt.self)
      #expect(KVO.findRetainCycles(from: keeper).cycles.isEmpty)
    }
    token.invalidate()
  }

  @Test("a token's closure that captures its owner is drawn, one that captures it weakly is not")
  func token() {
    let screen = Screen(Account())
    screen.observeWeakly()
    #expect(KVO.findRetainCycles(from: screen).verdict == .noneFound)
    screen.observeStrongly()
    let found = KVO.findRetainCycles(from: screen)
    #expect(
      drawn(found) == [
        "Screen → token → ObservationToken → handler → closure → capture of Screen → Screen"
      ]
    )
    #expect(found.cycles.map(\.indexToWeaken) == [2])
    #expect(found.notLookedInto == [])
    screen.token = nil
    #expect(KVO.findRetainCycles(from: screen).verdict == .noneFound)
  }

  @Test("a token behind a lock leaves it open whether its observation keeps itself alive")
  func lockedToken() {
    let screen = LockedScreen(Account())
    screen.observeWeakly()
    #expect(KVO.findRetainCycles(from: screen).verdict != .cycles)
    screen.observeStrongly()
    let found = KVO.findRetainCycles(from: screen)
    #expect(found.verdict == .inconclusive, "\(found)")
    #expect(found.notLookedInto.contains { $0.hasPrefix("ObservationToken: only memory") })
    screen.token.withLock { $0 = nil }
  }

  @Test("an observed object that its own observation captures is drawn without a token in between")
  func subject() {
    let account = Account()
    let token = account.observe(\.balance) { _, _ in account.secret += 1 }
    // The owner of the token ends the cycle with it.
    #expect(KVO.findRetainCycles(from: account).verdict == .noneFound)
    token.bindToObject()
    #expect(
      drawn(KVO.findRetainCycles(from: account)) == [
        "Account → observation of \"balance\" → closure → capture of Account → Account"
      ]
    )
    token.invalidate()
    #expect(KVO.findRetainCycles(from: account).verdict == .noneFound)
  }

  @Test(
    "a controller that keeps what it observes is drawn, the observation that captures strongly named"
  )
  func controller() {
    let screen = Screen(Account())
    let verdicts = verdicts(where: { $0.code == .observationRetainCycle }) {
      screen.observeWithController()
      let found = KVO.findRetainCycles(from: screen)
      #expect(
        drawn(found) == [
          "Screen → observations → ObservationController → observation of \"balance\" → closure → "
            + "capture of Screen → Screen"
        ]
      )
    }
    let own = verdicts.filter { $0.subject?.id == screen.account.storage.record.ref.id }
    // Two observations of one controller on one object: the second is meant.
    #expect(own.map { Recorder.shared.text(of: $0.keyPath) } == ["balance"])
    screen.observations.unobserveAll()
  }

  @Test("a controller that no one stores is kept by its owner's life")
  func attached() {
    final class Owner { var count = 0 }
    let owner = Owner()
    ObservationController.of(owner).observe(Account(), \.balance) { _, _, _ in owner.count += 1 }
    #expect(
      drawn(KVO.findRetainCycles(from: owner)) == [
        "Owner → ObservationController.of → ObservationController → observation of \"balance\" → "
          + "closure → capture of Owner → Owner"
      ]
    )
    ObservationController.of(owner).unobserveAll()
    #expect(KVO.findRetainCycles(from: owner).verdict == .noneFound)
  }

  @Test("an object in the middle of a path keeps the observation that hangs on it")
  func deepPath() {
    let person = Person("A")
    let account = Account(owner: person)
    let token = account.observe(keyPath: "owner.name") { _, _ in person.name = "B" }
    #expect(KVO.findRetainCycles(from: person).verdict == .noneFound)
    token.bind(to: person)
    #expect(
      drawn(KVO.findRetainCycles(from: person)) == [
        "Person → observation of \"owner.name\" → closure → capture of Person → Person"
      ]
    )
    token.invalidate()
  }

  @Test("a registration with another library is found through what keeps it")
  func foreign() {
    final class Model {
      var registration: ForeignRegistration?
      var count = 0
    }
    let model = Model()
    model.registration = ForeignRegistration(
      on: model,
      observer: nil,
      key: "name",
      form: .token,
      isolation: nil,
      fileID: #fileID,
      line: #line,
      function: #function
    ) { _ in model.count += 1 }
    #expect(
      drawn(KVO.findRetainCycles(from: model)) == [
        "Model → observation of \"name\" → closure → capture of Model → Model"
      ]
        || drawn(KVO.findRetainCycles(from: model)) == [
          "Model → registration → closure → capture of Model → Model"
        ]
    )
    model.registration?.end(by: .user)
    #expect(KVO.findRetainCycles(from: model).verdict == .noneFound)
  }

  @Test("the live verdict is that of the replay of the same run")
  func liveIsReplay() {
    let screens = [Screen(Account()), Screen(Account()), Screen(Account())]
    let memory = EventMemory()
    Recorder.shared.attach(memory)
    let live = verdicts(where: { $0.code == .observationRetainCycle }) {
      screens[0].observeStrongly()
      screens[1].observeWithController()
      screens[2].observeWeakly()
      for screen in screens { KVO.findRetainCycles(from: screen) }
      // Seen twice, it is one.
      KVO.findRetainCycles(from: screens[0])
    }
    Recorder.shared.detach(memory)
    let subjects = Set(screens.map { $0.account.storage.record.ref.id })
    let replayed = replay(memory.events).filter {
      $0.subject.map { subjects.contains($0.id) } ?? false
    }
    let own = live.filter { $0.subject.map { subjects.contains($0.id) } ?? false }
    #expect(own.map(Fact.init) == (replayed + replayed.prefix(1)).map(Fact.init))
    #expect(replayed.count == 2)
    #expect(replayed.allSatisfy { $0.evidence.contains { $0.role == .registered } })
    screens[0].token = nil
    screens[1].observations.unobserveAll()
  }

  @Test("a cycle that is broken later is withdrawn in the log")
  func broken() {
    let screen = Screen(Account())
    let memory = EventMemory()
    Recorder.shared.attach(memory)
    screen.observeStrongly()
    KVO.findRetainCycles(from: screen)
    let subject = screen.account.storage.record.ref.id
    #expect(replay(memory.events).contains { $0.subject?.id == subject })
    screen.token = nil
    Recorder.shared.detach(memory)
    #expect(!replay(memory.events).contains { $0.subject?.id == subject })
  }

  @Test("a log without any cycle has the walk")
  func judged() {
    let screen = Screen(Account())
    let memory = EventMemory()
    Recorder.shared.attach(memory)
    screen.observeWeakly()
    KVO.findRetainCycles(from: screen)
    Recorder.shared.detach(memory)
    var engine = RuleEngine()
    let thread = Recorder.currentThread
    for (index, event) in memory.events.enumerated() where event.thread == thread {
      _ = engine.consume(event, number: index + 1)
    }
    #expect(!engine.notJudged.contains { $0.code == .observationRetainCycle })
    screen.token = nil
  }

  @Test("a program without a walker gets a message")
  func notInstalled() {
    #expect(
      ObservationCycles.notInstalled.description == """
        no retain cycle found; not everything could be inspected
          not inspected: this program: nothing here reads memory; link KVORetention and call \
        RetainSearch.install()
        """
    )
  }

  // MARK: Expected deallocations

  @Test("an object that is deallocated in its time has the outcome at once")
  func diesInTime() async {
    var screen: Screen? = Screen(Account())
    let expectation = screen.map { KVO.expectDeallocation(of: $0, within: .seconds(3600)) }
    screen = nil
    #expect(await expectation?.outcome == .deallocated)
  }

  @Test(
    "an object that an observation keeps is reported with the cycle, and taken back when it is deallocated"
  )
  func diesLate() async {
    let memory = EventMemory()
    Recorder.shared.attach(memory)
    var screen: Screen? = Screen(Account())
    screen?.observeStrongly()
    let subject = screen?.account.storage.record.ref.id
    let expectation = screen.map { KVO.expectDeallocation(of: $0, within: .zero) }
    weak let left = screen
    screen = nil
    guard case .alive(let cycles)? = await expectation?.outcome else {
      Issue.record("it is not alive")
      return
    }
    #expect(drawn(cycles).count == 1)
    #expect(replay(memory.events).contains { $0.subject?.id == subject })
    left?.token?.invalidate()
    #expect(left == nil)
    Recorder.shared.detach(memory)
    #expect(!replay(memory.events).contains { $0.subject?.id == subject })
    #expect(
      memory.events.contains { event in
        if case .expectDeinit(_, let deadline) = event.body { return deadline != nil }
        return false
      }
    )
  }

  /// Takes values in a task that holds it.
  private final class Reader: Sendable {
    func read(_ values: AsyncStream<Int>) async {
      for await _ in values { show() }
    }

    private func show() {}
  }

  @Test("an object that a waiting task keeps has the task in its outcome")
  func isHeldByTask() async {
    let (values, continuation) = AsyncStream.makeStream(of: Int.self)
    var reader: Reader? = Reader()
    weak let left = reader
    let task = reader.map { reader in Task { await reader.read(values) } }
    reader = nil
    while let held = left, RetainSearch().findTasks(holding: held).holders.isEmpty {
      try? await Task.sleep(nanoseconds: 1_000_000)
    }
    var cycles: ObservationCycles
    // Objects that other tests change while the process is copied may be unreadable in each copy.
    repeat {
      let expectation = left.map { KVO.expectDeallocation(of: $0, within: .zero) }
      guard case .alive(let found)? = await expectation?.outcome else {
        Issue.record("it is not alive")
        return
      }
      cycles = found
    } while cycles.notLookedInto.contains("tasks that could not be found")
    #expect(cycles.cycles.isEmpty)
    #expect(
      cycles.waitingTasks.first == "Task → closure capture of Reader → Reader",
      "\(cycles)"
    )
    #expect("\(cycles)".contains("held by waiting tasks\n  Task"))
    continuation.finish()
    await task?.value
    #expect(left == nil)
  }

  // MARK: Replaying

  private struct Fact: Hashable, CustomStringConvertible {
    var subject: ObjectID?
    var observer: ObjectID?
    var registration: RegistrationID?
    var references: [Reference] = []
    var stacks: [StackID]

    init(_ verdict: Verdict) {
      subject = verdict.subject?.id
      observer = verdict.observer?.id
      registration = verdict.registration
      if case .cycle(let references) = verdict.detail { self.references = references }
      stacks = verdict.evidence.map(\.stack)
    }

    var description: String { "\(registration.map { "\($0)" } ?? "?") of \(references.count)" }
  }

  /// The retain cycles that a replay reports.
  private func replay(_ events: [Event]) -> [Verdict] {
    var verdicts: [Verdict] = []
    var replay = OrderedReplay()
    for (index, event) in events.enumerated() {
      replay.take(event, number: index + 1) { verdicts.append($0) }
    }
    replay.take(Event(.exit(status: 0)), number: events.count + 1) { verdicts.append($0) }
    replay.finish { verdicts.append($0) }
    return verdicts.filter { $0.code == .observationRetainCycle }
  }
}
