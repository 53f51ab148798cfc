import Foundation
import KVORules
import KVOSafety
import Synchronization
import Testing

@testable import KVOSafetyTesting

/// Why a scope around `body` fails, or nil.
private func failure(
  expecting: Set<ObservationRule> = [],
  allowsNoObservations: Bool = false,
  threshold: ScopeExpectations.Threshold = .warning,
  _ body: () throws -> Void
) rethrows -> String? {
  var failure: String?
  try AuditedScope.run(
    name: "a scope",
    expectations: ScopeExpectations(
      expected: expecting,
      allowsNoObservations: allowsNoObservations,
      threshold: threshold
    ),
    report: { failure = $0.text },
    body
  )
  return failure
}

/// The codes that a failure names.
private func codes(_ failure: String?) -> [String] {
  (failure ?? "").matches(of: #/\((KVO\d{3}) /#).map { String($0.output.1) }
}

@Suite("An audited scope")
struct ScopeTests {
  @Test("passes if there is no fault")
  func passes() {
    #expect(failure { behave() } == nil)
  }

  @Test("fails with the whole report, functions and lines of the test included")
  func failsWithReport() throws {
    let text = try #require(failure { removeTwice() })
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(lines[0] == "1 observation violation")
    #expect(lines[2] == "WARNING: KVOSafety: observation removed twice (KVO001 double-remove)")
    let shown = lines[3...].map { $0.replacing(#/\#\d+ removed/#, with: "#N removed") }
    #expect(shown[0].contains(#"its observation of "balance" from Account#"#))
    let frames = lines.filter { $0.hasPrefix("  > ") }
      .map { $0.replacing(#/\s{2,}/#, with: " ") }
    #expect(
      frames == [
        " > #0 removeTwice() Models.swift:39", " > #0 removeTwice() Models.swift:38",
        " > #0 removeTwice() Models.swift:37",
      ]
    )
  }

  @Test("does not fail for an expected fault, and fails if that does not happen")
  func expectations() {
    #expect(failure(expecting: [.doubleRemove]) { removeTwice() } == nil)
    #expect(
      failure(expecting: [.doubleRemove, .removeWrongContext]) { behave() }
        == "expected KVO001 double-remove, KVO003 remove-wrong-context, which did not happen"
    )
    #expect(codes(failure(expecting: [.removeUnregistered]) { removeTwice() }) == ["KVO001"])
    // Judged over several runs by an audit: that one run shows none proves nothing.
    #expect(failure(expecting: [.registrationGrowth, .consumerGrowth]) { behave() } == nil)
  }

  @Test("fails if nothing is observed, unless that is allowed")
  func vacuity() throws {
    // Other tests may observe meanwhile.
    let text = try #require(failure {})
    #expect(
      text.replacing(#/ \(\d+ observations? .*?\)/#, with: "") == """
        nothing was observed in this scope, so it proves nothing; if that is meant, say \
        allowsNoObservations: true
        """
    )
    #expect(failure(allowsNoObservations: true) {} == nil)
    // A change of an unobserved object is not an observation.
    #expect(failure { Account().balance = 1 } != nil)
  }

  @Test("says how many observations were made by threads that do not belong to it")
  func observationsElsewhere() throws {
    let text = try #require(
      failure {
        let thread = Thread { behave() }
        thread.start()
        while !thread.isFinished { sched_yield() }
      }
    )
    // Other tests may observe meanwhile, too.
    let shown = #/^nothing was observed in this scope \([1-9]\d* observations? (was|were) made /#
    #expect(text.contains(shown), "\(text)")
  }

  @Test("fails if a registration outlives it, unless that is expected")
  func leaks() {
    let account = Account()
    var tokens: [ObservationToken] = []
    let leaked = failure { tokens.append(account.observe(\.balance) { _, _ in }) }
    #expect(codes(leaked) == ["KVO021"])
    let meant = failure {
      tokens.append(
        account.observe(\.balance, expectedToLive: "lives as long as the app") { _, _ in }
      )
    }
    #expect(meant == nil)
    tokens.forEach { $0.invalidate() }
  }

  @Test("recognizes earlier registrations, and does not report them")
  func earlierRegistrations() {
    let account = Account()
    let screen = Screen()
    account.addObserver(screen, forKeyPath: "balance")
    #expect(failure { account.removeObserver(screen, forKeyPath: "balance") } == nil)
  }

  @Test("includes the events of its own objects on threads without a scope")
  func otherThreads() {
    let account = Account()
    let ended = failure {
      let token = account.observe(\.balance) { _, _ in }
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        token.invalidate()
        done.signal()
      }
      done.wait()
    }
    #expect(ended == nil)
  }

  @Test(
    "does not take a change on another thread of which it has a part for an unbalanced one",
    arguments: [false, true]
  )
  func changeInPart(beginsInside: Bool) {
    nonisolated(unsafe) let account = Account()
    let outside = account.observe(\.balance) { _, _ in }
    defer { outside.invalidate() }
    let (begin, begun) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let (end, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      begin.wait()
      account.willChangeValue(for: \.balance)
      begun.signal()
      end.wait()
      account.didChangeValue(for: \.balance)
      ended.signal()
    }
    let beginChange = {
      begin.signal()
      begun.wait()
    }
    if !beginsInside { beginChange() }
    let text = failure {
      if beginsInside { beginChange() }
      let token = account.observe(\.balance) { _, _ in }
      end.signal()
      ended.wait()
      token.invalidate()
    }
    #expect(text == nil)
  }

  @Test("fails for the end of a change that another thread has not begun")
  func endOfNoChange() {
    nonisolated(unsafe) let account = Account()
    let outside = account.observe(\.balance) { _, _ in }
    defer { outside.invalidate() }
    let text = failure {
      let token = account.observe(\.balance) { _, _ in }
      let ended = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        account.didChangeValue(for: \.balance)
        ended.signal()
      }
      ended.wait()
      token.invalidate()
    }
    #expect(codes(text) == ["KVO012"])
  }

  @Test("is judged if its body throws, and the error is rethrown")
  func throwing() {
    struct Failed: Error {}
    var reported: String?
    #expect(throws: Failed.self) {
      try AuditedScope.run(
        name: "throws",
        expectations: ScopeExpectations(),
        report: { reported = $0.text }
      ) {
        removeTwice()
        throw Failed()
      }
    }
    #expect(codes(reported) == ["KVO001"])
  }

  @Test("does not mix with scopes that run beside it")
  func parallelScopes() async {
    // Only observed, which any thread may do.
    nonisolated(unsafe) let shared = Account()
    await withTaskGroup(of: Bool.self) { group in
      for index in 0..<32 {
        group.addTask {
          var reported: String?
          await AuditedScope.run(
            name: "scope \(index)",
            expectations: ScopeExpectations(),
            report: { reported = $0.text }
          ) {
            for _ in 0..<20 {
              let token = shared.observe(\.balance) { _, _ in }
              await Task.yield()
              token.invalidate()
              if index % 2 == 0 { removeTwice() } else { behave() }
            }
          }
          return codes(reported) == (index % 2 == 0 ? ["KVO001"] : [])
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }

  @Test("threshold: a warning fails by default, not if only errors count")
  func thresholds() {
    func addTwice() {
      let account = Account()
      let screen = Screen()
      for _ in 1...2 { account.addObserver(screen, forKeyPath: "balance") }
      for _ in 1...2 { account.removeObserver(screen, forKeyPath: "balance") }
    }
    #expect(codes(failure { addTwice() }) == ["KVO005"])
    #expect(failure(threshold: .error) { addTwice() } == nil)
  }

  @Test("every rule of the catalogue has its name here")
  func ruleNames() {
    let names: [ObservationRule] = [
      .doubleRemove, .removeUnregistered, .removeWrongContext, .ambiguousRemove,
      .duplicateRegistration, .observedDeinitWhileObserved, .observerDeinitWhileRegistered,
      .deliveryToDead, .deliveryAfterRemove, .removeDuringInitial, .registrationRace,
      .unbalancedChange, .priorWithoutAfter, .mutationWithoutNotification,
      .deepPathIntermediateDeath, .weakLinkSilentlyNil, .unhandledNotification,
      .contextCollision, .observationRetainCycle, .selfObservation, .leakedRegistration,
      .registrationGrowth, .offExecutorDelivery, .concurrentChange, .concurrentRemoval,
      .callbackUnderLock, .reentrantChange, .dependencyCycle, .uncompliantPath,
      .classChangedUnderObservation, .tokenDropped, .missedDelivery, .displacedRegistration,
      .callbackRaised, .ignoredDependency, .parkedConsumer, .consumerGrowth, .continuationDropped,
      .continuationResumedTwice,
    ]
    #expect(
      names.map(\.identifier)
        == (Array(1...32) + Array(38...44)).map { "KVO" + String("00\($0)".suffix(3)) }
    )
  }

  @Test("fails at the line from the compiler if the user's frame has none")
  func placeOfMergedFunction() {
    func place(_ line: Int, site: String?) -> String? {
      let frame = Finding.StackFrame(
        symbol: "merged close()",
        file: line > 0 ? "Screen.swift" : nil,
        line: line,
        isFirstOwn: true
      )
      let stack = Finding.Stack(role: .failed, event: 1, site: site, frames: [frame])
      return ScopeVerdict.place(of: stack).map { "\($0.file):\($0.line)" }
    }
    #expect(place(12, site: "Screen.swift:29") == "Screen.swift:12")
    #expect(place(0, site: "Screen.swift:29") == "Screen.swift:29")
    #expect(place(0, site: "Screen.swift") == nil)
    #expect(place(0, site: nil) == nil)
  }
}
