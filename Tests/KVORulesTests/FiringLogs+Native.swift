import KVORules
import KVOTrace

// The firing logs of faults that depend on an Objective-C Foundation's implementation.
extension FiringLog {
  private static let displaced = SampleLog {
    $0.process(runtime: .gnustep128)
    $0.register("1", context: "a")
    $0.register("2", context: "b", stack: ["Screen.appear() (Screen.swift:20)"])
    $0.cancel("1", by: .runtime)
    $0.remove(context: "a")
    $0.cancel("2", by: .runtime)
    $0.remove(context: "b")
    $0.exit()
  }

  private static let raised = SampleLog {
    $0.register()
    $0.will(change: "c")
    $0.did(change: "c")
    $0.notify(change: "c")
    $0.notifyEnd(change: "c", exception: "Brittle", stack: ["Screen.told() (Screen.swift:30)"])
    $0.remove("1")
    $0.exit()
  }

  private static let ignored = SampleLog {
    $0.register()
    $0.declare("balance", affectedBy: [], problem: .ignoredDependencies)
    $0.remove("1")
    $0.exit()
  }

  static let native = [
    FiringLog(
      code: .displacedRegistration,
      log: displaced,
      outcome: ["KVO038@3"],
      twins: [
        (
          "by another observer",
          SampleLog {
            $0.process(runtime: .gnustep128)
            $0.register("1", context: "a")
            $0.register("2", by: "Screen#4", context: "b")
            $0.remove("1", context: "a")
            $0.remove("2", by: "Screen#4", context: "b")
            $0.exit()
          }
        ),
        (
          "on a runtime that keeps both",
          SampleLog {
            $0.process(runtime: .gnustepModern)
            $0.register("1", context: "a")
            $0.register("2", context: "b")
            $0.remove("1", context: "a")
            $0.remove("2", context: "b")
            $0.exit()
          }
        ),
      ]
    ),
    FiringLog(
      code: .callbackRaised,
      log: raised,
      outcome: ["KVO039@5"],
      twins: [("it returned", raised.replacing(5) { $0.notifyEnd(change: "c") })]
    ),
    FiringLog(
      code: .ignoredDependency,
      log: ignored,
      outcome: ["KVO040@2"],
      twins: [
        (
          "nothing is wrong with the key",
          ignored.replacing(2) { $0.declare("balance", affectedBy: []) }
        )
      ]
    ),
  ]
}
