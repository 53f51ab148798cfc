internal import KVORecorder
internal import KVORetention
internal import KVORules
internal import KVOSafety
internal import KVOTrace
internal import Synchronization

/// A scope whose observations are recorded in memory, and judged when it ends.
///
/// The same pipeline as `kvo-audit` judges it, so that a test and an audit of the same events agree.
final class AuditedScope: Sendable {
  let id: ScopeID
  /// Its name in the log: scopes of one name are runs of one scope, whose growth an audit judges.
  let name: String
  private let memory = EventMemory()
  /// Earlier registrations, so that their removals in the scope match.
  private let before: [Registration]
  /// The state of the objects that were observed then.
  private let inProgress: [ObjectID: ChangeProgress]
  // State: `expectations` and `reported`, each under its own lock; an inner assertion may add to them.
  private let expectations: GuardedState<ScopeExpectations>
  private let reported = GuardedState(Reported())

  /// The findings for which assertions in the scope have failed.
  private struct Reported {
    var signatures: Set<String> = []
    var registrations: Set<RegistrationID> = []
  }

  /// The audited scope of the current task, so that a second trait on one test does not open a second scope.
  @TaskLocal static var current: AuditedScope?

  /// The audited scopes that are open.
  ///
  /// State: the dictionary, under its own lock.
  private static let open = GuardedState<[ScopeID: AuditedScope]>([:])

  /// The innermost audited scope around the call; unlike ``current``, it may also be one of the whole process.
  static var enclosing: AuditedScope? {
    guard let id = RecordingScope.current else { return nil }
    return open.withLock { $0[id] }
  }

  /// Opens a scope: everything recorded from here on is kept until it ends.
  init(name: String, expectations: ScopeExpectations) {
    id = ScopeID(KVO.nextNumber())
    self.name = name
    RetainSearch.install()
    RecordingScope.willOpen()
    self.expectations = GuardedState(expectations)
    Recorder.shared.attach(memory)
    // After the recording began, so that none is missed; one that is in both counts once.
    before = KVO.liveRegistrations
    inProgress = KVO.changesInProgress
  }

  /// Adds expectations of the scope.
  func expect(_ more: ScopeExpectations) {
    expectations.withLock { $0 = $0.merged(with: more) }
    record(more.expected)
  }

  /// Whether violations of `rule` are expected.
  func expects(_ rule: ObservationRule) -> Bool {
    expectations.withLock { $0.expected.contains(rule) }
  }

  /// Stores the findings that an assertion in the scope reports, so that its end does not report it again.
  func noteReported(_ findings: [Finding], of registrations: Set<RegistrationID>) {
    reported.withLock { reported in
      reported.signatures.formUnion(findings.map(\.signature))
      reported.registrations.formUnion(registrations)
    }
  }

  /// Records the beginning.
  func begin() {
    Self.open.withLock { $0[id] = self }
    let scope = Scope(id: id, name: Recorder.shared.id(of: name))
    Recorder.shared.record(.scopeBegin(scope))
    record(expectations.withLock { $0.expected })
  }

  /// Records the expected violations in the log, so that its audit does not count them.
  private func record(_ expected: Set<ObservationRule>) {
    guard !expected.isEmpty else { return }
    let rules = expected.compactMap { UInt16($0.identifier.dropFirst(3)) }.sorted()
    Recorder.shared.record(.expects(rules: rules))
  }

  /// Ends the scope and judges it.
  ///
  /// - Parameter isCutShort: whether its test was skipped, so that the rest of its work was not done.
  /// - Returns: the reason for its failure; nil if it passed.
  func end(isCutShort: Bool = false) -> ScopeFailure? {
    _ = Self.open.withLock { $0.removeValue(forKey: id) }
    KVO.settleDeallocations()
    let parked = KVO.parked(inScope: id) { RetainSearch.isWaiting(task: $0) }
    if expectations.withLock({ $0.findsRetainCycles }) { findRetainCycles() }
    Recorder.shared.record(.scopeEnd(id))
    // Before the memory ends: a fault is in the memory, or reported at once, or both.
    RecordingScope.willJudge(id)
    Recorder.shared.detach(memory)
    let events = memory.events
    var filter = ScopeFilter(root: id, of: events, before: before, inProgress: inProgress)
    let inside = events.compactMap { filter.judged($0) }
    let known = before.filter { filter.hasMet($0.subject.id) }.map { Event(.live($0)) }
    let judged = known + inside
    let verdict = ScopeVerdict(
      findings: ScopePipeline.findings(of: judged),
      hasObservations: filter.hasObservations,
      unscopedRegistrationCount: filter.unscopedRegistrationCount,
      expectations: expectations.withLock { $0 },
      reported: reported.withLock { $0.signatures },
      parked: parked,
      isCutShort: isCutShort
    )
    var failure = verdict.failure
    // A task alone is no reason to fail: it may end in the time that the object has.
    if failure != nil, let held = RetainVerdict.heldByTasks(KVO.survivors(of: id)) {
      failure?.text += "\n\n\(held)"
    }
    failure?.log = ScopePipeline.log(of: judged)
    return failure
  }

  /// Finds and records the observations of the scope that keep themselves alive.
  ///
  /// The scope is judged by them, so an audit of the log reports them as well, even if they are broken later.
  private func findRetainCycles() {
    let registrations = ScopeFilter(root: id, of: memory.events).registrations
    let unreported = registrations.subtracting(reported.withLock { $0.registrations })
    KVO.findRetainCycles(throughRegistrations: unreported, names: { RetainVerdict.names })
    let survivors = KVO.survivors(of: id)
    guard !survivors.isEmpty else { return }
    KVO.findRetainCycles(
      from: survivors,
      expectsDeallocation: true,
      isAsserted: true,
      names: RetainVerdict.names
    )
  }

  /// Runs `body` in a separate scope, and calls `report` if the scope failed.
  ///
  /// If `body` throws, its events until then are still judged.
  static func run<Result>(
    name: String,
    expectations: ScopeExpectations,
    report: (ScopeFailure) -> Void,
    _ body: () throws -> Result
  ) rethrows -> Result {
    let scope = AuditedScope(name: name, expectations: expectations)
    return try RecordingScope.$ofTask.withValue(scope.id) {
      try $current.withValue(scope) {
        scope.begin()
        return try scope.run(report: report, body)
      }
    }
  }

  /// Runs `body` in a separate scope, on the actor of the caller.
  static func run<Result>(
    name: String,
    expectations: ScopeExpectations,
    isolation: isolated (any Actor)? = #isolation,
    report: (ScopeFailure) -> Void,
    _ body: () async throws -> Result
  ) async rethrows -> Result {
    let scope = AuditedScope(name: name, expectations: expectations)
    return try await RecordingScope.$ofTask.withValue(scope.id) {
      try await $current.withValue(scope) {
        scope.begin()
        return try await scope.run(report: report, body)
      }
    }
  }

  /// Runs `body`, and ends the scope.
  private func run<Result>(
    report: (ScopeFailure) -> Void,
    _ body: () throws -> Result
  ) rethrows -> Result {
    do {
      let result = try body()
      if let failure = end() { report(failure) }
      return result
    } catch {
      if let failure = end(isCutShort: isSkip(error)) { report(failure) }
      throw error
    }
  }

  /// Runs `body`, waits for the deallocations that it began on other actors, and ends the scope.
  private func run<Result>(
    isolation: isolated (any Actor)? = #isolation,
    report: (ScopeFailure) -> Void,
    _ body: () async throws -> Result
  ) async rethrows -> Result {
    do {
      let result = try await body()
      await waitForDeallocations()
      if let failure = end() { report(failure) }
      return result
    } catch {
      let isCutShort = isSkip(error)
      await waitForDeallocations()
      if let failure = end(isCutShort: isCutShort) { report(failure) }
      throw error
    }
  }

  /// Waits until the actors of the observations that were left have run what was enqueued on them, at most five seconds
  /// each: an actor may be blocked, or its executor run by the test itself.
  ///
  /// An object with an isolated deinit that another thread releases is deallocated there. Its observations end with it,
  /// soon, and are not left.
  private func waitForDeallocations(isolation: isolated (any Actor)? = #isolation) async {
    for visit in visits() { await waitUntil(atMost: .seconds(5)) { visit.isOver } }
  }

  /// Begins to visit the actors of the observations that were left.
  func visits() -> [ActorVisit] {
    let registrations = ScopeFilter(root: id, of: memory.events).registrations
    return registrations.isEmpty ? [] : KVO.actors(of: registrations).map { ActorVisit(of: $0) }
  }
}

/// A task that an actor runs after what was enqueued on it before.
final class ActorVisit: Sendable {
  // State: `ended`, true once the task has run. acquire and release: what the actor did before it is visible.
  private let ended = Atomic<Bool>(false)

  var isOver: Bool { ended.load(ordering: .acquiring) }

  /// Begins it.
  ///
  /// Its priority is the lowest: an actor without an executor of its own runs the most urgent first. Nobody awaits the task,
  /// which would raise it.
  init(of actor: any Actor) {
    Task(priority: .background) { await end(on: actor) }
  }

  private func end(on actor: isolated any Actor) { ended.store(true, ordering: .releasing) }
}
