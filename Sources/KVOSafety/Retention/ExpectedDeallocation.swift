internal import KVORecorder
internal import KVOTrace

/// An object that somebody expects to die, and what became of that.
///
/// Keeps the object not alive. Any thread may use it.
public final class ExpectedDeallocation: Sendable {
  /// What became of the object.
  public enum Outcome: Hashable, Sendable {
    /// It died, within its time or, where nobody asked before, later.
    case deallocated
    /// It was still there at the end of its time, and these observations keep themselves alive among what
    /// is reached from it.
    ///
    /// Without cycles something else keeps it: `RetainSearch.findPath` says what, from a given root.
    case alive(ObservationCycles)
  }

  private struct State {
    var task: Task<Outcome, Never>?
    var isDead = false
  }

  // State: `state`, under its own lock; tasks are cancelled and objects released without it.
  private let state = GuardedState(State())
  let record: ObjectRecord
  /// The scope that the expectation was made in.
  let scope: ScopeID?

  init(_ record: ObjectRecord, scope: ScopeID?) {
    self.record = record
    self.scope = scope
  }

  /// What became of the object: known when it died, at the latest when its time is over.
  public var outcome: Outcome {
    get async {
      guard let task = state.withLock({ $0.task }) else { return judged }
      return await task.value
    }
  }

  /// Begins to wait; `task` waits and judges.
  func begin(_ task: Task<Outcome, Never>) {
    let isDead = state.withLock { state in
      state.task = task
      return state.isDead
    }
    if isDead { task.cancel() }
  }

  /// The object died: nobody need wait any longer.
  func end() {
    let task = state.withLock { state in
      state.isDead = true
      return state.task
    }
    task?.cancel()
  }

  /// Looks at the object now.
  var judged: Outcome {
    ExpectedDeallocations.shared.forget(self)
    guard let object = record.object else { return .deallocated }
    return .alive(KVO.findRetainCycles(from: [object], names: nil))
  }
}

/// The objects that are expected to die and have not.
final class ExpectedDeallocations: Sendable {
  static let shared = ExpectedDeallocations()

  // State: `expected`, under its own lock; bounded by the live objects that are expected to die.
  private let expected = GuardedState<[ObjectID: [ExpectedDeallocation]]>([:])

  private init() {}

  func add(_ expectation: ExpectedDeallocation) {
    expected.withLock { $0[expectation.record.ref.id, default: []].append(expectation) }
  }

  /// Nobody waits for this one any more.
  func forget(_ expectation: ExpectedDeallocation) {
    let id = expectation.record.ref.id
    expected.withLock { expected in
      expected[id]?.removeAll { $0 === expectation }
      if expected[id]?.isEmpty == true { expected[id] = nil }
    }
  }

  /// An object died.
  func died(_ id: ObjectID) {
    for expectation in expected.withLock({ $0.removeValue(forKey: id) }) ?? [] { expectation.end() }
  }

  /// The objects that were expected to die in a scope and live on.
  func survivors(of scope: ScopeID) -> [AnyObject] {
    let waiting = expected.withLock { $0.values.flatMap(\.self) }
    return waiting.filter { $0.scope == scope }.compactMap(\.record.object)
  }
}
