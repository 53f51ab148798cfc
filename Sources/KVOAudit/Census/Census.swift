package import KVORules
import KVOTrace
import KVOTraceJSON

/// Who observes what when a log ends, also when it ends because the process was killed.
package struct Census: Sendable {
  /// Registrations that look alike.
  package struct Row: Hashable, Sendable {
    /// The class of the observed objects.
    package var subject: String
    package var keyPath: String
    /// The class of the observers, or nil in the token form without one.
    package var observer: String?
    /// The source line of the call, or the first own frame of its stack, or nil.
    package var place: String?
    package var count: Int
  }

  /// What the log is called.
  package let label: String
  /// The commonest first, then by class, key path, observer and place.
  package let rows: [Row]
  /// How the log's last process ended.
  let ending: ProcessReplay.Ending

  package var registrationCount: Int { rows.reduce(0) { $0 + $1.count } }

  /// Replays `input` to its end and counts what is registered there.
  ///
  /// - Parameters:
  ///   - input: the log.
  ///   - appModules: the user's own modules; empty: all that are nobody else's.
  ///   - resolver: names functions and lines; nil: addresses stay addresses.
  ///   - progress: told how far the log is read.
  /// - Throws: ``InputFailure`` where the input is not a log.
  /// - Complexity: O(bytes), plus O(n log n) in the live registrations.
  package init(
    of input: AuditInput,
    appModules: [String] = [],
    resolver: (any FrameResolver)? = nil,
    progress: LogSource.Progress? = nil
  ) throws(InputFailure) {
    let options = AuditOptions(appModules: appModules)
    var current = ProcessReplay(options: options)
    var tally = CensusTally(appModules: appModules, resolver: resolver)
    let reading = try LogSource(input, progress: progress).read { content, names in
      switch content {
      case .events(let events, let firstNumber):
        var takenCount = 0
        while true {
          takenCount += current.take(
            events.span.extracting(droppingFirst: takenCount),
            firstNumber: firstNumber + takenCount
          ) { _ in }
          if takenCount == events.count { break }
          current.finish { _ in }
          tally.add(current, names: names())
          current = ProcessReplay(options: options)
        }
      case .damage(let problem): current.lose(at: problem.number) { _ in }
      }
    }
    current.finish { _ in }
    tally.add(current, names: reading.names)
    label = input.label
    rows = tally.rows
    ending = current.ending
  }
}

/// Counts the registrations that are live at the ends of processes.
struct CensusTally {
  private struct Key: Hashable {
    var subject: String
    var keyPath: String
    var observer: String?
    var place: String?
  }

  let appModules: [String]
  let resolver: (any FrameResolver)?
  private var counts: [Key: Int] = [:]

  init(appModules: [String], resolver: (any FrameResolver)?) {
    self.appModules = appModules
    self.resolver = resolver
  }

  mutating func add(_ process: ProcessReplay, names: TraceNames) {
    let builder = FindingBuilder(
      names: names,
      profile: process.engine.profile,
      modules: process.modules,
      resolver: resolver,
      appModules: appModules.isEmpty ? nil : appModules
    )
    for (registration, registered) in process.engine.liveRegistrations {
      let place =
        names.site(registration.site)?.place ?? builder.stack(registered).place
      let key = Key(
        subject: names[registration.subject.className],
        keyPath: names[registration.keyPath],
        observer: registration.observer.map { names[$0.className] },
        place: place
      )
      counts[key, default: 0] += 1
    }
  }

  var rows: [Census.Row] {
    counts
      .map { key, count in
        Census.Row(
          subject: key.subject,
          keyPath: key.keyPath,
          observer: key.observer,
          place: key.place,
          count: count
        )
      }
      .sorted { left, right in
        if left.count != right.count { return left.count > right.count }
        return (left.subject, left.keyPath, left.observer ?? "", left.place ?? "")
          < (right.subject, right.keyPath, right.observer ?? "", right.place ?? "")
      }
  }
}
