internal import KVORecorder
internal import KVORetainRegistry
internal import KVOTrace

/// An object that is expected to be deallocated, and the outcome.
///
/// Does not keep the object alive. Any thread may use it.
public final class ExpectedDeallocation: Sendable {
  /// The outcome for the object.
  public enum Outcome: Hashable, Sendable {
    /// It was deallocated, within its time or, if the outcome was not read before, later.
    case deallocated
    /// It was still there at the end of its time, and these observations keep themselves alive among what
    /// is reached from it.
    ///
    /// If there are no cycles, something else keeps it alive: ``ObservationCycles/waitingTasks`` has the tasks that hold it,
    /// and `RetainSearch.findPath` finds the path from a given root.
    case alive(ObservationCycles)
  }

  private struct State {
    var task: Task<Outcome, Never>?
    var isDeallocated = false
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

  /// The outcome for the object: known when it is deallocated, at the latest when its time is over.
  public var outcome: Outcome {
    get async {
      guard let task = state.withLock({ $0.task }) else { return judged }
      return await task.value
    }
  }

  /// Begins to wait; `task` waits and judges.
  func begin(_ task: Task<Outcome, Never>) {
    let isDeallocated = state.withLock { state in
      state.task = task
      return state.isDeallocated
    }
    if isDeallocated { task.cancel() }
  }

  /// The object was deallocated: no task need wait any longer.
  func end() {
    let task = state.withLock { state in
      state.isDeallocated = true
      return state.task
    }
    task?.cancel()
  }

  /// Checks the object now.
  var judged: Outcome {
    ExpectedDeallocations.shared.forget(self)
    guard let object = record.object else { return .deallocated }
    var cycles = KVO.findRetainCycles(from: [object], expectsDeallocation: true, names: nil)
    if cycles.cycles.isEmpty,
      let tasks = RetainRegistry.walker?.tasks(holding: object, names: nil)
    {
      cycles.waitingTasks = tasks.lines
      cycles.notLookedInto += tasks.notLookedInto
    }
    return .alive(cycles)
  }
}

/// The objects that are expected to be deallocated and are alive.
final class ExpectedDeallocations: Sendable {
  static let shared = ExpectedDeallocations()

  // State: `expected`, under its own lock; bounded by the live objects that are expected to be
  // deallocated.
  private let expected = GuardedState<[ObjectID: [ExpectedDeallocation]]>([:])

  private init() {}

  func add(_ expectation: ExpectedDeallocation) {
    expected.withLock { $0[expectation.record.ref.id, default: []].append(expectation) }
  }

  /// Removes an expectation that no task waits for any more.
  func forget(_ expectation: ExpectedDeallocation) {
    let id = expectation.record.ref.id
    expected.withLock { expected in
      expected[id]?.removeAll { $0 === expectation }
      if expected[id]?.isEmpty == true { expected[id] = nil }
    }
  }

  /// Ends the expectations of an object that was deallocated.
  func noteDeallocation(of id: ObjectID) {
    for expectation in expected.withLock({ $0.removeValue(forKey: id) }) ?? [] { expectation.end() }
  }

  /// The objects that were expected to be deallocated in a scope and are still alive.
  func survivors(of scope: ScopeID) -> [AnyObject] {
    let waiting = expected.withLock { $0.values.flatMap(\.self) }
    return waiting.filter { $0.scope == scope }.compactMap(\.record.object)
  }
}
