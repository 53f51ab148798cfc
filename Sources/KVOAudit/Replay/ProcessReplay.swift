import KVORules
import KVOTrace

/// The events of one process, put in order and judged.
///
/// What stacks and threads need to be read by people is taken from the events as they come, ahead of
/// the judgement, which may wait for other events.
struct ProcessReplay {
  private var replay: OrderedReplay
  private(set) var modules: [Module] = []
  private(set) var threadNames: [ThreadID: StringID] = [:]
  /// What the first `process` line says; nil: there is none.
  private(set) var process: ProcessInfo?
  /// How many events the recorder says it lost.
  private(set) var droppedCount: UInt64 = 0
  /// The crash that the log ends with, and its number.
  private(set) var crash: (crash: Crash, event: Event, number: Int)?
  /// How the process ended, as far as the log says.
  private(set) var ending = Ending.open

  /// How a log ends.
  enum Ending {
    /// In an orderly way.
    case exit
    case crash
    /// Without a word: the process was killed, or goes on.
    case open
  }

  private static let batchCount = 32
  /// Events that wait for some more, to be judged together: see ``OrderedReplay``.
  private var batch: [NumberedEvent] = []
  /// Whether anything but the process was described.
  private var hasEvents = false

  init(options: AuditOptions) {
    replay = OrderedReplay(
      profile: options.profile,
      options: RuleEngine.Options(judgesLeaksAtExit: options.judgesLeaksAtExit)
    )
  }

  var engine: RuleEngine { replay.engine }

  /// Whether `body` begins the log of another process.
  ///
  /// A log that is continued in a second part repeats its `process` line.
  func isLeft(at body: Event.Body) -> Bool {
    guard case .process(let next) = body else { return false }
    guard let process else { return hasEvents }
    guard process.pid != nil, process.started != nil else { return true }
    return process.pid != next.pid || process.started != next.started
  }

  /// Takes the next event of the log; `judge` is called with what is found to be wrong by now, which
  /// may be about earlier events.
  mutating func take(_ event: Event, number: Int, _ judge: (Verdict) -> Void) {
    switch event.body {
    case .process(let info): process = process ?? info
    case .module(let module): modules.append(module)
    case .threadName(let name):
      if let thread = event.thread { threadNames[thread] = name }
    case .dropped(let count, _): droppedCount = droppedCount.addingSaturated(count)
    case .crash(let crash):
      ending = .crash
      self.crash = (crash, event, number)
    case .exit: ending = .exit
    default: hasEvents = true
    }
    push(event, number: number, judge)
  }

  /// Takes a place in the log that cannot be read, which may have held any event: from here on,
  /// nothing is concluded from the absence of one.
  mutating func lose(at number: Int, _ judge: (Verdict) -> Void) {
    push(Event(.dropped(count: 1, why: .none)), number: number, judge)
  }

  /// The log of the process is over.
  mutating func finish(_ judge: (Verdict) -> Void) {
    judgeBatch(judge)
    replay.finish(judge)
  }

  private mutating func push(_ event: Event, number: Int, _ judge: (Verdict) -> Void) {
    batch.append(NumberedEvent(event, number: number))
    if batch.count == Self.batchCount { judgeBatch(judge) }
  }

  private mutating func judgeBatch(_ judge: (Verdict) -> Void) {
    replay.take(batch, judge)
    batch.removeAll(keepingCapacity: true)
  }
}
