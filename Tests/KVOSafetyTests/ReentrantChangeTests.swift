import KVORecorder
import KVOReplay
import KVORules
import KVOTrace
import Testing

@testable import KVOSafety

@Suite("A callback that changes what it observes")
struct ReentrantChangeTests {
  /// The reports of the library and of a replay on a callback that is nested in itself so often.
  private func run(
    _ depth: Int,
    options: ObservingOptions = []
  ) -> (live: [Verdict], replayed: [Verdict]) {
    let account = Account()
    let listener = Listener()
    listener.onNotification = { [weak account] _ in
      if let account, account.balance < depth { account.balance += 1 }
    }
    let subject = account.storage.record.ref.id
    let memory = EventMemory()
    let live = GuardedState<[Verdict]>([])
    let witness = LiveMonitor.shared.addWitness { verdict in
      if verdict.subject?.id == subject { live.withLock { $0.append(verdict) } }
    }
    Recorder.shared.attach(memory)
    // A scope of its own keeps the report off standard error.
    RecordingScope.$ofTask.withValue(ScopeID(ObjectTable.shared.nextNumber())) {
      account.addObserver(listener, forKeyPath: "balance", options: options)
      if !options.contains(.initial) { account.balance = 1 }
      account.removeObserver(listener, forKeyPath: "balance")
    }
    Recorder.shared.detach(memory)
    LiveMonitor.shared.removeWitness(witness)
    #expect(account.balance == depth || options.contains(.initial))
    var replayed: [Verdict] = []
    var replay = OrderedReplay()
    for (index, event) in memory.events.enumerated() {
      replay.take(event, number: index + 1) { replayed.append($0) }
    }
    replay.finish { replayed.append($0) }
    return (live.withLock { $0 }, replayed.filter { $0.subject?.id == subject })
  }

  @Test("is reported once, when it is nine deep, by the replay as well", arguments: [9, 30])
  func tooDeep(depth: Int) {
    let (live, replayed) = run(depth)
    #expect(live.map(\.code) == [.reentrantChange])
    #expect(replayed.map(\.code) == [.reentrantChange])
    #expect(live.first?.detail == replayed.first?.detail)
    #expect(live.first?.registration == replayed.first?.registration)
    #expect(live.first?.evidence.first?.order == replayed.first?.evidence.first?.order)
    #expect(live.first?.evidence.first?.stack == replayed.first?.evidence.first?.stack)
    #expect(live.first?.evidence.first?.stack != StackID.none)
  }

  @Test("counts the initial notification as well")
  func initial() {
    let (live, replayed) = run(8, options: [.initial])
    #expect(live.map(\.code) == [.reentrantChange])
    #expect(replayed.map(\.code) == [.reentrantChange])
  }

  @Test("is silent if it settles within eight levels")
  func settles() {
    let (live, replayed) = run(8)
    #expect(live.isEmpty && replayed.isEmpty)
  }
}
