package import KVOTrace

/// All rules over the events of one log.
///
/// Feed it the events in their order (``EventSequencer`` puts them into it), then call ``finish()``.
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

  /// One observed object.
  struct Subject: Sendable {
    var ledger: SubjectLedger
    /// The registrations of each key path, for the changes of a key.
    var byKeyPath: [StringID: Set<RegistrationID>] = [:]
    /// Whether it may have been observed before the log began.
    var hasUnknownPast: Bool
  }

  /// What the engine knows of a live registration beside what its ledger knows.
  struct Record: Sendable {
    var subject: ObjectID
    var scope: ScopeID?
    /// The scope that answers for it; differs where its own had ended.
    var answeringScope: ScopeID?
    /// Whether the log numbers it, or the engine did.
    var isNumbered: Bool
    var wasNotified = false
    var hasInitial: Bool
    /// How much its thread had done when it was made.
    var thread: ThreadID?
    var activity: Int
  }

  /// A registration that is over.
  struct Ended: Sendable {
    var registration: Registration
    var registered: Evidence?
    /// Where the layer cleaned up behind its observer.
    var cleanedUp: Evidence?
  }

  /// One thread.
  struct Thread: Sendable {
    var brackets = ChangeBrackets()
    var callbacks: [Callback] = []
    var missed = MissedDeliveries()
    /// How many things it did that a program decides to do.
    var activity = 0
  }

  struct Callback: Sendable {
    var delivery: Delivery
    var began: Evidence
    var registration: Registration?
    var registered: Evidence?
  }

  static let callbackLimit = 256

  let requestedProfile: Profile?
  let options: Options
  var process: ProcessInfo?
  var subjects: [ObjectID: Subject] = [:]
  var records: [RegistrationID: Record] = [:]
  var ended = BoundedMap<RegistrationID, Ended>(capacity: 4_096)
  /// How many live registrations an observer has, by observed object.
  var observing: [ObjectID: [ObjectID: Int]] = [:]
  var threads: [ThreadID?: Thread] = [:]
  /// The threads that may have open changes, or deliveries to come: all others need not be looked
  /// at when something ends.
  var busyThreads: Set<ThreadID?> = []
  var scopes = ScopeTree()
  var holds = RegistryHolds()
  /// The live registrations with which objects observe themselves, as they were judged.
  var selfObservations: [ObjectID: [Verdict]] = [:]
  /// Where the deallocation of an object began; the oldest are forgotten.
  var deaths = BoundedMap<ObjectID, Evidence>(capacity: 4_096)
  var nextNumber: UInt64 = 1 << 62
  var verdicts: [Verdict] = []
  var seen: Set<Need> = []
  var droppedAt: Int?
  var hasEnded = false
  var hasCrashed = false
  var wasFinished = false
  var cutRules: Set<RuleCode> = []

  /// Kinds of events that rules cannot be judged without.
  enum Need { case change, scopeEnd, callbackEnd }

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
  }

  /// The profile that the log was recorded under.
  package var recordedProfile: Profile { Profile(recordedOn: process?.runtime) }
  /// The profile that is judged.
  package var profile: Profile { requestedProfile ?? recordedProfile }
  /// How many registrations are live now.
  package var liveRegistrationCount: Int { records.count }
  /// How many objects are followed now.
  package var observedObjectCount: Int { subjects.count }
  /// The live registrations, ordered by the event that made each.
  ///
  /// Complexity: O(n log n).
  package var liveRegistrations: [(registration: Registration, registered: Evidence)] {
    subjects.values.flatMap(\.ledger.registrationsWithEvidence)
      .sorted { $0.registered.event < $1.registered.event }
  }

  /// Judges one event.
  ///
  /// - Parameters:
  ///   - event: what happened next.
  ///   - number: its 1-based number in the input.
  /// - Returns: what is wrong now; the failed events may be earlier ones.
  package mutating func consume(_ event: Event, number: Int) -> [Verdict] {
    eventCount += 1
    let evidence = Evidence(
      role: .failed,
      event: number,
      order: event.order,
      thread: event.thread,
      stack: event.stack
    )
    concludeChanges(of: event)
    dispatch(event, evidence)
    defer { verdicts = [] }
    return verdicts
  }

  /// The log is over.
  ///
  /// - Returns: what is wrong only now.
  package mutating func finish() -> [Verdict] {
    if wasFinished { return [] }
    wasFinished = true
    finishChanges()
    defer { verdicts = [] }
    return verdicts
  }

  private mutating func dispatch(_ event: Event, _ evidence: Evidence) {
    switch event.body {
    case .process(let info):
      // Subjects that a later process line would re-judge are none of its business.
      if process == nil { process = info }
    case .live(let registration): restore(registration, event, evidence)
    case .register(let registration): register(registration, event, evidence)
    case .registerEnd(let id): finishRegistering(id)
    case .refused(let registration, let reason, let part):
      act(event)
      verdicts.append(
        .refused(registration, reason: reason, part: part, at: evidence.at(registration.site))
      )
    case .remove(let removal): remove(removal, event, evidence)
    case .cancel(let id, let cause): cancel(id, cause, event, evidence)
    case .willChange(let change):
      act(event)
      seen.insert(.change)
      busyThreads.insert(event.thread)
      threads[event.thread, default: Thread()].brackets
        .will(change, scope: event.scope, at: evidence)
    case .didChange(let change): endChange(change, event, evidence)
    case .notify(let delivery): beginCallback(delivery, event, evidence)
    case .notifyEnd(let delivery): endCallback(delivery, event, evidence)
    case .deinit(let object): deaths[object.id] = evidence.as(.deallocated)
    case .deinitEnd(let object): die(object.id, evidence)
    case .hold(let reference): hold(reference, evidence)
    case .drop(let reference): holds.drop(reference)
    case .scopeBegin(let scope):
      act(event)
      scopes.begin(scope, at: evidence)
    case .scopeEnd(let scope): endScope(scope, event, evidence)
    case .crash: hasCrashed = true
    case .dropped(let count, _):
      droppedCount = droppedCount.addingSaturated(count)
      if droppedAt == nil { droppedAt = evidence.event }
    case .exit:
      hasEnded = true
      if options.judgesLeaksAtExit { judgeLeaksAtExit(evidence) }
    case .module, .threadName, .removeEnd, .attach, .detach, .write, .walkBegin, .walkEnd,
      .expectDeinit, .lock, .unlock, .classChanged, .declares:
      break
    }
  }

  /// The event's thread did something that a program decides to do.
  mutating func act(_ event: Event) {
    threads[event.thread, default: Thread()].activity += 1
  }
}

extension RuleEngine.Thread {
  /// Whether it has no open changes, and no deliveries to come.
  var isIdle: Bool { brackets.isEmpty && missed.isEmpty }
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
