package import KVOTrace
internal import Synchronization

/// The scope that an event belongs to: a test, a screen, a request.
///
/// Scopes follow tasks, not threads, so that tests that run side by side do not mix. A test framework
/// that runs one test after the other, and cannot wrap them in a task, opens a scope for the whole
/// process instead.
package enum RecordingScope {
  /// The innermost open scope of the current task, or nil.
  @TaskLocal package static var ofTask: ScopeID?

  // 0: none. relaxed: it changes between tests, on the thread that runs them.
  private static let processScope = Atomic<UInt64>(0)

  /// The scope of everything that no task's scope holds, or nil.
  package static var ofProcess: ScopeID? {
    get {
      let number = processScope.load(ordering: .relaxed)
      return number == 0 ? nil : ScopeID(number)
    }
    set { processScope.store(newValue?.rawValue ?? 0, ordering: .relaxed) }
  }

  /// The scope that an event of the calling thread belongs to now.
  package static var current: ScopeID? { ofTask ?? ofProcess }
}
