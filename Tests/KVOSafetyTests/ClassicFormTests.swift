import KVORecorder
import KVOReplay
import KVORules
import KVOTrace
import TestSupport
import Testing

@testable import KVOSafety

@Suite("The classic form")
struct ClassicFormTests {
  @Test("a change is delivered to an observer, and no more after its removal")
  func deliversUntilRemoved() {
    let account = Account()
    let listener = Listener()
    let found = verdicts(about: account) {
      account.addObserver(listener, forKeyPath: "balance", options: [.old, .new])
      account.balance = 1
      account.removeObserver(listener, forKeyPath: "balance")
      account.balance = 2
    }
    #expect(listener.heard == ["balance setting from 0 to 1"])
    #expect(found.isEmpty)
  }

  @Test("a second removal is swallowed and reported, with the first and the registration")
  func doubleRemoval() {
    let account = Account()
    let listener = Listener()
    let found = verdicts(about: account) {
      account.addObserver(listener, forKeyPath: "balance")
      account.removeObserver(listener, forKeyPath: "balance")
      account.removeObserver(listener, forKeyPath: "balance")
    }
    #expect(found.map(\.code) == [.doubleRemove])
    #expect(found.first?.evidence.map(\.role) == [.failed, .removed, .registered])
    // The newest first. The end of the addition has a number too if another test records.
    let orders = found.first?.evidence.compactMap(\.order) ?? []
    #expect(orders.count == 3 && orders == orders.sorted().reversed())
  }

  @Test("a removal without an addition is ignored and reported")
  func removalUnregistered() {
    let account = Account()
    let listener = Listener()
    let found = verdicts(about: account) {
      account.removeObserver(listener, forKeyPath: "balance")
    }
    #expect(found.map(\.code) == [.removeUnregistered])
  }

  @Test("nothing remains of an observer that was never added, or refused")
  func forgetsUntracked() {
    let account = Account()
    var known: [UInt: ObjectID] = [:]
    _ = verdicts(about: account) {
      let neverAdded = Listener()
      account.removeObserver(neverAdded, forKeyPath: "balance")
      let refused = Listener()
      account.addObserver(refused, forKeyPath: "nothing")
      for observer in [neverAdded, refused] {
        let record = ObjectTable.shared.knownRecord(of: observer)
        known[ObjectTable.address(of: observer)] = record?.ref.id
      }
    }
    #expect(known.count == 2)
    // Another test's object may have an address by now.
    for (address, id) in known {
      #expect(ObjectTable.shared.knownRecord(at: address)?.ref.id != id)
    }
  }

  @Test(
    "an observer that is deallocated while registered is removed and reported; a change does not reach it"
  )
  func observerDies() {
    let account = Account()
    let found = verdicts(about: account) {
      do {
        let listener = Listener()
        account.addObserver(listener, forKeyPath: "balance")
      }
      #expect(KVO.census(of: account).isEmpty)
      account.balance = 1
    }
    #expect(found.map(\.code) == [.observerDeinitWhileRegistered])
  }

  @Test("an observed object that is deallocated while observed is reported")
  func observedDies() {
    let listener = Listener()
    let id = ObjectTable.shared.record(of: listener).ref.id
    let found = verdicts(onAnyThread: true, where: { $0.observer?.id == id }) {
      let account = Account()
      account.addObserver(listener, forKeyPath: "balance")
    }
    #expect(found.map(\.code) == [.observedDeinitWhileObserved])
  }

  @Test("the removal that pairs with a refused addition is not reported too, and the next one is")
  func refused() {
    let account = Account()
    let listener = Listener()
    let found = verdicts(about: account) {
      account.addObserver(listener, forKeyPath: "balanse")
      account.removeObserver(listener, forKeyPath: "balanse")
    }
    #expect(found.map(\.code) == [.uncompliantPath])
    let again = verdicts(about: account) {
      account.removeObserver(listener, forKeyPath: "balanse")
    }
    #expect(again.map(\.code) == [.removeUnregistered])
  }

  @Test("nor is it reported in the deinit of the observer, live or in the log")
  func refusedUntilDeinit() {
    /// Adds itself in its init and removes itself in its deinit.
    final class Paired: KeyValueObserver {
      let account: Account
      init(_ account: Account) {
        self.account = account
        account.addObserver(self, forKeyPath: "balanse")
      }
      deinit { account.removeObserver(self, forKeyPath: "balanse") }
      func observeValue(
        forKeyPath keyPath: String,
        of object: any KeyValueObservable,
        change: ObservedChange<Any>,
        context: ObservationContext?
      ) -> NotificationHandling { .handled }
    }
    let account = Account()
    let memory = EventMemory()
    Recorder.shared.attach(memory)
    let found = verdicts(about: account) { _ = Paired(account) }
    Recorder.shared.detach(memory)
    #expect(found.map(\.code) == [.uncompliantPath])
    var replayed: [Verdict] = []
    var replay = OrderedReplay()
    for (index, event) in memory.events.enumerated() {
      replay.take(event, number: index + 1) { replayed.append($0) }
    }
    replay.finish { replayed.append($0) }
    let subject = account.storage.record.ref.id
    #expect(replayed.filter { $0.subject?.id == subject }.map(\.code) == [.uncompliantPath])
  }
}
