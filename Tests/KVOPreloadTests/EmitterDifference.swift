import Testing

/// A run of a program in which the emitter finds otherwise than the preloaded library, and why.
struct EmitterDifference: Sendable {
  /// The program and its arguments.
  let run: String
  /// The rules that the library alone finds broken, in the order of their codes.
  var missing: [String] = []
  /// The rules that the emitter alone finds broken, likewise.
  var additional: [String] = []
  /// The rules that differ on a newer GNUstep and not on the distribution's.
  var onNewer: [String] = []
  /// The rules in `missing` whose findings differ in number from run to run, because threads meet by chance.
  var varying: Set<String> = []
  let why: String

  static let all = callbacks + changes + others

  private static let noCallbacks =
    "the emitter replaces no class's observeValueForKeyPath:…: it sees neither that an observer is called nor how that ends"

  private static let callbacks: [EmitterDifference] = [
    ("Faults added-twice-with-path", ["KVO009"]), ("Faults deaf", ["KVO017"]),
    ("Mistakes deaf-before-others", ["KVO017"]), ("Mistakes deaf-before-change", ["KVO017"]),
    ("Mistakes passes-on-copy", ["KVO017"]),
    ("Faults removed-while-initial", ["KVO010"]), ("Mistakes initial-raises", ["KVO039"]),
    ("Mistakes initial-raises-changed", ["KVO039"]), ("Correct initial-raises", ["KVO039"]),
    ("Mistakes prior-raises", ["KVO039"]),
    ("Random 977 2 raised", ["KVO039"]),
  ].map { EmitterDifference(run: $0.0, missing: $0.1, why: noCallbacks) }

  private static let noChanges =
    "the emitter replaces neither willChangeValueForKey: nor didChangeValueForKey:"

  private static let changes: [EmitterDifference] = [
    ("Faults unbalanced", ["KVO012"]), ("Faults added-while-changing", ["KVO011"]),
    ("Mistakes added-to-unobserved", ["KVO011"]), ("Mistakes added-elsewhere", ["KVO011"]),
    ("Mistakes ends-at-address", ["KVO012"]), ("Mistakes never-ends", ["KVO012"]),
    ("Mistakes proxy-raises", ["KVO012"]), ("Mistakes announced", ["KVO012"]),
    ("Mistakes setter-raises", ["KVO012"]), ("Ported early", ["KVO012"]),
    ("Mistakes key-changes", ["KVO012", "KVO012"]),
    ("Mistakes ends-with-dependent", ["KVO012"]),
    ("Random 977 2 end-only", ["KVO012"]), ("Random 977 2 begin-only", ["KVO012"]),
    ("Random 977 2 added-inside", ["KVO011"]),
  ].map { EmitterDifference(run: $0.0, missing: $0.1, why: noChanges) }

  private static let noClasses =
    "the emitter writes no `class` events: it does not compare an object's class with that at the addition"

  private static let noCleanUp =
    "the emitter's clean-up does not run for an exception that nothing catches"

  private static let noDependencies =
    "the emitter does not ask a class for key paths that 1.28 does not ask it for"

  private static let noNames = """
    the emitter writes addresses alone: a GNUstep without symbols has no names of methods that say that NSOperation acts \
    on its own behalf, which the library takes from the runtime
    """

  private static let others: [EmitterDifference] = [
    EmitterDifference(
      run: "Faults changed-inside",
      missing: ["KVO032"],
      onNewer: ["KVO027"],
      why: "\(noChanges), and \(noCallbacks)"
    ),
    EmitterDifference(run: "Mistakes crosses", missing: ["KVO012"], why: noChanges),
    EmitterDifference(
      run: "Mistakes raises",
      missing: ["KVO032", "KVO032", "KVO039"],
      why: "\(noChanges), and \(noCallbacks)"
    ),
    EmitterDifference(
      run: "Mistakes raises-through",
      missing: ["KVO032", "KVO039", "KVO039"],
      why: "\(noChanges), and \(noCallbacks)"
    ),
    EmitterDifference(run: "Faults class-changed", missing: ["KVO030"], why: noClasses),
    EmitterDifference(run: "Deaths changed-class", missing: ["KVO030"], why: noClasses),
    EmitterDifference(run: "Deaths dependent-key", missing: ["KVO040"], why: noDependencies),
    EmitterDifference(
      run: "Faults leaked",
      missing: ["KVO021"],
      why:
        "the emitter has no scopes: the program finds kvo_safety_scope_begin in the library alone"
    ),
    EmitterDifference(
      run: "Faults removed-by-two-threads",
      missing: ["KVO025"],
      additional: ["KVO001"],
      why:
        "the emitter replaces the root class's methods alone, and SlowAccount's override has one thread call it after the other"
    ),
    EmitterDifference(
      run: "Faults removed-while-dying",
      missing: ["KVO025"],
      additional: ["KVO006"],
      why:
        "the emitter replaces the root class's methods alone, and SlowAccount's override does not call it any more"
    ),
    EmitterDifference(
      run: "Mistakes misspelt",
      missing: ["KVO029"],
      why: "the emitter does not ask a class whether it has a key that the runtime takes in silence"
    ),
    EmitterDifference(run: "Mistakes beyond-ascii", missing: ["KVO029"], why: noCleanUp),
    EmitterDifference(run: "Observing raising", missing: ["KVO029"], why: noCleanUp),
    EmitterDifference(
      run: "Random 977 2 misspelt",
      missing: ["KVO029"],
      why: "the emitter does not ask a class whether it has a key that the runtime takes in silence"
    ),
    EmitterDifference(
      run: "Mistakes ignored-dependency",
      missing: ["KVO040"],
      why: noDependencies
    ),
    EmitterDifference(
      run: "Correct own-dependency",
      missing: ["KVO012", "KVO040"],
      why: "\(noChanges), and \(noDependencies)"
    ),
    EmitterDifference(
      run: "Correct operations",
      missing: ["KVO001", "KVO012", "KVO020"],
      additional: ["KVO001", "KVO020"],
      varying: ["KVO012"],
      why: """
        \(noChanges), and \(noNames); of which of a queue's keys two threads announce changes at once is chance
        """
    ),
    EmitterDifference(
      run: "Ported operation",
      missing: ["KVO001", "KVO020"],
      additional: ["KVO001", "KVO020"],
      why: noNames
    ),
  ]
}
