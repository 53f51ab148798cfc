import KVORules
import Testing

@Suite("A scope that an addition does not state")
struct InferredScopeTests {
  /// The confidence of each leak of a registration that its scope leaves.
  private func confidences(scope: String?, hasThreads: Bool) -> [Confidence] {
    var log = SampleLog {
      $0.beginScope("s")
      $0.register("1", scope: scope)
      $0.endScope("s")
      $0.remove("1")
    }
    if !hasThreads { log.forgetThreads() }
    return log.verdicts().filter { $0.code == .leakedRegistration }.map(\.confidence)
  }

  @Test("is that of its thread, and uncertain without a thread")
  func confidence() {
    #expect(confidences(scope: nil, hasThreads: true) == [.high])
    #expect(confidences(scope: "s", hasThreads: true) == [.high])
    #expect(confidences(scope: "s", hasThreads: false) == [.high])
    #expect(confidences(scope: nil, hasThreads: false) == [.low])
  }

  @Test("makes a growth uncertain, too (KVO022)", arguments: [nil, "s"], [true, false])
  func growth(scope: String?, hasThreads: Bool) {
    var log = SampleLog { log in
      for run in 1...3 {
        log.beginScope("\(run)", name: "visit")
        log.register("\(run)", by: "Screen#\(run)", scope: scope.map { _ in "\(run)" })
        log.endScope("\(run)")
      }
    }
    if !hasThreads { log.forgetThreads() }
    let found = log.verdicts().filter { $0.code == .registrationGrowth }.map(\.confidence)
    #expect(found == [scope == nil && !hasThreads ? .low : .high])
  }
}
