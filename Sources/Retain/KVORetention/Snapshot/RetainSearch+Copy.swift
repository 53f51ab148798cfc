internal import KVORetainRegistry

extension RetainSearch {
  /// The number of copies that are made if the earlier ones crash.
  static var copyLimit: Int { 3 }

  /// Searches a copy of this process, in which no other thread runs.
  ///
  /// - Parameters:
  ///   - roots: the objects from which the search begins; they are kept alive until the call returns.
  ///   - limit: the time limit of the whole call.
  ///   - names: finds source locations.
  ///   - decode: the answer in the bytes that the copy sent, or nil if they are malformed.
  ///   - body: searches, in the copy.
  /// - Returns: the decoded answer.
  /// - Throws: `RetainSnapshotError` if no copy can be made, or it does not answer in time, or all crash.
  func inCopy<Answer>(
    from roots: [AnyObject],
    within limit: Duration,
    names: CodeNames?,
    decode: ([UInt8]) -> Answer?,
    _ body: (SearchRun, [UInt]) -> AnswerBytes
  ) throws(RetainSnapshotError) -> Answer {
    let deadline = ContinuousClock.now + limit
    var last: RetainSnapshotError?
    for _ in 0..<Self.copyLimit {
      switch copy(from: roots, until: deadline, names: names, body) {
      case .answer(let bytes):
        if let answer = decode(bytes) { return answer }
        last = RetainSnapshotError(code: .crashed, message: "the snapshot's answer is cut")
      case .crashed(let signal):
        last = RetainSnapshotError(
          code: .crashed,
          message: "the snapshot crashed with signal \(signal)"
        )
      case .timedOut:
        throw RetainSnapshotError(
          code: .timedOut,
          message: "the snapshot did not answer within \(limit)"
        )
      case .failed(let number):
        throw RetainSnapshotError(code: .system, message: "fork failed with error \(number)")
      }
    }
    throw last ?? RetainSnapshotError(code: .crashed, message: "no snapshot was made")
  }

  private func copy(
    from roots: [AnyObject],
    until deadline: ContinuousClock.Instant,
    names: CodeNames?,
    _ body: (SearchRun, [UInt]) -> AnswerBytes
  ) -> SnapshotProcess.End {
    var prior = SearchRun.Prior()
    prior.waitingStacks = ThreadStacks.waitingStacks()
    return withExtendedLifetime(roots) {
      // The copy holds the lock of the walk; this process releases it at once.
      let process = PlanStore.withShared { store in
        SnapshotProcess.begin {
          let run = SearchRun(self, prior, store: store, names: names)
          return body(run, roots.map(Self.address)).bytes
        }
      }
      switch process {
      case .success(let process): return process.end(by: deadline)
      case .failure(let error): return .failed(errno: error.number)
      }
    }
  }

  static func address(_ object: AnyObject) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
  }
}
