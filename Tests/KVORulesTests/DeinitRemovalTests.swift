import KVOTrace
import Testing

@testable import KVORules

/// KVO025 for removals from an object that is being deallocated.
@Suite("Removals from a deinit")
struct DeinitRemovalTests {
  /// A deinit that begins where the object is released, and a removal on another thread.
  private func outcome(of runtime: ProcessInfo.Runtime?) -> [String] {
    SampleLog {
      $0.process(runtime: runtime)
      $0.register()
      $0.beginDeinit("Account#12", stack: ["Bank.close() (Bank.swift:8)"])
      $0.remove("1", thread: "2")
      $0.removeEnd("1", thread: "2")
      $0.endDeinit("Account#12")
      $0.exit()
    }.outcome()
  }

  /// An isolated deinit runs on its actor, and every log file of a process has its runtime.
  @Test("in Swift only the deinit has a reference to the object, so it is the deinit that removes")
  func swift() { #expect(outcome(of: .swift) == []) }

  @Test(
    "elsewhere a thread may use an object that it did not retain",
    arguments: [nil, .apple, .gnustep128, .gnustepModern] as [ProcessInfo.Runtime?]
  )
  func others(runtime: ProcessInfo.Runtime?) { #expect(outcome(of: runtime) == ["KVO025@4"]) }
}
