package import KVORules
package import KVOTrace

/// All rules over the events of one log.
///
/// The engine keeps the facts (``ReplayState``) and calls, for each event, the rule families that it concerns, in the
/// order of their verdicts. A family is a pure machine: it owns the state of its rules, declares which events it needs,
/// reads the shared facts, and knows neither the engine nor another family. The engine passes on events that concern
/// several families, such as the end of a registration.
///
/// Feed it the events in their order (``OrderedReplay`` establishes it), then call ``finish()``. A pure state machine:
/// the same events give the same verdicts, in the same order. Nothing in a log makes it trap; contradictory events are
/// counted and skipped.
///
/// Memory is bounded by the live objects, the open scopes and the threads, plus constants.
///
/// Complexity: O(1) amortized for an event, plus the registrations that it ends, plus, for a change, the registrations
/// of its key.
package struct RuleEngine: Sendable {
  package struct Options: Hashable, Sendable {
    /// Whether registrations that are live at the end of a complete log count as leaked.
    package var judgesLeaksAtExit: Bool
    /// How many ended registrations of one object are remembered.
    package var historyCapacity: Int

    package init(judgesLeaksAtExit: Bool = false, historyCapacity: Int = 64) {
      self.judgesLeaksAtExit = judgesLeaksAtExit
      self.historyCapacity = historyCapacity
    }
  }

  /// A rule that was not judged, or not everywhere, and why.
  ///
  /// Not judged is not clean.
  package struct NotJudged: Hashable, Sendable {
    package var code: RuleCode
    package var why: String
  }

  let options: Options
  var log: ReplayState
  var registrations = RegistrationRules()
  var changes = ChangeRules()
  var callbacks = CallbackRules()
  var obligations = ObligationRules()
  var concurrency = ConcurrencyRules()
  var values = ValueRules()
  var scopes = ScopeRules()
  var graphs = GraphRules()
  var consumers = ConsumerRules()
  /// KVO010 and KVO027, before the first end of a callback.
  var nested = NestedVerdicts()
  private var wasFinished = false
  /// What was prefetched for the next two groups of steps.
  var warmed = Array(repeating: Warmed(), count: 2 * warmedCount)

  package internal(set) var eventCount = 0
  /// How many events the recorder says it lost.
  package internal(set) var droppedCount: UInt64 = 0
  /// How many events named a registration that was never added, or added one twice.
  package var contradictionCount: Int { log.contradictionCount }

  /// An engine that has seen nothing.
  ///
  /// - Parameters:
  ///   - profile: the runtime to judge as; nil: the recorded one.
  ///   - options: additional judgments.
  package init(profile: Profile? = nil, options: Options = Options()) {
    self.options = options
    log = ReplayState(profile: profile, historyCapacity: options.historyCapacity)
  }

  /// The profile that the log was recorded under.
  package var recordedProfile: Profile { log.recordedProfile }
  /// The profile that is judged.
  package var profile: Profile { log.profile }
  /// How many registrations are live now.
  package var liveRegistrationCount: Int {
    log.sampling == nil ? log.ledger.liveCount : liveRegistrations.count
  }
  /// How many objects of ``ObjectSample/all`` were recorded when the log ended; nil: all.
  package var sampledShare: Int? { log.sampling.map { Int($0.sample.share) } }
  /// The registrations that runs of scopes left live, by call site.
  ///
  /// Complexity: O(n log n) in the call sites.
  package var scopeLeftovers: [ScopeLeftovers] { scopes.leftovers }
  /// How many objects are followed now.
  package var observedObjectCount: Int { log.subjects.count }
  /// The live registrations, ordered by the event of their addition.
  ///
  /// Complexity: O(n log n).
  package var liveRegistrations: [(registration: Registration, registered: Evidence)] {
    log.ledger.slots.indices.lazy
      .filter { log.ledger.slots[$0].state == .live && log.isRecorded($0) }
      .map { (log.ledger.slots[$0].registration, log.ledger.slots[$0].registered) }
      .sorted { $0.registered.event < $1.registered.event }
  }

  /// The consumers that have not ended, ordered by the event of their beginning.
  ///
  /// Complexity: O(n log n).
  package var liveConsumers: [LiveConsumer] { consumers.live }

  /// The sizes of all tables that grow with registrations, used or not; lets a test see that none
  /// grows with events.
  package var capacities: [Int] {
    log.ledger.capacities + [log.subjects.capacity, log.origins.count, log.threads.count]
      + registrations.capacities + values.counts
      + [graphs.count, scopes.growthCount, concurrency.classCount, consumers.count]
  }

  /// Events may name `classes`, which runtimes made for observing, in place of their classes.
  ///
  /// Call it before the first event that names both.
  ///
  /// - Parameter classes: the names of such classes, each with that of its class, or with itself if that has none so far.
  package mutating func learn(_ classes: [StringID: StringID]) { log.learn(classes) }

  /// Judges one event.
  ///
  /// - Parameters:
  ///   - event: what happened next.
  ///   - number: its 1-based number in the input.
  /// - Returns: the new verdicts; their failed events may be earlier ones.
  package mutating func consume(_ event: Event, number: Int) -> [Verdict] {
    withUnsafePointer(to: event) { judge($0, number, log.target(of: $0)) }
    return takeVerdicts()
  }

  /// Judges one event if no event that is still to come can belong before it: see ``isNext(_:)``.
  ///
  /// - Parameters:
  ///   - event: what may be next. Lent: an event is large, and copying it would cost as much as
  ///     judging it.
  ///   - number: its 1-based number in the input.
  /// - Returns: whether it was judged; ``takeVerdicts()`` then returns the verdicts.
  @inline(__always)
  mutating func consumeIfNext(_ event: UnsafePointer<Event>, number: Int) -> Bool {
    let target = log.target(of: event)
    guard log.isNext(event, target) else { return false }
    judge(event, number, target)
    return true
  }

  var hasVerdicts: Bool { !log.verdicts.isEmpty }

  /// The verdicts since the last call.
  mutating func takeVerdicts() -> [Verdict] {
    if log.verdicts.isEmpty { return [] }
    defer { log.verdicts = [] }
    return log.classNames.isEmpty ? log.verdicts : log.verdicts.map { log.classNames.observed($0) }
  }

  /// Whether no event that is still to come can belong before `event`.
  mutating func isNext(_ event: Event) -> Bool {
    withUnsafePointer(to: event) { log.isNext($0, log.target(of: $0)) }
  }

  /// The object that the registration of `event` is on, if the event does not name it.
  func home(of event: Event) -> ObjectID? { log.home(of: event) }

  private mutating func judge(_ event: UnsafePointer<Event>, _ number: Int, _ found: EventTarget) {
    eventCount += 1
    var target = found
    target.thread = log.threads.index(of: event.pointee.thread)
    target.scope = event.pointee.scope
    target.event = number
    if target.scope == nil, scopes.infers { scopes.infer(of: event, &target, &log) }
    if scopes.hasExpectations { scopes.noteObjects(of: event, target) }
    if event.pointee.thread == nil { log.noteMissingThread(event, number) }
    let evidence = Evidence(
      role: .failed,
      event: number,
      order: event.pointee.order,
      thread: event.pointee.thread,
      stack: event.pointee.stack
    )
    if let order = event.pointee.order { log.note(order, of: event, target) }
    if log.isCrashing, !event.pointee.body.isBookkeeping { log.isCrashing = false }
    if concurrency.hasUnmatchedRemovals { concurrency.goOn(with: event, target.thread, &log) }
    if log.raisingThreadCount > 0 { callbacks.resume(with: event, target.thread, &log) }
    let isOrderly = !log.isCrashing
    if changes.isWaiting, isOrderly, !log.threads[target.thread].missed.isEmpty {
      changes.conclude(of: event, target.thread, callbacks.exceptions, &log)
    }
    if log.hasOpenEnds, isOrderly { concludeOpenEnds(of: event, target.thread) }
    if log.sampling == nil || !log.isLeftOut(event, target) { dispatch(event, evidence, target) }
    if !log.threads.busy.isEmpty || log.hasOpenEnds { noteAct(event, target) }
    if !log.verdicts.isEmpty { withhold(event, target) }
    if !nested.isEmpty {
      log.verdicts += nested.conclude(
        of: event,
        recordsAdditions: log.seen.contains(.additionEnd)
      )
    }
  }

  private mutating func noteAct(_ event: UnsafePointer<Event>, _ target: EventTarget) {
    switch MissedDeliveries.conclusion(of: event) {
    case .none, .overInCallback: break
    case .wentOn, .over: log.threads[target.thread].lastAct = target.event
    }
  }

  /// Withdraws verdicts that the event cannot prove, and marks those that a test expects.
  private mutating func withhold(_ event: UnsafePointer<Event>, _ target: EventTarget) {
    if log.losses.first != nil {
      log.withholdDoubtful(isSaid: event.pointee.body.isCancellation)
    }
    if log.unsaid.thread != nil || log.unsaid.ended != nil {
      log.withholdUncertain(isAtEnd: log.hasEnded, isLast: false)
    }
    log.withholdUnsampled()
    if scopes.hasExpectations {
      var scope = target.scope
      if case .scopeEnd(let ended) = event.pointee.body { scope = ended }
      scopes.markExpected(in: scope, on: event.pointee.thread, &log)
    }
    if log.process?.omitsNotifications == true { log.dropAbsences() }
    if changes.misses.isAnnounced { changes.holdMisses(&log) }
    if obligations.broken.isAnnounced { obligations.holdBroken(&log) }
    if !log.seen.contains(.callbackEnd) { nested.take(from: &log.verdicts) }
  }

  /// The log has ended.
  ///
  /// - Returns: the final verdicts.
  package mutating func finish() -> [Verdict] {
    if wasFinished { return [] }
    wasFinished = true
    concurrency.finish(&log)
    for thread in log.threads.sorted(0..<log.threads.count)
    where changes.finish(thread, callbacks.exceptions, &log) {
      giveUp(of: thread)
    }
    obligations.releaseBroken(&log)
    changes.releaseMisses(&log)
    log.verdicts += nested.finish(isInAddition: !log.hasEnded && log.seen.contains(.additionEnd))
    values.finish(&log)
    obligations.finish(&log)
    scopes.finish(&log)
    graphs.finish(&log)
    consumers.finish(&log)
    log.withholdUnsampled()
    if log.unsaid.thread != nil || log.unsaid.ended != nil {
      log.withholdUncertain(isAtEnd: log.hasEnded, isLast: true)
    }
    if scopes.hasExpectations { scopes.markExpected(in: nil, on: nil, &log) }
    if log.process?.omitsNotifications == true { log.dropAbsences() }
    return takeVerdicts()
  }
}

extension Event.Body {
  fileprivate var isCancellation: Bool {
    if case .cancel = self { true } else { false }
  }
}
