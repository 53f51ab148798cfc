import KVORules
import KVOTrace

// The firing logs of facts that a log spells in more than one way: a class and the one that a runtime made of it, one
// declaration in several lines, and holds that end with their observation.
extension FiringLog {
  private static let notifying = "NSKVONotifying_Account#12"

  /// A probe sees two values of a key, between which `key` is changed.
  private static func probed(_ key: String, _ object: String = notifying) -> SampleLog {
    SampleLog {
      $0.write("a", object)
      $0.will(object, key)
      $0.did(object, key)
      $0.write("b", object)
      $0.exit()
    }
  }

  private static func declared(
    _ log: SampleLog,
    _ dependencies: [[String]],
    by className: String = "Account"
  ) -> SampleLog {
    dependencies.reversed().reduce(log) { log, keys in
      log.inserting(before: 1) { $0.declare("balance", affectedBy: keys, by: className) }
    }
  }

  /// Two threads change two keys of one object.
  private static func overlapping(_ object: String) -> SampleLog {
    SampleLog {
      $0.will(object, "gross")
      $0.will(object, "tax", thread: "2")
      $0.did(object, "gross")
      $0.did(object, "tax", thread: "2")
      $0.exit()
    }
  }

  private static let cyclic = SampleLog {
    $0.declare("net", affectedBy: ["gross"])
    $0.declare("gross", affectedBy: ["net"])
    $0.declare("gross", affectedBy: ["tax"])
    $0.exit()
  }

  private static let otherClass = SampleLog {
    $0.register()
    $0.changeClass(to: "NSKVONotifying_Other", isKVOSubclass: true)
    $0.remove("1")
    $0.exit()
  }

  private static let heldByToken = SampleLog {
    $0.register(by: nil, form: .token, token: "token:Token#9")
    $0.hold("Screen#3", "token:Token#9", label: "token")
    $0.hold("token:Token#9", "closure:handler#10", label: "handler")
    $0.hold("closure:handler#10", "Screen#3", label: "capture of self")
    $0.exit()
  }

  static let spelled = [
    FiringLog(
      code: .mutationWithoutNotification,
      log: declared(probed("tax"), [["gross"]]),
      outcome: ["KVO014@5"],
      twins: [
        ("what it depends on was changed", declared(probed("gross"), [["gross"]])),
        (
          "declared by the class that the runtime made",
          declared(probed("gross", "Account#12"), [["gross"]], by: "NSKVONotifying_Account")
        ),
        (
          "by GNUstep's",
          declared(probed("gross", "GSKVOAccount#12"), [["gross"]])
        ),
        ("declared in two lines, by the first", declared(probed("gross"), [["gross"], ["tax"]])),
        ("declared in two lines, by the second", declared(probed("tax"), [["gross"], ["tax"]])),
        (
          "declared again without what it depends on",
          declared(probed("gross"), [["gross"], []])
        ),
      ]
    ),
    FiringLog(
      code: .concurrentChange,
      log: declared(overlapping(notifying), [["gross", "tax"]]),
      outcome: ["KVO024@3"],
      twins: [
        ("of another class", declared(overlapping(notifying), [["gross", "tax"]], by: "Bank"))
      ]
    ),
    FiringLog(
      code: .concurrentChange,
      log: declared(overlapping("Account#12"), [["gross"], ["tax"]]),
      outcome: ["KVO024@4"],
      twins: [("on one of them", declared(overlapping("Account#12"), [["gross"], ["gross"]]))]
    ),
    FiringLog(
      code: .dependencyCycle,
      log: cyclic,
      outcome: ["KVO028@2"],
      twins: [("without the first of two lines", cyclic.without(2))]
    ),
    FiringLog(
      code: .classChangedUnderObservation,
      log: otherClass,
      outcome: ["KVO030@3"],
      twins: [
        (
          "the runtime's class of its own",
          otherClass.replacing(2) {
            $0.changeClass(to: "NSKVONotifying_Account", isKVOSubclass: true)
          }
        ),
        (
          "the runtime's class again",
          otherClass.inserting(before: 3) {
            $0.changeClass(to: "NSKVONotifying_Account", isKVOSubclass: true)
          }
        ),
        (
          "a class without a known prefix",
          otherClass.replacing(2) {
            $0.changeClass(to: "Other", isKVOSubclass: true)
          }
        ),
        (
          "the runtime's class from the beginning, and its own then",
          otherClass.replacing(1) { $0.register("1", notifying) }
            .replacing(2) { $0.changeClass(notifying, to: "Account") }
        ),
        (
          "the same twice",
          otherClass.inserting(before: 1) {
            $0.changeClass(to: "NSKVONotifying_Other", isKVOSubclass: true)
          }.replacing(3) { $0.changeClass(to: "Other") }
        ),
      ]
    ),
    FiringLog(
      code: .observationRetainCycle,
      log: heldByToken,
      outcome: ["KVO019@4"],
      twins: [
        ("the observation ends", heldByToken.inserting(before: 5) { $0.cancel(by: .user) }),
        ("the token is deallocated", heldByToken.inserting(before: 5) { $0.endDeinit("Token#9") }),
      ]
    ),
  ]
}
