import KVORules
import KVOTrace
import Testing

// Not among the twins of firing logs: without their beginning these logs rise at every end.
@Suite("A scope of which one run left nothing")
struct EmptiedScopeTests {
  /// The registrations that each of `counts` runs leaves live at its end.
  private func outcome(registrations counts: [Int]) -> [String] {
    SampleLog { log in
      var live: [Int] = []
      var last = 0
      for (run, count) in counts.enumerated() {
        let scope = "\(run)"
        log.beginScope(scope, name: "open page")
        while live.count > count {
          let ended = live.removeFirst()
          log.remove("\(ended)", "Page#1\(ended)", by: "Screen#3", "title")
        }
        while live.count < count {
          last += 1
          live.append(last)
          log.register(
            "\(last)",
            "Page#1\(last)",
            by: "Screen#3",
            "title",
            expectedToLive: "a cache",
            scope: scope
          )
        }
        log.endScope(scope)
      }
      log.exit()
    }
    .outcome().map { String($0.prefix(6)) }
  }

  @Test(
    "does not leave more registrations at every end (KVO022)",
    arguments: [
      ([1, 2, 3], ["KVO022"]), ([0, 0, 1, 2, 3], ["KVO022"]), ([1, 0, 1, 2, 3], []),
      ([5, 0, 1, 2, 3], []), ([1, 2, 3, 0], []), ([2, 1, 2, 3], []),
    ]
  )
  func registrations(counts: [Int], expected: [String]) {
    #expect(outcome(registrations: counts) == expected)
  }

  @Test("does not leave more consumers at every end (KVO042)")
  func consumers() {
    func outcome(isEmptied: Bool) -> [String] {
      SampleLog { log in
        log.run(1)
        if isEmptied {
          log.beginScope("s2", name: "open")
          log.endConsumer("1", .cancelled)
          log.endScope("s2")
        }
        for number in 3...5 { log.run(number) }
        log.exit()
      }
      .outcome().map { String($0.prefix(6)) }
    }
    #expect(outcome(isEmptied: false) == ["KVO042"])
    #expect(outcome(isEmptied: true) == [])
  }
}
