package import KVOAudit
import KVOReplay
import KVORules
import KVOText
import KVOTrace

/// Which tasks take values and have not ended when a log ends, and which of them wait.
///
/// A log has the beginning and the end of each consumer. That one waits is in it only as of the moments for which the
/// process wrote it: its exit, the end of a test scope, and whenever the program asked for it.
package struct ParkedCensus: Sendable {
  /// Consumers of one line.
  package struct Row: Hashable, Sendable {
    /// What they wait for, or nil if the log does not say it.
    package var awaited: String?
    /// The source line that made the sequence or the continuation.
    package var location: String?
    /// How many have not ended.
    package var count = 0
    /// How many of them the log says to wait.
    package var parkedCount = 0
    /// How many of those nobody can resume.
    package var orphanedCount = 0
    /// How long the first of those has waited at the end of the log, in nanoseconds; nil: the log does not say it.
    package var longest: UInt64?
    /// The names of their tasks, sorted.
    package var tasks: [String] = []
    /// The highest priority of their tasks.
    package var priority: Int?
  }

  /// What the log is called.
  package let label: String
  /// Those with the most consumers first, then by what they wait for and by line.
  package let rows: [Row]
  /// How the log's last process ended.
  let ending: ProcessReplay.Ending
  /// The missing parts of the log, a sentence each; with them, consumers and their ends may be missing.
  package let incompleteness: [String]

  package var count: Int { rows.reduce(0) { $0 + $1.count } }
  package var parkedCount: Int { rows.reduce(0) { $0 + $1.parkedCount } }

  /// Replays `input` to its end and counts the consumers that have not ended there.
  ///
  /// - Parameters:
  ///   - input: the log.
  ///   - progress: called with how far the log is read.
  /// - Throws: ``InputFailure`` if the input is not a log.
  /// - Complexity: O(bytes), plus O(n log n) in the live consumers.
  package init(
    of input: AuditInput,
    progress: LogSource.Progress? = nil
  ) throws(InputFailure) {
    struct Key: Hashable {
      var awaited: String
      var location: String?
    }
    var found: [Key: (row: Row, tasks: Set<String>)] = [:]
    let ends = try LogEnds(of: input, appModules: [], progress: progress) {
      process,
      names,
      lastTime in
      for live in process.engine.liveConsumers {
        let consumer = live.consumer
        let location = names.site(consumer.site)?.location
        let key = Key(awaited: names[consumer.awaited], location: location)
        var (row, tasks) = found[key] ?? (Row(), [])
        row.count += 1
        if let since = consumer.since {
          row.parkedCount += 1
          if let lastTime {
            // The clock of the beginning is coarser than that of events.
            row.longest = max(row.longest ?? 0, lastTime > since ? lastTime - since : 0)
          }
        }
        if consumer.isOrphaned { row.orphanedCount += 1 }
        row.priority = [row.priority, consumer.priority].compactMap(\.self).max()
        if consumer.task != .none { tasks.insert(names[consumer.task]) }
        found[key] = (row, tasks)
      }
    }
    label = input.label
    rows = found.map { key, value in
      var row = value.row
      row.awaited = key.awaited.isEmpty ? nil : key.awaited
      row.location = key.location
      row.tasks = value.tasks.sorted()
      return row
    }
    .sorted {
      ($1.count, $0.awaited ?? "", $0.location ?? "") < (
        $0.count, $1.awaited ?? "", $1.location ?? ""
      )
    }
    ending = ends.ending
    incompleteness = ends.incompleteness
  }

  /// The census as a table, with a newline at its end.
  package var text: String {
    let verb = count == 1 ? "has" : "have"
    let waiting = parkedCount == 1 ? "1 waits" : "\(Wording.grouped(parkedCount)) wait"
    let heading =
      "CENSUS: \(Wording.count(count, "consumer")) \(verb) not ended at the end of "
      + "\(ShownText.escaped(label)) (\(ending.censusText))"
    guard !rows.isEmpty else { return heading + "\n" }
    var table = ColumnTable([
      ("count", .right), ("waiting", .right), ("longest", .right), ("orphaned", .right),
      ("awaited", .left), ("made at", .left), ("priority", .left), ("tasks", .left),
    ])
    for row in rows {
      table.append(
        [
          Wording.grouped(row.count), Wording.grouped(row.parkedCount),
          row.longest.map(Self.seconds) ?? "-", Wording.grouped(row.orphanedCount),
          row.awaited ?? "(not recorded)", row.location ?? "(not recorded)",
          row.priority.map(Self.priority) ?? "-", row.tasks.joined(separator: ", "),
        ].map(ShownText.escaped)
      )
    }
    return heading + ", \(waiting)\n" + table.lines.map { "  \($0)\n" }.joined()
  }

  private static func seconds(_ nanoseconds: UInt64) -> String {
    let tenths = nanoseconds / 100_000_000
    return "\(Wording.grouped(tenths / 10)).\(tenths % 10) s"
  }

  /// The name of a priority of Swift's tasks.
  private static func priority(_ number: Int) -> String {
    switch number {
    case 33: "userInteractive"
    case 25: "high"
    case 21: "medium"
    case 17: "low"
    case 9: "background"
    default: "\(number)"
    }
  }
}
