import ArgumentParser
import KVOAudit
import KVOLogTools

/// `kvo-audit stats`: the composition of a log.
struct StatsCommand: ParsableCommand {
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
  }

  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Count the events of logs: by kind, size, thread and time.",
    discussion: """
      EXAMPLES
        kvo-audit stats app.kvolog
        kvo-audit stats --format json app.kvolog | jq '.inputs[0].byKind'
      """
  )

  @Argument(help: ArgumentHelp("The logs; - is standard input.", valueName: "log"))
  var logs: [String]

  @Option(help: "The form of the figures.")
  var format: Format = .text

  func run() throws {
    var isComplete = true
    var all: [LogStatistics] = []
    let bar = ProgressBar()
    for input in AuditInput.named(by: logs) {
      let result = Result { () throws(InputFailure) in
        try LogStatistics(of: input) {
          bar.update(input.label, readByteCount: $0, byteCount: $1)
        }
      }
      bar.clear()
      switch result {
      case .success(let statistics):
        all.append(statistics)
        if IncompleteInput.reportDamage(in: statistics.reading, of: input.label) {
          isComplete = false
        }
        if format == .text { try StandardStreams.deliver(Array(statistics.text.utf8)) }
      case .failure(let failure):
        isComplete = false
        StandardStreams.complain("kvo-audit: \(failure.message)")
      }
    }
    if format == .json { try StandardStreams.deliver(LogStatistics.json(all)) }
    if !isComplete { throw ExitStatus.unreadable }
  }
}
