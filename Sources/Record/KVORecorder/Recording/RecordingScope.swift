package import KVOTrace
internal import Synchronization

/// The scope that an event belongs to: a test, a screen, a request.
///
/// Scopes follow tasks, not threads, so that events of concurrent tests do not mix. A test framework that runs tests
/// one after the other, and cannot wrap them in a task, opens a scope for the whole process instead.
package enum RecordingScope {
  /// The innermost open scope of the current task, or nil.
  @TaskLocal package static var ofTask: ScopeID?

  // 0: none. relaxed: it changes between tests, on the thread that runs them.
  private static let processScope = Atomic<UInt64>(0)

  /// The scope of all events outside of tasks' scopes, or nil.
  package static var ofProcess: ScopeID? {
    get {
      let number = processScope.load(ordering: .relaxed)
      return number == 0 ? nil : ScopeID(number)
    }
    set {
      willOpen()
      processScope.store(newValue?.rawValue ?? 0, ordering: .relaxed)
    }
  }

  // Whether there ever was a scope: most programs have none, and accessing the task costs more than an event. relaxed:
  // set before the first scope opens, on the thread that opens it; a thread that works for the scope sees it through
  // the code that dispatched the work.
  private static let wereOpened = Atomic<Bool>(false)

  /// Announces that scopes will be opened from here on.
  package static func willOpen() { wereOpened.store(true, ordering: .relaxed) }

  /// The scope that an event of the calling thread belongs to now; nil before ``willOpen()``.
  package static var current: ScopeID? {
    wereOpened.load(ordering: .relaxed) ? ofTask ?? ofProcess : nil
  }

  // State: the scopes that were judged, under its own lock; as many as tests have run.
  private static let judged = GuardedState<Set<ScopeID>>([])

  /// Notes that the judgement of a scope begins: what a task that it left does from now on is not in it.
  package static func willJudge(_ scope: ScopeID) { judged.withLock { _ = $0.insert(scope) } }

  /// Whether an event of the calling thread belongs to a scope that will be judged.
  package static var isToBeJudged: Bool {
    guard let scope = current else { return false }
    return judged.withLock { !$0.contains(scope) }
  }

  /// ``current`` as the log has it: 0 for none, else one more than the id.
  @inline(__always)
  static var currentNumber: UInt64 {
    wereOpened.load(ordering: .relaxed) ? numberOfCurrent : 0
  }

  @inline(never)
  private static var numberOfCurrent: UInt64 {
    (ofTask ?? ofProcess).map { LogEvents.number($0) + 1 } ?? 0
  }
}
