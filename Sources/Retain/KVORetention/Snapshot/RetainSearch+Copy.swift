internal import KVORetainRegistry

extension RetainSearch {
  /// Searches a copy of this process, in which no other thread runs.
  ///
  /// - Parameters:
  ///   - roots: the objects from which the search begins; they are kept alive until the call returns.
  ///   - limit: the time limit of the whole call.
  ///   - names: finds source locations.
  ///   - decode: the answer in the bytes that the copy sent, or nil if they are malformed.
  ///   - body: searches, in the copy.
  /// - Returns: the decoded answer.
  /// - Throws: `RetainSnapshotError` if no copy can be made, or it does not answer in time, or none gives an answer.
  func inCopy<Answer>(
    from roots: [AnyObject],
    within limit: Duration,
    names: CodeNames?,
    decode: ([UInt8]) -> Answer?,
    _ body: (SearchRun, [UInt]) -> AnswerBytes
  ) throws(RetainSnapshotError) -> Answer {
    try SnapshotProcess.answer(within: limit, decode: decode) {
      copy(from: roots, names: names, body)
    }
  }

  private func copy(
    from roots: [AnyObject],
    names: CodeNames?,
    _ body: (SearchRun, [UInt]) -> AnswerBytes
  ) -> Result<SnapshotProcess, SnapshotProcess.Errno> {
    var prior = SearchRun.Prior()
    prior.waitingStacks = ThreadStacks.waitingStacks()
    return withExtendedLifetime(roots) {
      // The copy holds the lock of the walk; this process releases it at once.
      PlanStore.withShared { store in
        SnapshotProcess.begin {
          let run = SearchRun(self, prior, store: store, names: names)
          return body(run, roots.map(Self.address)).bytes
        }
      }
    }
  }

  static func address(_ object: AnyObject) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
  }
}
