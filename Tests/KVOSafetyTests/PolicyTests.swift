import KVORecorder
import KVOTrace
import Testing

@testable import KVOSafety

/// Policies are the process's: each is tried in a process of its own.
@Suite("Policies")
struct PolicyTests {
  private static func removeTwice() {
    let account = Account()
    let listener = Listener()
    account.addObserver(listener, forKeyPath: "balance")
    account.removeObserver(listener, forKeyPath: "balance")
    account.removeObserver(listener, forKeyPath: "balance")
  }

  @Test("a fault is reported once per call site by default")
  func report() async throws {
    let result = try await #require(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      for _ in 1...3 { PolicyTests.removeTwice() }
    }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.matches(of: #/WARNING: KVOSafety: observation removed twice/#).count == 1)
  }

  @Test("a fault ends the process if the policy is to trap, after its report")
  func trap() async throws {
    let result = try await #require(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      KVO.policy[.doubleRemove] = .trap
      PolicyTests.removeTwice()
    }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("WARNING: KVOSafety: observation removed twice"))
    #expect(text.contains("the policy for KVO001 is to trap; the report is above"))
  }

  @Test("a closure gets each fault, and nothing is written")
  func call() async throws {
    let result = try await #require(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      let seen = GuardedState<[String]>([])
      let box = Seen(seen)
      KVO.policy[.doubleRemove] = .call { violation in box.add(violation.message) }
      for _ in 1...2 { PolicyTests.removeTwice() }
      precondition(box.messages.count == 2)
      precondition(box.messages[0].hasSuffix("a second time, on thread \(currentThreadNumber())"))
    }
    #expect(result.standardErrorContent.isEmpty)
  }

  @Test("a closure that goes may hold the last reference to an object whose end is a fault")
  func lastReference() async throws {
    await #expect(processExitsWith: .success) {
      let account = Account()
      do {
        let listener = Listener()
        account.addObserver(listener, forKeyPath: "balance")
        nonisolated(unsafe) let kept = listener
        KVO.policy[.doubleRemove] = .call { _ in _ = kept }
      }
      precondition(KVO.census(of: account).count == 1)
      // KVO007.
      KVO.policy = ObservationPolicy()
      precondition(KVO.census(of: account).isEmpty)
    }
  }

  @Test("nothing is written if the policy is to ignore")
  func ignore() async throws {
    let result = try await #require(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      KVO.policy.setAll(.ignore)
      PolicyTests.removeTwice()
    }
    #expect(result.standardErrorContent.isEmpty)
  }
}

private func currentThreadNumber() -> String {
  let name = Recorder.shared.text(of: Recorder.currentThreadName)
  return "\(Recorder.currentThread.rawValue)" + (name.isEmpty ? "" : " (\(name))")
}

private final class Seen: Sendable {
  private let state: GuardedState<[String]>
  init(_ state: consuming GuardedState<[String]>) { self.state = state }
  func add(_ message: String) { state.withLock { $0.append(message) } }
  var messages: [String] { state.withLock { $0 } }
}

@Suite("The census")
struct CensusTests {
  @Test("lists who observes what, with which options, since which line, oldest first")
  func records() {
    let account = Account(owner: Person("Ada"))
    let listener = Listener()
    #expect(KVO.census(of: account).isEmpty)
    account.addObserver(listener, forKeyPath: "owner.name", options: [.old, .prior])
    let line = #line
    let token = account.observe(\.balance, expectedToLive: "as long as the app") { _, _ in }
    let census = KVO.census(of: account)
    #expect(census.map(\.keyPath) == ["owner.name", "balance"])
    #expect(census.map(\.options) == [[.old, .prior], []])
    #expect(
      census.map(\.site) == ["PolicyTests.swift:\(line - 1)", "PolicyTests.swift:\(line + 1)"]
    )
    #expect(census.map(\.expectedToLive) == [nil, "as long as the app"])
    #expect(census[0].subject.hasPrefix("Account#") && census[0].subject == census[1].subject)
    #expect(census[0].observer?.hasPrefix("Listener#") == true)
    #expect(census[1].observer == nil)
    #expect(KVO.census().filter { $0.subject == census[0].subject } == census)
    token.invalidate()
    account.removeObserver(listener, forKeyPath: "owner.name")
    #expect(KVO.census(of: account).isEmpty)
  }
}
