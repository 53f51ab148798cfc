internal import KVORecorder
package import KVORetainRegistry
package import KVORules
package import KVOTrace

extension KVO {
  /// Finds the observations that keep themselves alive, among the objects that are reachable from `roots`.
  ///
  /// ```swift
  /// RetainSearch.install()  // of KVORetention, once
  /// print(KVO.findRetainCycles(from: screen))
  /// ```
  ///
  /// Strong references are followed by reading memory: no getter, description or comparison of the program runs. A
  /// found cycle contains an observation: a token, a controller, or the closure that an observed object keeps. An
  /// observation whose token or controller only an object outside of the cycle owns does not count: it ends with that
  /// object. The cycle is reported as KVO019, as ``policy`` says, with the line that registered and the reference that
  /// is best made weak, and recorded in the log; if one of its objects is deallocated later, or the observation ends,
  /// the finding is withdrawn. `RetainSearch` of KVORetention finds other cycles.
  ///
  /// No other thread may change the reached objects during the call, or the process may crash: call it when the program
  /// is at rest, such as on the main actor of a program whose screens live there, or at the end of a test. It waits for
  /// a walk that another thread makes. Do not call it while holding a lock that the deallocation of the program's
  /// objects takes.
  ///
  /// - Parameter roots: where to begin; they are alive until the call returns.
  /// - Returns: the cycles, or that there are none, or what could not be inspected. Without
  ///   KVORetention nothing can be.
  /// - Complexity: O(n) in the objects and references that are reached; for each observation that keeps
  ///   itself alive O(n) in those that keep each other alive, up to a bound.
  @discardableResult
  public static func findRetainCycles(from roots: AnyObject...) -> ObservationCycles {
    findRetainCycles(from: roots, names: nil)
  }

  /// Works as ``findRetainCycles(from:)``, with the lines of closures.
  ///
  /// If the roots should have been deallocated, an observation that keeps one of them counts, no matter what owns its token.
  /// `isAsserted`: whether a test asserts that there is no cycle.
  @discardableResult
  package static func findRetainCycles(
    from roots: [AnyObject],
    expectsDeallocation: Bool = false,
    isAsserted: Bool = false,
    names: CodeNames?
  ) -> ObservationCycles {
    guard let walker = RetainRegistry.walker else { return .notInstalled }
    let walk = walker.walk(
      from: roots,
      throughObservations: nil,
      expectsDeallocation: expectsDeallocation,
      names: names
    )
    let references = roots.map { ObjectTable.shared.record(of: $0).ref }
    return withExtendedLifetime(roots) { report(walk, from: references, isAsserted: isAsserted) }
  }

  /// Finds which registrations of a test scope keep themselves alive at its end, starting from the objects that they and
  /// their controllers hold.
  ///
  /// The scope asserts that there is no cycle. Registrations that have ended are ignored; if all have, there is no walk.
  @discardableResult
  package static func findRetainCycles(
    throughRegistrations ids: Set<RegistrationID>,
    names: () -> CodeNames?
  ) -> ObservationCycles? {
    let observations = observations(ids)
    guard !observations.isEmpty, let walker = RetainRegistry.walker else { return nil }
    let roots = roots(of: observations)
    let walk = walker.walk(
      from: roots,
      throughObservations: observations,
      expectsDeallocation: false,
      names: names()
    )
    return withExtendedLifetime((observations, roots)) {
      report(walk, from: subjects(of: observations), isAsserted: true)
    }
  }

  private static func report(
    _ walk: RetainWalk,
    from roots: [ObjectRef],
    isAsserted: Bool
  ) -> ObservationCycles {
    let references = WalkedReferences(walk, from: roots)
    let verdicts = references.judge(isAsserted: isAsserted)
    LiveMonitor.shared.report(verdicts, isAsserted: isAsserted)
    return ObservationCycles(verdicts, notLookedInto: references.notLookedInto)
  }
}

// For test assertions: a log marks the finding as asserted, so that the finding stays when the cycle is broken later.
extension KVO {
  /// Judges and records the result of a walk when a test asserts that no observation keeps itself alive.
  ///
  /// The failure of the test is the report: the policy's `report` writes nothing. Its other reactions are
  /// carried out.
  ///
  /// - Parameters:
  ///   - walk: the result of the walk; its objects must not have changed since.
  ///   - roots: where the walk began.
  /// - Returns: a verdict for each cycle.
  package static func judgeAsserted(_ walk: RetainWalk, from roots: [AnyObject]) -> [Verdict] {
    let references = roots.map { ObjectTable.shared.record(of: $0).ref }
    return withExtendedLifetime(roots) { judgeAsserted(walk, from: references) }
  }

  /// Works as ``judgeAsserted(_:from:)``, starting from the objects that live registrations hold and that should have
  /// been deallocated.
  package static func judgeAsserted(
    throughRegistrations ids: Set<RegistrationID>,
    names: CodeNames?
  ) -> [Verdict] {
    let observations = observations(ids)
    guard !observations.isEmpty, let walker = RetainRegistry.walker else { return [] }
    let roots = roots(of: observations)
    let walk = walker.walk(
      from: roots,
      throughObservations: observations,
      expectsDeallocation: true,
      names: names
    )
    return withExtendedLifetime((observations, roots)) {
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

  /// Where a search for the cycles of `observations` begins.
  ///
  /// An observation leads to what its handler captures. A controller keeps the observed object besides, which may hold
  /// the controller's owner; the handler need not lead to either.
  private static func roots(of observations: [Observation]) -> [AnyObject] {
    var seen: Set<ObjectID> = []
    let controlled = observations.filter { $0.registration.form == .controller }
      .filter { seen.insert($0.registration.subject.id).inserted }
    return observations + controlled.compactMap(\.root.record.object)
  }

  private static func subjects(of observations: [Observation]) -> [ObjectRef] {
    var seen: Set<ObjectID> = []
    return observations.map(\.registration.subject).filter { seen.insert($0.id).inserted }
  }
}
