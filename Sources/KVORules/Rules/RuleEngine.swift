package import KVOTrace

/// All rules over the events of one log.
///
/// Feed it the events in their order (``OrderedReplay`` puts them into it), then call ``finish()``.
/// A pure state machine: the same events give the same verdicts, in the same order. Nothing in a
/// log makes it trap; what contradicts itself is counted and passed over.
///
/// Memory is bounded by the live objects, the open scopes and the threads, plus constants.
///
/// Complexity: O(1) amortised for an event, plus what it ends, plus, for a change, the registrations
/// of its key.
package struct RuleEngine: Sendable {
  package struct Options: Hashable, Sendable {
    /// Whether what is registered at the end of an orderly log counts as leaked.
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

  /// What the engine knows of a registration beside what the ledger knows.
  struct Origin: Sendable {
    var scope: ScopeID?
    /// How much its thread had done when it was made.
    var activity: Int
  }

  struct Death: Sendable {
    var began: Evidence
    var isOver = false
  }

  static let callbackLimit = 4_096
  static let recentLimit = 4_096

  let requestedProfile: Profile?
  let options: Options
  var process: ProcessInfo?
  /// Whether the judged runtime would have told others of changes than those whom the log says were
  /// told.
  ///
  /// Kept, because every change asks for it.
  private(set) var tellsOthers = false
  var ledger: RegistrationLedger
  /// The places of the observed objects in the ledger.
  var subjects = WordTable()
  /// The greatest orders of the events of objects that are not in the ledger; the oldest are
  /// forgotten.
  var unobservedOrders = BoundedMap<ObjectTag, UInt64>(capacity: 4_096)
  /// Registrations that ended before the log listed them; the oldest are forgotten.
  ///
  /// A log begins while a program runs: what it finds may end before it has written that it was there.
  var endedUnlisted = BoundedMap<RegistrationTag, Void>(capacity: 4_096)
  /// One for each slot of the ledger.
  var origins: [Origin] = []
  /// The slots of the newest registrations that are over, which the ledger keeps that long.
  var recent: [Int32] = []
  var oldestRecent = 0
  var threads = ThreadTable()
  /// How many threads have deliveries to come.
  var waitingThreadCount = 0
  /// The slots of those who must be told of the change that is being judged; used again and again.
  var audience: [Int32] = []
  var scopes = ScopeTree()
  /// The open scopes by thread; empty where the log says the scope of each event.
  var openScopes = OpenScopes()
  /// The slots of the registrations whose scope was inferred.
  var inferredSlots: Set<Int32> = []
  var unsaid = Unsaid()
  /// The violations that tests say are meant.
  var expectations = ScopeExpectedRules()
  var holds = RegistryHolds()
  /// The live registrations with which objects observe themselves, as they were judged.
  var selfObservations: [ObjectID: [Verdict]] = [:]
  /// Where the deallocation of an object began; the oldest are forgotten.
  var deaths = BoundedMap<ObjectTag, Death>(capacity: 4_096)
  /// The slots of the live registrations by their tokens.
  var tokens = WordTable()
  /// Whether ``races``, ``promises`` or ``deepPaths`` wait for what threads do next.
  var hasOpenEnds = false
  var races = RegistrationRaces()
  var promises = PriorPromises()
  var probes = ValueProbes()
  var deepPaths = DeepPaths()
  var cycles = RetainCycles()
  var growth = ScopeGrowth()
  var locks = HeldLocks()
  var removals = OpenRemovals()
  var overlaps = OverlappingChanges()
  var exceptions = RaisedExceptions()
  var dependencies = KeyDependencies()
  var classes = ObjectClasses()
  /// What threads are called.
  var threadNames: Set<StringID> = []
  /// What the engine numbers registrations by that have no number: no log spells such an id.
  var nextNumber: UInt64 = 1 << 62
  var verdicts: [Verdict] = []
  var seen: Need = []
  var losses = Losses()
  /// The event with which the first walk ended that could not look into everything.
  var incompleteWalk: Int?
  var hasEnded = false
  var hasCrashed = false
  var wasFinished = false
  var cutRules: Set<RuleCode> = []
  /// Whether a change ended that may have begun before the log does.
  var lacksBeginnings = false

  /// Kinds of events that rules cannot be judged without.
  struct Need: OptionSet, Sendable {
    let rawValue: UInt16
    static let change = Need(rawValue: 1)
    static let scopeEnd = Need(rawValue: 2)
    static let callbackEnd = Need(rawValue: 4)
    static let callback = Need(rawValue: 8)
    static let prior = Need(rawValue: 16)
    static let write = Need(rawValue: 32)
    static let attachment = Need(rawValue: 64)
    static let site = Need(rawValue: 128)
    static let reference = Need(rawValue: 256)
    /// An executor that callbacks are expected on.
    static let expectedExecutor = Need(rawValue: 512)
    /// An executor that a callback of such a registration ran on.
    static let executor = Need(rawValue: 1_024)
    static let lock = Need(rawValue: 2_048)
    static let declaration = Need(rawValue: 4_096)
    static let classChange = Need(rawValue: 8_192)
  }

  package private(set) var eventCount = 0
  /// How many events the recorder says it lost.
  package private(set) var droppedCount: UInt64 = 0
  /// How many events named a registration that the log never made, or made one twice.
  package internal(set) var contradictionCount = 0

  /// An engine that has seen nothing.
  ///
  /// - Parameters:
  ///   - profile: the runtime to judge as; nil: the recorded one.
  ///   - options: what else to judge.
  package init(profile: Profile? = nil, options: Options = Options()) {
    requestedProfile = profile
    self.options = options
    ledger = RegistrationLedger(historyCapacity: options.historyCapacity)
    tellsOthers = MatchingSemantics(self.profile) != MatchingSemantics(recordedProfile)
  }

  /// The profile that the log was recorded under.
  package var recordedProfile: Profile { Profile(recordedOn: process?.runtime) }
  /// The profile that is judged.
  package var profile: Profile { requestedProfile ?? recordedProfile }
  /// How many registrations are live now.
  package var liveRegistrationCount: Int { ledger.liveCount }
  /// What the runs of scopes left behind that is still live, by place.
  ///
  /// Complexity: O(n log n) in the places.
  package var scopeLeftovers: [ScopeLeftovers] { growth.left }
  /// How many objects are followed now.
  package var observedObjectCount: Int { subjects.count }
  /// The live registrations, ordered by the event that made each.
  ///
  /// Complexity: O(n log n).
  package var liveRegistrations: [(registration: Registration, registered: Evidence)] {
    ledger.slots.lazy.filter { $0.state == .live }.map { ($0.registration, $0.registered) }
      .sorted { $0.registered.event < $1.registered.event }
  }

  /// The sizes of all tables that grow with registrations, used or not; lets a test see that none
  /// grows with events.
  package var capacities: [Int] {
    ledger.capacities + [subjects.capacity, tokens.capacity, origins.count, recent.count]
      + [threads.count, probes.count, deepPaths.count, cycles.count, growth.count, classes.count]
  }

  /// Judges one event.
  ///
  /// - Parameters:
  ///   - event: what happened next.
  ///   - number: its 1-based number in the input.
  /// - Returns: what is wrong now; the failed events may be earlier ones.
  package mutating func consume(_ event: Event, number: Int) -> [Verdict] {
    withUnsafePointer(to: event) { judge($0, number, place(of: $0)) }
    return takeVerdicts()
  }

  /// Judges one event if no event that is still to come can belong before it: see ``isNext(_:)``.
  ///
  /// - Parameters:
  ///   - event: what may be next. Lent: an event is large, and copying it would cost as much as
  ///     judging it.
  ///   - number: its 1-based number in the input.
  /// - Returns: whether it was judged; ``takeVerdicts()`` then says what is wrong.
  @inline(__always)
  mutating func consumeIfNext(_ event: UnsafePointer<Event>, number: Int) -> Bool {
    let place = place(of: event)
    guard isNext(event, place) else { return false }
    judge(event, number, place)
    return true
  }

  var hasVerdicts: Bool { !verdicts.isEmpty }

  /// What was found since this was called last.
  mutating func takeVerdicts() -> [Verdict] {
    if verdicts.isEmpty { return [] }
    defer { verdicts = [] }
    return verdicts
  }

  private mutating func judge(_ event: UnsafePointer<Event>, _ number: Int, _ found: Place) {
    eventCount += 1
    var place = found
    place.thread = threads.place(of: event.pointee.thread)
    place.scope = event.pointee.scope
    place.event = number
    if place.scope == nil, !openScopes.isEmpty { inferScope(of: event, &place) }
    if event.pointee.thread == nil { noteMissingThread(event, number) }
    let evidence = Evidence(
      role: .failed,
      event: number,
      order: event.pointee.order,
      thread: event.pointee.thread,
      stack: event.pointee.stack
    )
    if let order = event.pointee.order { note(order, of: event, place) }
    if waitingThreadCount > 0, !threads[place.thread].missed.isEmpty {
      concludeChanges(of: event, place.thread)
    }
    if hasOpenEnds { concludeOpenEnds(of: event, place.thread) }
    dispatch(event, evidence, place)
    if !verdicts.isEmpty, losses.first != nil {
      withholdDoubtful(isSaid: event.pointee.body.isCancellation)
    }
    if !verdicts.isEmpty, unsaid.thread != nil || unsaid.ended != nil {
      withholdUncertain(isAtEnd: hasEnded)
    }
    if !verdicts.isEmpty, !expectations.isEmpty { markExpected(in: scope(of: event, place)) }
    if !verdicts.isEmpty, process?.omitsNotifications == true { dropAbsences() }
  }

  /// The log is over.
  ///
  /// - Returns: what is wrong only now.
  package mutating func finish() -> [Verdict] {
    if wasFinished { return [] }
    wasFinished = true
    verdicts += overlaps.finish()
    finishChanges()
    finishOpenEnds()
    judgeGrowth()
    judgeRetainCycles()
    judgeDependencies()
    if unsaid.thread != nil || unsaid.ended != nil { withholdUncertain(isAtEnd: hasEnded) }
    if !expectations.isEmpty { markExpected(in: nil) }
    if process?.omitsNotifications == true { dropAbsences() }
    return takeVerdicts()
  }

  private mutating func dispatch(
    _ event: UnsafePointer<Event>,
    _ evidence: Evidence,
    _ place: Place
  ) {
    switch event.pointee.body {
    case .process(let info):
      // Subjects that a later process line would re-judge are none of its business.
      if process == nil { process = info }
      tellsOthers = MatchingSemantics(profile) != MatchingSemantics(recordedProfile)
    case .live(let registration): restore(registration, evidence, place)
    case .register(let registration): register(registration, evidence, place)
    case .registerEnd: finishRegistering(place.slot)
    case .refused(let registration, let reason, let part):
      act(place)
      verdicts.append(
        .refused(registration, reason: reason, part: part, at: evidence.at(registration.site))
      )
    case .remove(let removal): remove(removal, evidence, place)
    case .cancel(let id, let cause): cancel(id, cause, evidence, place)
    case .willChange(let change): beginChange(change, evidence, place)
    case .didChange(let change): endChange(change, evidence, place)
    case .notify(let delivery): beginCallback(delivery, evidence, place)
    case .notifyEnd(let delivery): endCallback(delivery, evidence, place)
    case .deinit(let object): beginDeath(of: object.id, evidence, place)
    case .deinitEnd(let object): die(object.id, evidence, place)
    case .attach(let attachment): attach(attachment, evidence, place)
    case .detach(let attachment): detach(attachment, evidence, place)
    case .write(let subject, let key, let fingerprint):
      see(fingerprint, of: key, on: subject, evidence, place)
    case .hold(let reference): hold(reference, evidence, place)
    case .drop(let reference):
      act(place)
      holds.drop(reference)
      cycles.drop(reference, on: place.thread)
    case .walkBegin: cycles.beginWalk(on: place.thread)
    case .walkEnd(let isComplete, _, let isAsserted):
      endWalk(isComplete: isComplete, isAsserted: isAsserted, evidence, place)
    case .lock(let lock):
      seen.insert(.lock)
      act(place)
      locks.lock(lock, on: place.thread, at: evidence)
    case .unlock(let lock): locks.unlock(lock, on: place.thread)
    case .classChanged(let object, let name, let isKVOSubclass):
      seen.insert(.classChange)
      classes.change(object.id, to: name, isKVOSubclass: isKVOSubclass, at: evidence)
    case .declares(let key): declare(key, evidence)
    case .removeEnd(let removal): verdicts += removals.end(removal, on: place.thread)
    case .threadName(let name):
      threadNames.insert(name)
      threads[place.thread].name = name
    case .scopeBegin(let scope):
      act(place)
      scopes.begin(scope, at: evidence)
      expectations.begin(scope)
      if process?.saysScopes != true { openScopes.begin(scope.id, on: event.pointee.thread) }
    case .scopeEnd(let scope):
      if !openScopes.isEmpty, openScopes.end(scope) { forgetInferredScopes() }
      endScope(scope, evidence, place)
    case .crash: hasCrashed = true
    case .dropped(let count, _):
      droppedCount = droppedCount.addingSaturated(count)
      lose(at: evidence)
    case .exit:
      hasEnded = true
      if options.judgesLeaksAtExit { judgeLeaksAtExit(evidence) }
    case .expects(let rules): if let scope = place.scope { expectations.expect(rules, in: scope) }
    case .module, .expectDeinit: break
    }
  }

  /// The event's thread did something that a program decides to do.
  @inline(__always)
  mutating func act(_ place: Place) { threads[place.thread].activity &+= 1 }
}

extension Event.Body {
  fileprivate var isCancellation: Bool {
    if case .cancel = self { true } else { false }
  }
}

extension Evidence {
  /// The same event at a known source line.
  func at(_ site: StringID) -> Evidence {
    var copy = self
    copy.site = site
    return copy
  }
}

extension UInt64 {
  /// The sum, or the greatest number where it would be more: a log may claim any count.
  package func addingSaturated(_ other: UInt64) -> UInt64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}
