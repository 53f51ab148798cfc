internal import KVORecorder
package import KVORules
package import KVOTrace

extension KVO {
  /// Finds the observations that keep themselves alive, among the objects that are reached from `roots`.
  ///
  /// ```swift
  /// RetainSearch.install()  // of KVORetention, once
  /// print(KVO.findRetainCycles(from: screen))
  /// ```
  ///
  /// Strong references are followed by reading memory: no getter, description or comparison of the
  /// program's runs. A cycle that is found goes through an observation: a token, a controller, or the
  /// closure that an observed object keeps. It is reported as KVO019, as ``policy`` says, with the line
  /// that registered and the reference that is best made weak, and recorded in the log; when one of its
  /// objects dies later, or the observation ends, the log takes it back. Other cycles `RetainSearch` of
  /// KVORetention finds.
  ///
  /// No other thread may change what is reached meanwhile, or the process may crash: call it where the
  /// program is at rest, such as on the main actor of a program whose screens live there, or at the end
  /// of a test. It waits for a walk that another thread makes. Must not be called with a lock of the
  /// program held that a release of its objects takes.
  ///
  /// - Parameter roots: where to begin; they are alive until the call returns.
  /// - Returns: the cycles, or that there are none, or what could not be looked into. Without
  ///   KVORetention nothing can be.
  /// - Complexity: O(n) in the objects and references that are reached; for each observation that keeps
  ///   itself alive O(n) in those that keep each other alive, up to a bound.
  @discardableResult
  public static func findRetainCycles(from roots: AnyObject...) -> ObservationCycles {
    findRetainCycles(from: roots, names: nil)
  }

  /// As ``findRetainCycles(from:)``, with the lines of closures.
  @discardableResult
  package static func findRetainCycles(
    from roots: [AnyObject],
    names: CodeNames?
  ) -> ObservationCycles {
    guard let walker = RetainMeeting.walker else { return .notInstalled }
    let walk = walker.walk(from: roots, throughObservations: nil, names: names)
    let references = roots.map { ObjectTable.shared.record(of: $0).ref }
    return withExtendedLifetime(roots) { report(walk, from: references) }
  }

  /// Finds which of some registrations keep themselves alive, from what they themselves hold.
  ///
  /// Registrations that have ended count for nothing; where all have, there is no walk.
  @discardableResult
  package static func findRetainCycles(
    throughRegistrations ids: Set<RegistrationID>,
    names: () -> CodeNames?
  ) -> ObservationCycles? {
    let observations = observations(ids)
    guard !observations.isEmpty, let walker = RetainMeeting.walker else { return nil }
    let walk = walker.walk(
      from: observations,
      throughObservations: observations,
      names: names()
    )
    return withExtendedLifetime(observations) { report(walk, from: subjects(of: observations)) }
  }

  private static func report(_ walk: RetainWalk, from roots: [ObjectRef]) -> ObservationCycles {
    let references = WalkedReferences(walk, from: roots)
    let verdicts = references.judge(isAsserted: false)
    LiveMonitor.shared.report(verdicts)
    return ObservationCycles(verdicts, notLookedInto: references.notLookedInto)
  }
}

// What tests assert: a log has it as asserted, so that the finding stays when the cycle is broken later.
extension KVO {
  /// Judges and records what a walk saw where a test asserts that no observation keeps itself alive.
  ///
  /// The failure of the test is the report: the policy's `report` writes nothing. Its other reactions are
  /// carried out.
  ///
  /// - Parameters:
  ///   - walk: what was seen, which must not have changed since.
  ///   - roots: where the walk began.
  /// - Returns: a verdict for each cycle.
  package static func judgeAsserted(_ walk: RetainWalk, from roots: [AnyObject]) -> [Verdict] {
    let references = roots.map { ObjectTable.shared.record(of: $0).ref }
    return withExtendedLifetime(roots) { judgeAsserted(walk, from: references) }
  }

  /// As ``judgeAsserted(_:from:)``, of what some registrations hold that have not ended.
  package static func judgeAsserted(
    throughRegistrations ids: Set<RegistrationID>,
    names: CodeNames?
  ) -> [Verdict] {
    let observations = observations(ids)
    guard !observations.isEmpty, let walker = RetainMeeting.walker else { return [] }
    let walk = walker.walk(
      from: observations,
      throughObservations: observations,
      names: names
    )
    return withExtendedLifetime(observations) {
      judgeAsserted(walk, from: subjects(of: observations))
    }
  }

  private static func judgeAsserted(_ walk: RetainWalk, from roots: [ObjectRef]) -> [Verdict] {
    let verdicts = WalkedReferences(walk, from: roots).judge(isAsserted: true)
    LiveMonitor.shared.report(verdicts, isAsserted: true)
    return verdicts
  }

  private static func observations(_ ids: Set<RegistrationID>) -> [Observation] {
    if ids.isEmpty { return [] }
    return ObjectTable.shared.subjects.flatMap { storage in
      storage.registrations.compactMap { registration in
        registration.id.flatMap { ids.contains($0) ? storage.observation($0) : nil }
      }
    }
  }

  private static func subjects(of observations: [Observation]) -> [ObjectRef] {
    var seen: Set<ObjectID> = []
    return observations.map(\.registration.subject).filter { seen.insert($0.id).inserted }
  }
}
