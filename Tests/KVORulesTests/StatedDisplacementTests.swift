import KVORules
import KVOTrace
import Testing

/// A log need not state its runtime, but what that did.
@Suite("An observation that the runtime ended, by the log")
struct StatedDisplacementTests {
  private func outcome(_ write: (inout SampleLog) -> Void) -> [String] {
    SampleLog(write).outcome()
  }

  @Test("was displaced by a later one of the same names under another context")
  func displaced() {
    let log = SampleLog {
      $0.register("1", context: "a")
      $0.register("2", context: "b")
      $0.cancel("1", by: .runtime)
      $0.remove(context: "a")
      $0.cancel("2", by: .runtime)
      $0.remove(context: "b")
      $0.exit()
    }
    #expect(log.outcome() == ["KVO038@2"])
    // As a runtime that keeps both, and as one that displaces by itself.
    #expect(log.outcome(profile: .appleModern) == [])
    #expect(log.outcome(profile: .gnustep128) == ["KVO038@2"])
  }

  @Test("was not displaced by another observer's, or by an older one")
  func others() {
    #expect(
      outcome {
        $0.register("1", context: "a")
        $0.register("2", by: "Screen#4", context: "b")
        $0.cancel("1", by: .runtime)
        $0.remove("2", by: "Screen#4", context: "b")
        $0.exit()
      } == []
    )
    #expect(
      outcome {
        $0.register("1", context: "a")
        $0.register("2", context: "b")
        $0.cancel("2", by: .runtime)
        $0.remove("1", context: "a")
        $0.exit()
      } == []
    )
  }

  @Test("was not displaced by a later one that had ended")
  func endedNamesake() {
    #expect(
      outcome {
        $0.register("1", context: "a")
        $0.register("2", context: "b")
        $0.remove("2", context: "b")
        $0.cancel("1", by: .runtime)
        $0.exit()
      } == []
    )
  }

  @Test("under the same context is a duplicate, which its addition was reported as")
  func duplicate() {
    #expect(
      outcome {
        $0.register("1", context: "a")
        $0.register("2", context: "a")
        $0.cancel("1", by: .runtime)
        $0.remove("2", context: "a")
        $0.exit()
      } == ["KVO005@2"]
    )
  }
}
