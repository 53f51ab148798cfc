internal import KVORecorder
internal import KVORetention
internal import KVORules
internal import KVOSafety
internal import KVOSymbols
internal import KVOTrace

/// What a test is told of objects that keep each other alive.
enum RetainVerdict {
  /// What a test says of a search.
  enum Outcome: Hashable, Sendable {
    case passes
    /// The test passes, and says what could not be looked into: nobody knows what is there.
    case warns(String)
    case fails(String)
  }

  /// What is said of objects that must not keep themselves alive.
  static func ofCycles(from roots: [AnyObject], failsIfInconclusive: Bool) -> Outcome {
    let answer = AssertedAnswer(from: roots)
    if answer.isFailure { return .fails(answer.text) }
    switch answer.others.verdict {
    case .inconclusive where !answer.isExpected:
      return failsIfInconclusive ? .fails(answer.text) : .warns(answer.text)
    default: return .passes
    }
  }

  /// The failure of an object that should be gone and is still there, or nil.
  ///
  /// One that only a cycle keeps which the test expects is no failure.
  static func ofSurvivor(_ object: AnyObject?) -> String? {
    guard let object else { return nil }
    KVO.noteSurvivor(object)
    let answer = AssertedAnswer(from: [object])
    if answer.isExpected { return nil }
    return "\(type(of: object)) is still alive\n\(answer.text)"
  }

  /// The failure of work that leaves more behind with each repetition, or of which that is not known, or
  /// nil.
  static func ofGrowth<Failure: Error>(
    of classes: [any AnyObject.Type],
    from roots: [AnyObject],
    repetitions: Int,
    by body: () throws(Failure) -> Void
  ) throws(Failure) -> String? {
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

  /// The same of asynchronous work.
  static func ofGrowth<Failure: Error>(
    of classes: [any AnyObject.Type],
    from roots: [AnyObject],
    repetitions: Int,
    isolation: isolated (any Actor)? = #isolation,
    by body: () async throws(Failure) -> Void
  ) async throws(Failure) -> String? {
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

  /// What is said of growth, with the cycles that the work made of its observations.
  private static func failure(
    of growth: RetainGrowth,
    since before: Set<RegistrationID>
  ) -> String? {
    switch growth.verdict {
    case .noneFound: return nil
    case .inconclusive: return "\(growth)"
    case .grows:
      let made = liveRegistrations.subtracting(before)
      RetainSearch.install()
      let verdicts = KVO.judgeAsserted(throughRegistrations: made, names: names)
      let cycles = AssertedCycles(verdicts)
      return ["\(growth)", cycles.text].compactMap(\.self).joined(separator: "\n\n")
    }
  }

  private static var liveRegistrations: Set<RegistrationID> {
    Set(KVO.liveRegistrations.compactMap(\.id))
  }

  /// What names the code of this process.
  static var names: CodeNames {
    CodeNames(resolver: DwarfFrameResolver(), images: ImageList.loadedImages())
  }
}
