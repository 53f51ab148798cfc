import KVOFindings
import KVOReplay
import KVORules
import KVOTrace
import KVOTraceBinary
import KVOTraceJSON

/// Judges the events of one input, process by process, and folds the findings.
///
/// Verdicts are collected first, because resolving their names takes a copy of the names, which is repeated whenever a
/// name was added in between. Memory is bounded by the live objects, the distinct names and the distinct findings.
struct InputReplay {
  /// A process that has ended.
  struct Ended {
    var notJudged: [RuleEngine.NotJudged]
    var liveRegistrationCount: Int
    var droppedCount: UInt64
    var ending: ProcessReplay.Ending
    var keptReason: String?
    var sampledShare: Int?
  }

  /// The result of an input.
  struct Outcome {
    /// The input as the report names it.
    var input: AuditReport.Input
    /// The findings, as of the first input of a report.
    var findings: [Finding]
    var ended: [Ended]
    /// How processes crashed.
    var crashes: [RecordedCrash]
    /// The reasons why frames of findings are not symbolicated, each once.
    var unnamed: [String]
    /// The registrations by call site; nil: not requested.
    var callSites: [CallSiteCount]?
    var growth: [ScopeGrowthRow] = []
    var activity = Activity()
    /// Its processes; empty: not requested.
    var processes: [LoggedProcess] = []
    /// The registrations by call site and origin; nil: not requested.
    var registrations: [RegistrationCount]?
  }

  private static let batchCount = 4_096

  private let options: AuditOptions
  private let resolver: (any FrameResolver)?
  private var current: ProcessReplay
  /// The classes that runtimes made for observing, each with its class.
  private var classes: [StringID: StringID] = [:]
  private var verdicts: [Verdict] = []
  private var folder = FindingFolder()
  private var ended: [Ended] = []
  private var crashes: [RecordedCrash] = []
  private var unnamed: [String] = []
  private var callSites = CallSiteSums()
  private var growth: [ScopeGrowthRow] = []
  /// The first process that the log describes.
  private var head: ProcessInfo?
  private var activity = Activity()
  private var processes: [LoggedProcess] = []
  /// The findings in the process that is being replayed.
  private var found: Set<String> = []
  /// In how many processes each signature was found.
  private var processCounts: [String: Int] = [:]

  init(options: AuditOptions, resolver: (any FrameResolver)?) {
    self.options = options
    self.resolver = resolver
    current = ProcessReplay(options: options)
  }

  /// Judges `content`.
  ///
  /// - Parameters:
  ///   - content: the next events of the input, or damage in it.
  ///   - outline: the outline of the events, if another thread made it.
  ///   - names: the names for the ids so far, or more; nil: the result is no longer needed.
  mutating func take(
    _ content: LogSource.Content,
    outline: EventOutline? = nil,
    names: () -> TraceNames?
  ) {
    switch content {
    case .events(let events, let firstNumber):
      var takenCount = 0
      while true {
        takenCount += current.take(
          events.span.extracting(droppingFirst: takenCount),
          outline: takenCount == 0 ? outline : nil,
          firstNumber: firstNumber + takenCount
        ) { verdicts.append($0) }
        if takenCount == events.count { break }
        guard let names = names() else { return }
        finish(names: names)
        current = ProcessReplay(options: options)
        current.learn(classes)
      }
    case .damage(let problem): current.lose(at: problem.number) { verdicts.append($0) }
    case .classes(let found):
      classes.merge(found) { $1 }
      current.learn(found)
    }
    if verdicts.count >= Self.batchCount, let names = names() { fold(names: names) }
  }

  /// The input has ended; `reading` describes it.
  mutating func finish(_ reading: LogReading, label: String) -> Outcome {
    finish(names: reading.names)
    if let last = ended.indices.last, ended[last].ending == .open,
      reading.binary?.summary.end == .stopped
    {
      ended[last].ending = .stopped
    }
    var input = AuditReport.Input(
      path: label,
      kind: reading.kind,
      eventCount: reading.eventCount,
      damaged: reading.problems,
      damageCount: reading.problemCount
    )
    // A recording that was kept continues in files that are not part of it; converted, it has no such mark.
    let mayBeKept = reading.binary.map { $0.summary.end == .continued } ?? true
    if let last = ended.indices.last, ended[last].ending == .open, mayBeKept,
      ended[last].keptReason != nil
    {
      ended[last].ending = .kept
    }
    input.endings = ended.map(\.ending)
    input.keptReason = ended.last { $0.ending == .kept }?.keptReason
    input.earlierEventCount = head?.earlierEventCount ?? 0
    input.sampledShare = ended.compactMap(\.sampledShare).min()
    input.droppedEventCount = ended.reduce(0) { $0.addingSaturated($1.droppedCount) }
    input.cutAt = reading.cutAt
    input.ignoredEventCount = reading.unknownEvents.total
    var outcome = Outcome(
      input: input,
      findings: folder.findings.map { $0.seen(in: processCounts) },
      ended: ended,
      crashes: crashes,
      unnamed: unnamed,
      callSites: options.gathersCallSites ? callSites.sorted : nil,
      growth: growth,
      activity: activity,
      processes: processes
    )
    if options.countsByOrigin {
      outcome.count(by: LogOrigin(head, path: label, pattern: options.pathPattern))
    }
    return outcome
  }

  /// The process that is being replayed has ended.
  private mutating func finish(names: TraceNames) {
    current.finish { verdicts.append($0) }
    head = head ?? current.process
    fold(names: names)
    let findingCount = found.count
    for signature in found { processCounts[signature, default: 0] += 1 }
    found.removeAll()
    gather(names: names)
    if let process = current.activity?.process { activity.add(process) }
    if let numbered = current.numbered {
      processes.append(LoggedProcess(current, numbered, builder(names)))
    }
    if let last = current.crash {
      var crash = builder(names).crash(last.crash, in: last.event, number: last.number)
      crash.findingCount = findingCount
      explainAddresses(in: [crash.stack])
      crashes.append(crash)
    }
    ended.append(
      Ended(
        notJudged: current.engine.notJudged,
        liveRegistrationCount: current.engine.liveRegistrationCount,
        droppedCount: current.droppedCount,
        ending: current.ending,
        keptReason: current.keptReason.map { names[$0] },
        sampledShare: current.engine.sampledShare
      )
    )
  }

  /// Adds the call sites of registrations of the process that has ended.
  private mutating func gather(names: TraceNames) {
    guard let tally = current.callSites else { return }
    let builder = builder(names)
    callSites.add(tally.named(builder))
    growth += current.engine.scopeLeftovers.map { ScopeGrowthRow($0, builder) }
  }

  /// Queries the resolver for the reasons why frames with an image have no name.
  private mutating func explainAddresses(in stacks: [Finding.Stack]) {
    guard let resolver else { return }
    let images = Set(
      stacks.lazy.flatMap(\.frames).filter { $0.symbol == nil }.compactMap(\.module)
    )
    for module in current.modules where images.contains(module.path) {
      if let problem = resolver.problem(with: module), !unnamed.contains(problem) {
        unnamed.append(problem)
      }
    }
  }

  private func builder(_ names: TraceNames) -> FindingBuilder {
    FindingBuilder(
      names: names,
      profile: current.engine.profile,
      recorded: current.engine.recordedProfile,
      threadNames: current.threadNames,
      modules: current.modules,
      resolver: resolver,
      appModules: options.appModules.isEmpty ? nil : options.appModules
    )
  }

  private mutating func fold(names: TraceNames) {
    guard !verdicts.isEmpty else { return }
    let builder = builder(names)
    // What the builder knows of images and threads may have changed when the next ones are folded.
    var known: [VerdictShape: Int] = [:]
    for verdict in verdicts {
      let shape = VerdictShape(verdict)
      if let index = known[shape] {
        folder.add(againAt: index, verdict)
        continue
      }
      let finding = builder.finding(for: verdict)
      if finding.isOfStoredToken { continue }
      explainAddresses(in: finding.stacks)
      found.insert(finding.signature)
      known[shape] = folder.add(finding)
    }
    verdicts.removeAll(keepingCapacity: true)
  }
}

extension InputReplay.Outcome {
  /// Counts its findings and registrations as those of `origin`.
  mutating func count(by origin: LogOrigin) {
    input.origin = origin
    findings = findings.map { $0.seen(in: origin.origin) }
    registrations = (callSites ?? []).map { count in
      RegistrationCount(
        key: RegistrationCount.Key(
          origin: origin.origin,
          subject: count.site.subject,
          observer: count.site.observer,
          keyPath: count.site.keyPath,
          location: count.site.location
        ),
        madeCount: count.madeCount,
        liveCount: count.liveCount
      )
    }
  }
}

extension Finding {
  /// The finding and its consequences, as seen in one input of `origin`.
  fileprivate func seen(in origin: Origin) -> Finding {
    var copy = self
    copy.sightings = [
      Sighting(origin: origin, count: count, processCount: processCount, runCount: runCount)
    ]
    copy.consequences = consequences.map { $0.seen(in: origin) }
    return copy
  }

  /// The finding and its consequences, as found in the number of processes of one run given by `counts`.
  fileprivate func seen(in counts: [String: Int]) -> Finding {
    var copy = self
    copy.processCount = counts[signature] ?? 1
    copy.consequences = consequences.map { $0.seen(in: counts) }
    return copy
  }
}
