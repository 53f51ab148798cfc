internal import KVORecorder
internal import KVORetention
internal import KVORules
internal import KVOSymbols

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
    let answer = RetainSearch().findCycles(from: roots, names: names)
    switch answer.verdict {
    case .noneFound: return .passes
    case .cycles: return .fails("\(answer)")
    case .inconclusive: return failsIfInconclusive ? .fails("\(answer)") : .warns("\(answer)")
    }
  }

  /// The failure of an object that should be gone and is still there, or nil.
  static func ofSurvivor(_ object: AnyObject?) -> String? {
    guard let object else { return nil }
    let answer = RetainSearch().findCycles(from: [object], names: names)
    return "\(type(of: object)) is still alive\n\(answer)"
  }

  /// The failure of work that leaves more behind with each repetition, or of which that is not known, or
  /// nil.
  static func ofGrowth<Failure: Error>(
    of classes: [any AnyObject.Type],
    from roots: [AnyObject],
    repetitions: Int,
    by body: () throws(Failure) -> Void
  ) throws(Failure) -> String? {
    let growth = try RetainSearch().findGrowth(
      of: classes,
      from: roots,
      repetitions: repetitions,
      names: names,
      by: body
    )
    return growth.verdict == .noneFound ? nil : "\(growth)"
  }

  /// The same of asynchronous work.
  static func ofGrowth<Failure: Error>(
    of classes: [any AnyObject.Type],
    from roots: [AnyObject],
    repetitions: Int,
    isolation: isolated (any Actor)? = #isolation,
    by body: () async throws(Failure) -> Void
  ) async throws(Failure) -> String? {
    let growth = try await RetainSearch().findGrowth(
      of: classes,
      from: roots,
      repetitions: repetitions,
      names: names,
      isolation: isolation,
      by: body
    )
    return growth.verdict == .noneFound ? nil : "\(growth)"
  }

  /// What names the code of this process.
  static var names: CodeNames {
    CodeNames(resolver: DwarfFrameResolver(), images: ImageList.loadedImages())
  }
}
