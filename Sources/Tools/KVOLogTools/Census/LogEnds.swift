import KVOAudit
import KVOReplay
import KVOTrace

/// Replays the processes of a log, each to its end.
struct LogEnds {
  /// How the last process ended.
  var ending = ProcessReplay.Ending.open
  /// The missing parts of the log, a sentence each.
  var incompleteness: [String] = []

  /// - Parameters:
  ///   - input: the log.
  ///   - modules: the user's own modules.
  ///   - progress: called with how far the log is read.
  ///   - body: called with each process at its end, the names of the log, and the time of the last event, if it has one.
  /// - Throws: ``InputFailure`` if the input is not a log.
  init(
    of input: AuditInput,
    appModules modules: [String],
    progress: LogSource.Progress?,
    _ body: (ProcessReplay, _ names: TraceNames, _ lastTime: UInt64?) -> Void
  ) throws(InputFailure) {
    let options = AuditOptions(appModules: modules)
    var current = ProcessReplay(options: options)
    var classes: [StringID: StringID] = [:]
    var lastTime: UInt64?
    var droppedCount: UInt64 = 0
    let reading = try LogSource(input, progress: progress).read { content, names in
      switch content {
      case .events(let events, let firstNumber):
        var takenCount = 0
        while true {
          let rest = events.span.extracting(droppingFirst: takenCount)
          let count = current.take(rest, firstNumber: firstNumber + takenCount) { _ in }
          for index in 0..<count {
            if let time = rest[index].time { lastTime = max(lastTime ?? 0, time) }
          }
          takenCount += count
          if takenCount == events.count { break }
          current.finish { _ in }
          body(current, names(), lastTime)
          droppedCount = droppedCount.addingSaturated(current.droppedCount)
          current = ProcessReplay(options: options)
          current.learn(classes)
          lastTime = nil
        }
      case .damage(let problem): current.lose(at: problem.number) { _ in }
      case .classes(let found):
        classes.merge(found) { $1 }
        current.learn(found)
      }
    }
    current.finish { _ in }
    body(current, reading.names, lastTime)
    ending = current.ending
    droppedCount = droppedCount.addingSaturated(current.droppedCount)
    incompleteness = reading.incompleteness(of: input.label, droppedEventCount: droppedCount)
  }
}

extension ProcessReplay.Ending {
  /// How a heading says it.
  var censusText: String {
    switch self {
    case .exit: "the process ended"
    case .crash: "the process crashed"
    case .stopped: "the recording was stopped"
    case .kept: "the recording was kept"
    case .open: "no end is recorded: the process was killed, or runs on"
    }
  }
}
