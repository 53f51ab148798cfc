package import KVOReplay
package import KVORules
package import KVOTrace

/// The events of one process, put in order and judged.
///
/// Names of stacks and threads are taken from the events as they arrive, before the judgment, which may wait for other
/// events.
package struct ProcessReplay {
  private var replay: OrderedReplay
  package private(set) var modules: [Module] = []
  private(set) var threadNames: [ThreadID: StringID] = [:]
  /// The content of the first `process` line; nil: there is none.
  package private(set) var process: ProcessInfo?
  /// How many events the recorder says it lost.
  package private(set) var droppedCount: UInt64 = 0
  /// The crash that the log ends with, and its number.
  private(set) var crash: (crash: Crash, event: Event, number: Int)?
  /// How the process ended, as far as the log states.
  package private(set) var ending = Ending.open
  /// Why the recorder kept the log up to here; nil: it does not say that it did.
  private(set) var keptReason: StringID?
  /// The registrations by call site; nil: not requested.
  private(set) var callSites: CallSiteTally?
  /// Whether objects have numbers; nil: not requested.
  private(set) var numbered: NumberedObjects?
  /// How many registrations are live; nil: not requested.
  private(set) var activity: ActivityTracker?

  /// Whether one of those looks at every event.
  private let isTracking: Bool

  package typealias Ending = AuditReport.Ending

  /// Whether anything except the process was described.
  private var hasEvents = false

  package init(options: AuditOptions) {
    callSites = options.gathersCallSites ? CallSiteTally() : nil
    activity = options.followsActivity ? ActivityTracker() : nil
    numbered = options.keepsProcesses ? NumberedObjects() : nil
    isTracking = options.gathersCallSites || options.keepsProcesses
    replay = OrderedReplay(
      profile: options.profile,
      options: RuleEngine.Options(judgesLeaksAtExit: options.judgesLeaksAtExit)
    )
  }

  package var engine: RuleEngine { replay.engine }

  /// The log names `classes`, which runtimes made for observing, each with its class.
  package mutating func learn(_ classes: [StringID: StringID]) { replay.learn(classes) }

  /// Takes the next events of the log, up to one that begins the log of another process.
  ///
  /// - Parameters:
  ///   - events: the next events of the log.
  ///   - outline: the outline of `events`; nil: it is made here if needed.
  ///   - firstNumber: the number of the first of them; those of the others follow it.
  ///   - judge: is called with the new verdicts, which may concern earlier events.
  /// - Returns: how many it took. A replay that has taken none yet takes at least one.
  package mutating func take(
    _ events: Span<Event>,
    outline: EventOutline? = nil,
    firstNumber: Int,
    _ judge: (Verdict) -> Void
  ) -> Int {
    // Nothing but the rules looks at these events.
    if let outline, !outline.describes, !isTracking, activity == nil {
      hasEvents = hasEvents || !events.isEmpty
      replay.take(events, outline, firstNumber: firstNumber, judge)
      return events.count
    }
    var count = 0
    while count < events.count, describe(events[count], number: firstNumber + count) { count += 1 }
    replayed(events.extracting(first: count), firstNumber: firstNumber, judge)
    return count
  }

  /// Replays `events`; if activity is followed, in pieces that it asks for.
  private mutating func replayed(
    _ events: Span<Event>,
    firstNumber: Int,
    _ judge: (Verdict) -> Void
  ) {
    var doneCount = 0
    while let room = activity?.room, doneCount < events.count {
      let piece = events.extracting(droppingFirst: doneCount)
        .extracting(first: min(room, events.count - doneCount))
      replay.take(piece, firstNumber: firstNumber + doneCount, judge)
      activity?.note(
        piece,
        firstNumber: firstNumber + doneCount,
        live: replay.engine.liveRegistrationCount
      )
      doneCount += piece.count
    }
    guard activity == nil else { return }
    replay.take(events, firstNumber: firstNumber, judge)
  }

  /// Processes the parts of `event` that the rules do not handle; the kinds of events are those of
  /// ``EventOutline/describes``.
  ///
  /// - Returns: false if it begins the log of another process and nothing was taken.
  private mutating func describe(_ event: borrowing Event, number: Int) -> Bool {
    switch event.body {
    case .process(let info):
      if isLeft(at: info) { return false }
      process = process ?? info
    case .module(let module): modules.append(module)
    case .threadName(let name):
      if let thread = event.thread { threadNames[thread] = name }
    case .dropped(let count, _): droppedCount = droppedCount.addingSaturated(count)
    case .crash(let crash):
      ending = .crash
      note(crash, copy event, number)
    case .exit: ending = .exit
    case .keep(let reason): keptReason = reason
    default:
      hasEvents = true
      if isTracking {
        callSites?.take(event)
        numbered?.take(event)
      }
    }
    return true
  }

  /// An exception that nothing catches may end the process by a signal, which says less.
  ///
  /// Not inlined: the caller would copy every event.
  @inline(never)
  private mutating func note(_ next: Crash, _ event: Event, _ number: Int) {
    if next.exception == .none, let crash, crash.crash.exception != .none { return }
    crash = (next, event, number)
  }

  /// Whether the log of another process begins with `next`.
  private func isLeft(at next: ProcessInfo) -> Bool {
    process.map { !$0.isContinued(by: next) } ?? hasEvents
  }

  /// Handles a damaged part of the log, which may have held any event: from here on, nothing is concluded from the
  /// absence of one.
  package mutating func lose(at number: Int, _ judge: (Verdict) -> Void) {
    replay.take(Event(.dropped(count: 1, why: .none)), number: number, judge)
  }

  /// The log of the process has ended.
  package mutating func finish(_ judge: (Verdict) -> Void) {
    replay.finish(judge)
    guard callSites != nil else { return }
    let live = engine.liveRegistrations
    callSites?.finish(live)
  }
}
