package import KVORetainRegistry

extension RetainSearch {
  /// Finds the objects that keep themselves alive in a copy of this process, while this one goes on.
  ///
  /// ```swift
  /// let answer = try RetainSearch().findCycles(inSnapshotFrom: server, within: .seconds(5))
  /// ```
  ///
  /// As ``findCycles(from:)``, but for a process whose threads change what is reached: the copy, which
  /// `fork` makes, holds still. This process stands still while the copy is made: 3 ms with 20,000 objects
  /// and 12 ms with 500,000 were measured; the call itself waits for the answer. The copy runs nothing of
  /// the program's, but what it registered with `pthread_atfork`, and ends without its exit handlers.
  ///
  /// An object that another thread was changing at that moment may be half changed: the copy may meet
  /// nonsense there, and crash, which this process survives; another copy is made then, three at the most.
  /// For the same reason a cycle may be drawn that never was; ask twice where it matters.
  ///
  /// - Parameters:
  ///   - roots: where to begin; they are alive until the call returns.
  ///   - limit: how long all of it may take; less than a minute.
  /// - Returns: the cycles, or why it is not known that there are none.
  /// - Throws: ``RetainSnapshotError`` where there is no copy, it does not answer in time, or crashes.
  public func findCycles(
    inSnapshotFrom roots: AnyObject...,
    within limit: Duration = .seconds(10)
  ) throws(RetainSnapshotError) -> RetainAnswer {
    try findCycles(inSnapshotFrom: roots, within: limit, names: nil)
  }

  package func findCycles(
    inSnapshotFrom roots: [AnyObject],
    within limit: Duration,
    names: CodeNames?
  ) throws(RetainSnapshotError) -> RetainAnswer {
    let deadline = ContinuousClock.now + limit
    var last: RetainSnapshotError?
    for _ in 0..<Self.snapshotLimit {
      switch snapshot(of: roots, until: deadline, names: names) {
      case .answer(let bytes):
        if let answer = AnswerBytes.answer(of: bytes) { return answer }
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

  private static var snapshotLimit: Int { 3 }

  private func snapshot(
    of roots: [AnyObject],
    until deadline: ContinuousClock.Instant,
    names: CodeNames?
  ) -> SnapshotProcess.End {
    let prior = SearchRun.Prior()
    return withExtendedLifetime(roots) {
      // The copy has the lock of the one walk at a time; here it is given back at once.
      let process = PlanStore.withShared { store in
        SnapshotProcess.begin {
          let run = SearchRun(self, prior, store: store, names: names)
          let answer = run.cycles(
            from: roots.map { UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) }
          )
          return AnswerBytes(answer).bytes
        }
      }
      switch process {
      case .success(let process): return process.end(by: deadline)
      case .failure(let error): return .failed(errno: error.number)
      }
    }
  }
}

/// Why a snapshot gave no answer.
public struct RetainSnapshotError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was wrong.
  ///
  /// More codes may come.
  public struct Code: Hashable, Sendable {
    private let name: String
    /// The answer did not come in time; the snapshot is gone.
    public static let timedOut = Code(name: "timedOut")
    /// The snapshot met memory that was being changed, as often as it was tried.
    public static let crashed = Code(name: "crashed")
    /// The system refused something: a copy of the process, its memory, or a file.
    public static let system = Code(name: "system")
    /// The allocations cannot be listed: the allocator is not glibc's, or that of a sanitizer.
    public static let unknownAllocator = Code(name: "unknownAllocator")

    private init(name: String) { self.name = name }
  }

  /// What was wrong.
  public let code: Code
  /// What was wrong, as a sentence.
  public let message: String

  /// The message.
  public var description: String { message }
}
