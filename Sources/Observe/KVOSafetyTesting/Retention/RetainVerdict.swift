internal import KVORecorder
internal import KVORetainRegistry
internal import KVORetention
internal import KVORules
internal import KVOSafety
internal import KVOSymbols
internal import KVOTrace

/// The report of a test about objects that keep each other alive.
enum RetainVerdict {
  /// The outcome of a search for a test.
  enum Outcome: Hashable, Sendable {
    case passes
    /// The test passes, and reports the uninspected items that may contain cycles.
    case warns(Report)
    case fails(Report)
  }

  /// The text of a failure or a warning.
  struct Report: Hashable, Sendable {
    /// Lists what could not be inspected, too.
    var text: String
    /// What could not be inspected, a line each; empty if everything was.
    var uninspected: String

    init(_ text: String, _ opaque: [OpaqueObject]) {
      self.text = text
      uninspected = opaque.map { "\($0)\n" }.joined()
    }
  }

  /// The outcome for objects that must not keep themselves alive.
  static func ofCycles(from roots: [AnyObject], failsIfInconclusive: Bool) -> Outcome {
    let answer = AssertedAnswer(from: roots)
    if answer.isFailure { return .fails(answer.report()) }
    switch answer.others.verdict {
    case .inconclusive where !answer.isExpected:
      return failsIfInconclusive ? .fails(answer.report()) : .warns(answer.report())
    default: return .passes
    }
  }

  /// The failure for an object that should have been deallocated but is still alive, or nil.
  ///
  /// An object that is kept only by a cycle which the test expects is not a failure.
  static func ofSurvivor(_ object: AnyObject?) -> Report? {
    guard let object else { return nil }
    KVO.noteSurvivor(object)
    let answer = AssertedAnswer(from: [object], expectsDeallocation: true)
    if answer.isExpected { return nil }
    let holders = holders(of: object).map { "\($0)\n" } ?? ""
    return answer.report(heading: "\(type(of: object)) is still alive\n\(holders)")
  }

  /// The same for an object that other threads may be about to release: it has until `grace` is over.
  ///
  /// `object` returns nil when the object is deallocated. A cancelled task waits no longer.
  static func ofSurvivor(
    within grace: Duration,
    isolation: isolated (any Actor)? = #isolation,
    _ object: () -> AnyObject?
  ) async -> Report? {
    await waitUntil(atMost: grace) { object() == nil }
    return ofSurvivor(object())
  }

  /// The waiting tasks that hold an object, or nil if there are none.
  private static func holders(of object: AnyObject) -> String? {
    let tasks = RetainSearch().findTasks(holding: object, names: names)
    return tasks.holders.isEmpty ? nil : "\(tasks)"
  }

  /// Which of the objects that a scope expected to be deallocated are held by waiting tasks, or nil if none is.
  static func heldByTasks(_ survivors: [AnyObject]) -> String? {
    let texts = survivors.compactMap { object in
      holders(of: object).map { "\(type(of: object)) is still alive\n\($0)" }
    }
    return texts.isEmpty ? nil : texts.joined(separator: "\n\n")
  }

  /// The failure for work that leaves more instances alive with each repetition, or whose growth is unknown, or nil.
  static func ofGrowth<Failure: Error>(
    of classes: [any AnyObject.Type],
    from roots: [AnyObject],
    repetitions: Int,
    by body: () throws(Failure) -> Void
  ) throws(Failure) -> Report? {
    let before = liveRegistrations
    let growth = try RetainSearch().findGrowth(
      of: classes,
      from: roots,
      repetitions: repetitions,
      names: names,
      by: body
    )
    return failure(of: growth, since: before)
  }

  /// The same for asynchronous work.
  static func ofGrowth<Failure: Error>(
    of classes: [any AnyObject.Type],
    from roots: [AnyObject],
    repetitions: Int,
    isolation: isolated (any Actor)? = #isolation,
    by body: () async throws(Failure) -> Void
  ) async throws(Failure) -> Report? {
    let before = liveRegistrations
    let growth = try await RetainSearch().findGrowth(
      of: classes,
      from: roots,
      repetitions: repetitions,
      names: names,
      isolation: isolation,
      by: body
    )
    return failure(of: growth, since: before)
  }

  /// The failure of growth, with the cycles that the work created with its observations.
  private static func failure(
    of growth: RetainGrowth,
    since before: Set<RegistrationID>
  ) -> Report? {
    switch growth.verdict {
    case .noneFound: return nil
    case .inconclusive: return Report("\(growth)", [])
    case .grows:
      let made = liveRegistrations.subtracting(before)
      RetainSearch.install()
      let verdicts = KVO.judgeAsserted(throughRegistrations: made, names: names)
      let cycles = AssertedCycles(verdicts)
      let text = ["\(growth)", cycles.text].compactMap(\.self).joined(separator: "\n\n")
      return Report(text, growth.opaque)
    }
  }

  private static var liveRegistrations: Set<RegistrationID> {
    Set(KVO.liveRegistrations.compactMap(\.id))
  }

  /// The symbolication of this process's code.
  static var names: CodeNames {
    CodeNames(resolver: DwarfFrameResolver(), images: LoadedImages.all)
  }
}
