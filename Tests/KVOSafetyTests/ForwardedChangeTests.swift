import KVORecorder
import KVOReplay
import KVORules
import KVOTrace
import TestSupport
import Testing

@testable import KVOSafety

// What NSKeyValueObserving.h names as the use of `NSKeyValueObservingOptionPrior`: an observer with a key that depends
// on the observed one calls `willChangeValue` when it is notified before the change, and `didChangeValue` after it.

/// An object whose key depends on that of another, by hand.
private final class Follower: KeyValueObservable {
  let observationRegistrar = ObservationRegistrar()
  static let observableKeys = ObservableKeyTable(
    ObservableKey("twice", \Follower.twice),
    ObservableKey("half", \Follower.half)
  )
  private let read: () -> Int
  private var token: ObservationToken?
  var twice: Int { 2 * read() }
  var half: Int { read() / 2 }

  init<Subject: KeyValueObservable>(_ subject: Subject, _ keyPath: KeyPath<Subject, Int>) {
    read = { subject[keyPath: keyPath] }
    token = subject.observe(keyPath, options: .prior) { [unowned self] _, change in
      if change.isPrior {
        willChangeValue(for: \.twice)
        willChangeValue(for: \.half)
      } else {
        didChangeValue(for: \.twice)
        didChangeValue(for: \.half)
      }
    }
  }

  func end() { token?.invalidate() }
}

@Suite("Changes that are forwarded from the notification before another one")
struct ForwardedChangeTests {
  /// The faults of `subjects` that are reported while `body` runs, and those of a replay.
  private func faults(
    of subjects: [any KeyValueObservable],
    _ body: () -> Void
  ) -> (live: [RuleCode], replayed: [RuleCode]) {
    let ids = Set(subjects.map { $0.storage.record.ref.id })
    let memory = EventMemory()
    Recorder.shared.attach(memory)
    let live = verdicts(where: { $0.subject.map { ids.contains($0.id) } ?? false }, body)
    Recorder.shared.detach(memory)
    var replayed: [Verdict] = []
    var replay = OrderedReplay()
    for (index, event) in memory.events.enumerated() {
      replay.take(event, number: index + 1) { replayed.append($0) }
    }
    replay.finish { replayed.append($0) }
    let found = replayed.filter { $0.subject.map { ids.contains($0.id) } ?? false }
    return (live.map(\.code), found.map(\.code))
  }

  @Test("end in order: two observers of one key, and an observer of what one of them announces")
  func chain() {
    let account = Account()
    account.balance = 1
    let first = Follower(account, \.balance)
    let second = Follower(account, \.balance)
    let third = Follower(first, \.twice)
    var heard: [String] = []
    let tokens = [first, second, third].enumerated().map { index, follower in
      follower.observe(\.twice, options: [.old, .new]) { heard.append(line("\(index)", $1)) }
    }
    let found = faults(of: [account, first, second, third]) { account.balance = 3 }
    #expect(
      heard == ["2 setting from 4 to 12", "0 setting from 2 to 6", "1 setting from 2 to 6"]
    )
    #expect(found.live == [])
    #expect(found.replayed == [])
    for token in tokens { token.invalidate() }
    for follower in [first, second, third] { follower.end() }
  }

  @Test("a change that is begun elsewhere and left open is reported all the same")
  func outOfOrder() {
    let account = Account()
    let other = Account()
    let listener = Listener()
    other.addObserver(listener, forKeyPath: "balance")
    let token = account.observe(\.balance, options: .prior) { _, _ in }
    let found = faults(of: [account, other]) {
      account.willChangeValue(for: \.balance)
      other.willChangeValue(for: \.balance)
      account.didChangeValue(for: \.balance)
      other.didChangeValue(for: \.balance)
    }
    #expect(found.live == [.unbalancedChange])
    #expect(found.replayed == [.unbalancedChange])
    token.invalidate()
    other.removeObserver(listener, forKeyPath: "balance")
  }

  @Test("one that is forwarded and never ended is reported when its thread ends")
  func neverEnded() {
    let account = Account()
    let other = Account()
    let listener = Listener()
    other.addObserver(listener, forKeyPath: "balance")
    let token = account.observe(\.balance, options: .prior, isolation: nil) { _, change in
      if change.isPrior { other.willChangeValue(for: \.balance) }
    }
    let found = verdicts(about: other) {
      onThread { account.balance = 1 }
    }
    #expect(found.map(\.detail) == [.change(.willWithoutDid)])
    token.invalidate()
    other.removeObserver(listener, forKeyPath: "balance")
  }
}
