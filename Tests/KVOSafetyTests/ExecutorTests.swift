import Foundation
import KVORecorder
import KVORules
import KVOTrace
import TestSupport
import Testing

@testable import KVOSafety

private actor Ledger {
  private(set) var entries: [String] = []
  private var token: ObservationToken?

  func note(_ entry: String) { entries.append(entry) }

  /// Takes changes here, the number of each with what it says of the way.
  func follow(_ account: sending Account, buffering: HopBuffering = .all) -> ObservationToken {
    account.observe(\.balance, options: .new, on: self, buffering: buffering) { ledger, hopped in
      ledger.assertIsolated()
      ledger.note("\(hopped.change.newValue ?? -1) after \(hopped.skippedCount)")
    }
  }

  /// Observes and changes here, as code of the actor does.
  func observeAndChange(_ account: sending Account) -> ObservationToken {
    let token = account.observe(\.balance) { _, _ in }
    account.balance = 1
    return token
  }
}

/// An account that tests share with actors, whose changes they make one at a time.
private final class Shared: @unchecked Sendable {
  // Sendable: only tests use it, and they change it from one thread at a time.
  let account = Account()
}

/// Waits for `condition`, letting others run.
private func until(
  isolation: isolated (any Actor)? = #isolation,
  _ condition: () async -> Bool
) async {
  while await !condition() { await Task.yield() }
}

@Suite("Executors")
struct ExecutorTests {
  /// The executors in the log: of the registrations of `account`, and of its notifications.
  private func executors(
    of account: Account,
    isolation: isolated (any Actor)? = #isolation,
    while body: () async throws -> Void
  ) async rethrows -> [String] {
    let memory = EventMemory()
    Recorder.shared.attach(memory)
    defer { Recorder.shared.detach(memory) }
    try await body()
    let subject = account.storage.record.ref.id
    var registrations: Set<RegistrationID> = []
    var executors: [StringID] = []
    for event in memory.events {
      switch event.body {
      case .register(let registration) where registration.subject.id == subject:
        if let id = registration.id { registrations.insert(id) }
        executors.append(registration.executor)
      case .notify(let delivery) where registrations.contains(delivery.registration):
        executors.append(delivery.executor)
      default: continue
      }
    }
    return executors.map { Recorder.shared.text(of: $0) }
  }

  @Test("a notification on the actor that registered says so")
  @MainActor
  func onActor() async {
    let account = Account()
    let names = await executors(of: account) {
      let token = account.observe(\.balance) { _, _ in }
      account.balance = 1
      token.invalidate()
    }
    #expect(names == ["MainActor", "MainActor"])
  }

  /// Another thread than the first serves the main queue in a program whose `main` is asynchronous, as this one's is.
  @Test("a notification on the main queue is on the main actor, whatever thread serves it")
  @MainActor
  func onMainQueue() async {
    let shared = Shared()
    let names = await executors(of: shared.account) {
      let token = shared.account.observe(\.balance) { _, _ in }
      await withCheckedContinuation { continuation in
        DispatchQueue.main.async {
          MainActor.assertIsolated()
          shared.account.balance = 1
          continuation.resume()
        }
      }
      token.invalidate()
    }
    #expect(names == ["MainActor", "MainActor"])
  }

  @Test("a notification on another thread names that")
  func offActor() async {
    let shared = Shared()
    let names = await executors(of: shared.account) {
      let token = await MainActor.run { shared.account.observe(\.balance) { _, _ in } }
      onThread { shared.account.balance = 1 }
      token.invalidate()
    }
    #expect(names.first == "MainActor")
    #expect(names.last?.wholeMatch(of: /thread \d+/) != nil)
  }

  @Test("a custom actor is distinguished from the main actor")
  func ownActor() async {
    let shared = Shared()
    let ledger = Ledger()
    let names = await executors(of: shared.account) {
      nonisolated(unsafe) let account = shared.account
      let token = await ledger.observeAndChange(account)
      await MainActor.run { shared.account.balance = 2 }
      token.invalidate()
    }
    #expect(names == ["Ledger", "Ledger", "MainActor"])
  }

  @Test("nonisolated code expects no executor, and no callback has one in the log")
  func noActor() async {
    let account = Account()
    let names = await executors(of: account) {
      let token = account.observeOnAnyThread(\.balance) { _, _ in }
      account.balance = 1
      token.invalidate()
    }
    #expect(names == ["", ""])
  }

  @Test("the controller and the classic form record their executor too")
  @MainActor
  func otherForms() async {
    let account = Account()
    let listener = Listener()
    let names = await executors(of: account) {
      account.addObserver(listener, forKeyPath: "balance")
      ObservationController.of(listener).observe(account, \.balance) { _, _, _ in }
      onThread { account.balance = 1 }
      account.removeObserver(listener, forKeyPath: "balance")
      ObservationController.of(listener).unobserveAll()
    }
    #expect(names.prefix(2) == ["MainActor", "MainActor"])
    #expect(names.dropFirst(2).allSatisfy { $0.hasPrefix("thread ") } == true)
    #expect(names.count == 4)
  }

  @Test("a handler on an actor gets each change in order, wherever it was made")
  func hops() async {
    let shared = Shared()
    let ledger = Ledger()
    let names = await executors(of: shared.account) {
      nonisolated(unsafe) let account = shared.account
      let token = await ledger.follow(account)
      for balance in 1...3 { onThread { shared.account.balance = balance } }
      await until { await ledger.entries.count == 3 }
      token.invalidate()
    }
    #expect(await ledger.entries == ["1 after 0", "2 after 0", "3 after 0"])
    #expect(names == ["Ledger", "Ledger", "Ledger", "Ledger"])
  }

  @Test("a handler on the main actor runs there")
  func hopsToMainActor() async {
    let shared = Shared()
    let heard = Heard()
    let token = shared.account.observeOnMainActor(\.balance, options: [.initial, .new]) { hopped in
      heard.note(hopped.change.newValue ?? -1)
    }
    onThread { shared.account.balance = 1 }
    await until { await heard.values.count == 2 }
    token.invalidate()
    #expect(await heard.values == [0, 1])
  }

  @Test("changes that were left out for a newer one are counted")
  @MainActor
  func coalesces() async {
    let account = Account()
    let heard = Heard()
    let token = account.observeOnMainActor(\.balance, options: .new, buffering: .newest) { hopped in
      heard.note(hopped.change.newValue ?? -1)
      heard.note(hopped.skippedCount)
    }
    // The main actor is busy here, so that it comes to none of them before the last.
    for balance in 1...5 { account.balance = balance }
    await until { heard.values.count == 2 }
    token.invalidate()
    #expect(heard.values == [5, 4])
  }

  @Test("nothing comes after the token was invalidated on the actor itself")
  @MainActor
  func invalidated() async {
    let account = Account()
    let heard = Heard()
    let token = account.observeOnMainActor(\.balance, options: .new) { hopped in
      heard.note(hopped.change.newValue ?? -1)
    }
    account.balance = 1
    token.invalidate()
    let other = account.observeOnMainActor(\.balance, options: .new) { _ in heard.note(99) }
    account.balance = 2
    await until { !heard.values.isEmpty }
    other.invalidate()
    #expect(heard.values == [99])
  }

  @Test("two threads that report changes at once leave the order uncertain, and mark that")
  func uncertainOrder() {
    let mailbox = HopMailbox<Int>(.all)
    func change(_ value: Int) -> ObservedChange<Int> {
      ObservedChange(
        kind: .setting,
        oldValue: nil,
        newValue: value,
        isPrior: false,
        elements: nil
      )
    }
    #expect(mailbox.put { change(1) })
    let mustSend = mailbox.put {
      // Another thread comes in the middle.
      onThread { #expect(!mailbox.put { change(3) }) }
      return change(2)
    }
    #expect(!mustSend)
    #expect(!mailbox.put { change(4) })
    var taken: [String] = []
    while let hopped = mailbox.take() {
      taken.append("\(hopped.change.newValue ?? 0) \(hopped.isOrderUncertain)")
    }
    #expect(taken == ["1 false", "3 true", "2 true", "4 false"])
  }
}

@MainActor
private final class Heard {
  private(set) var values: [Int] = []
  nonisolated init() {}
  func note(_ value: Int) { values.append(value) }
}
