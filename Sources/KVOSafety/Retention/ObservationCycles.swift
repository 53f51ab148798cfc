internal import KVORecorder
internal import KVORules
internal import KVOTrace

/// The result of a reference walk: observations that keep themselves alive.
///
/// It describes the moment of the walk. No walk can prove that a cycle is a leak: the program may break it later, which
/// a log then records.
public struct ObservationCycles: Hashable, Sendable {
  /// The summary of the answer.
  public enum Verdict: Hashable, Sendable {
    /// There are cycles: see ``ObservationCycles/cycles``.
    case cycles
    /// There is none, and all reached references were understood.
    case noneFound
    /// None was found, and there are things that could not be inspected: see
    /// ``ObservationCycles/notLookedInto``.
    case inconclusive
  }

  /// One cycle of strong references with an observation in it.
  public struct Cycle: Hashable, Sendable, CustomStringConvertible {
    /// The objects from the one that holds the observation and back to it, as reports name them:
    /// `Screen#3`.
    public let objects: [String]
    /// The reference from each of them to the next: a property, `handler`, `capture of self`.
    public let references: [String]
    /// Which of the references is best made weak, as an index into ``references``.
    public let indexToWeaken: Int

    /// `Screen#3 → observation → ObservationToken#9 → handler → closure#14 → capture of self → Screen#3`.
    public var description: String {
      zip(objects, references).reduce("") { $0 + "\($1.0) → \($1.1) → " } + (objects.last ?? "")
    }
  }

  /// The cycles, the shortest through each observation.
  public let cycles: [Cycle]
  /// Memory that may hold references and could not be inspected, each with the reason.
  public internal(set) var notLookedInto: [String]
  /// The waiting tasks that hold an object which should have been deallocated, a line for those that hold it by the same
  /// references: `Task waiting at Screen.swift:22 → closure capture of self → Screen`.
  ///
  /// Searched for by ``KVO/expectDeallocation(of:within:isolation:)`` if no observation keeps the object alive; empty
  /// otherwise.
  public internal(set) var waitingTasks: [String] = []

  /// The summary of the answer.
  public var verdict: Verdict {
    if !cycles.isEmpty { return .cycles }
    return notLookedInto.isEmpty ? .noneFound : .inconclusive
  }

  /// The answer of a program without a walker.
  static let notInstalled = ObservationCycles(
    cycles: [],
    notLookedInto: [
      "this program: nothing here reads memory; link KVORetention and call RetainSearch.install()"
    ]
  )
}

extension ObservationCycles: CustomStringConvertible {
  /// The answer as a report prints it, a line for each cycle and for each uninspected item.
  public var description: String {
    let heading =
      switch verdict {
      case .cycles:
        cycles.count == 1
          ? "1 observation keeps itself alive"
          : "\(cycles.count) observations keep themselves alive"
      case .noneFound: "no observation keeps itself alive"
      case .inconclusive: "no retain cycle found; not everything could be inspected"
      }
    let lines = cycles.map { "  \($0)" } + notLookedInto.map { "  not inspected: \($0)" }
    let holders = waitingTasks.map { "  \($0)" }
    let held = holders.isEmpty ? [] : ["held by waiting tasks"] + holders
    return ([heading] + lines + held).joined(separator: "\n")
  }
}

extension ObservationCycles {
  /// The summary of the verdicts about one walk.
  init(_ verdicts: [KVORules.Verdict], notLookedInto: [String]) {
    cycles = verdicts.map(Cycle.init)
    self.notLookedInto = notLookedInto
  }
}

extension ObservationCycles.Cycle {
  fileprivate init(_ verdict: Verdict) {
    let names = Recorder.shared.names
    func text(_ object: ObjectRef) -> String {
      "\(names[object.className])#\(names.text(of: object.id))"
    }
    guard case .cycle(let edges) = verdict.detail, let first = edges.first else {
      (objects, references, indexToWeaken) = ([], [], 0)
      return
    }
    objects = [text(first.from)] + edges.map { text($0.to) }
    references = edges.map { names[$0.label] }
    indexToWeaken = edges.indexToWeaken ?? 0
  }
}
