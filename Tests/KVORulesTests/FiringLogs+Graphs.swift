import KVORules
import KVOTrace

// The firing logs of faults in the whole log: references, dependencies, runs, and call sites.
extension FiringLog {
  private static let twoOwners = SampleLog {
    $0.register("1", at: "Base.swift:9", stack: ["Base.init() (Base.swift:9)"])
    $0.register("2", at: "Screen.swift:12")
    $0.remove("2")
    $0.remove("1")
    $0.exit()
  }

  private static let walked = SampleLog {
    $0.register(by: nil, form: .token, token: "token:Token#9")
    $0.registerEnd()
    $0.beginWalk()
    $0.hold("Screen#3", "token:Token#9", label: "token")
    $0.hold("token:Token#9", "closure:handler#10", label: "handler")
    $0.hold("closure:handler#10", "Screen#3", label: "capture of self", at: "Screen.swift:14")
    $0.endWalk()
    $0.exit()
  }

  private static let held = SampleLog {
    $0.hold("Screen#3", "registry:Controller#4", label: "controller")
    $0.hold("registry:Controller#4", "Screen#3", label: "observed")
    $0.exit()
  }

  private static let cycle = SampleLog {
    $0.declare("net", affectedBy: ["gross"], by: "Base")
    $0.declare("gross", affectedBy: ["net", "tax"], superclass: "Base")
    $0.exit()
  }

  /// Three runs of a scope, each of which leaves one more observation.
  private static let growing = SampleLog { log in
    for run in 1...3 {
      log.beginScope("\(run)", name: "open page")
      log.register(
        "\(run)",
        "Page#1\(run)",
        by: "Screen#3",
        "title",
        expectedToLive: "a cache",
        scope: "\(run)"
      )
      log.endScope("\(run)")
    }
    log.exit()
  }

  static let graphs = [
    FiringLog(
      code: .contextCollision,
      log: twoOwners,
      outcome: ["KVO018@2"],
      twins: [
        (
          "contexts of their own",
          twoOwners.replacing(2) { $0.register("2", context: "b", at: "Screen.swift:12") }
            .replacing(3) { $0.remove("2", context: "b") }
        ),
        (
          "one after the other",
          twoOwners.without(4).inserting(before: 2) { $0.remove("1") }
        ),
      ]
    ),
    FiringLog(
      code: .observationRetainCycle,
      log: walked,
      outcome: ["KVO019@6"],
      twins: [
        (
          "captured weakly",
          walked.replacing(6) {
            $0.hold("closure:handler#10", "Screen#3", .weak, label: "capture of self")
          }
        ),
        (
          "no observation on it",
          walked.replacing(4) { $0.hold("Screen#3", "Page#9") }
            .replacing(5) { $0.hold("Page#9", "Page#10") }
            .replacing(6) { $0.hold("Page#10", "Screen#3") }
        ),
        (
          "dropped, without a label",
          walked.inserting(before: 8) {
            $0.drop("token:Token#9", "closure:handler#10", label: "")
          }
        ),
        ("it unobserves itself", walked.inserting(before: 8) { $0.cancel(by: .user) }),
        ("one of them is deallocated", walked.inserting(before: 8) { $0.endDeinit("Screen#3") }),
        (
          "dropped",
          walked.inserting(before: 8) {
            $0.drop("token:Token#9", "closure:handler#10", label: "handler")
          }
        ),
        (
          "in two pictures",
          walked.inserting(before: 6) { $0.endWalk() }.inserting(before: 7) { $0.beginWalk() }
        ),
      ]
    ),
    FiringLog(
      code: .observationRetainCycle,
      log: held,
      outcome: ["KVO019@2"],
      twins: [
        ("weakly", held.replacing(2) { $0.hold("registry:Controller#4", "Screen#3", .weak) }),
        ("dropped", held.inserting(before: 3) { $0.drop("registry:Controller#4", "Screen#3") }),
        ("both die", held.inserting(before: 3) { $0.endDeinit("Screen#3") }),
      ]
    ),
    FiringLog(
      code: .dependencyCycle,
      log: cycle,
      outcome: ["KVO028@2"],
      twins: [
        (
          "on a stored key",
          cycle.replacing(2) {
            $0.declare("gross", affectedBy: ["tax"], superclass: "Base")
          }
        ),
        (
          "of unrelated classes",
          cycle.replacing(2) {
            $0.declare("gross", affectedBy: ["net"])
          }
        ),
      ]
    ),
    FiringLog(
      code: .registrationGrowth,
      log: growing,
      outcome: ["KVO022@9"],
      twins: [
        ("two runs", growing.without(9)),
        (
          "removed in between",
          growing.inserting(before: 6) {
            $0.remove("1", "Page#11", by: "Screen#3", "title")
          }
        ),
        ("other scopes", growing.replacing(7) { $0.beginScope("3", name: "close page") }),
        ("nothing new in one of them", growing.without(5)),
        (
          "another line",
          growing.replacing(5) {
            $0.register(
              "2",
              "Page#12",
              by: "Screen#3",
              "title",
              at: "Screen.swift:77",
              expectedToLive: "a cache",
              scope: "2"
            )
          }
        ),
      ]
    ),
  ]
}
