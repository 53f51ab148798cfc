import ArgumentParser
import KVOAudit
import KVOReports
import KVOSymbols

/// `kvo-audit growth`: who registers, and what remains run by run.
struct GrowthCommand: ParsableCommand {
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
  }

  static let configuration = CommandConfiguration(
    commandName: "growth",
    abstract: "Count registrations by call site, and those that runs of scopes leave behind.",
    usage: "kvo-audit growth [<options>] <log> ...",
    discussion: """
      A scope is a test, or anything that a log opens and closes as one (scopeBegin). For a scope that runs \
      repeatedly, each call site that left registrations behind has a row, with the number of live ones \
      at the end of runs; if each run left more, it "grows", which is KVO022.

      EXAMPLES
        kvo-audit growth app.kvolog
        kvo-audit growth --format json app.kvolog | jq '.growth[]'
      """
  )

  @Argument(help: ArgumentHelp("The logs; - is standard input.", valueName: "log"))
  var logs: [String]

  @Option(help: "The form of the tables.")
  var format: Format = .text

  @OptionGroup
  var modules: ModuleOptions

  @OptionGroup
  var configuration: ConfigurationOptions

  func run() throws {
    let bar = ProgressBar()
    let options = AuditOptions(appModules: modules.appModules, gathersCallSites: true)
    let report = Audit(options: options, resolver: DwarfFrameResolver.withIndices())
      .report(on: AuditInput.named(by: logs)) {
        bar.update($0, readByteCount: $1, byteCount: $2)
      }
    bar.clear()
    for failure in report.failures {
      StandardStreams.complain("kvo-audit: \(failure.message)")
    }
    IncompleteInput.complain(report.incompleteness)
    if format == .json {
      try StandardStreams.deliver(report.growthJSON)
    } else if !report.inputs.isEmpty {
      try StandardStreams.deliver(report.growthText)
    }
    if report.mayLackFindings { throw ExitStatus.unreadable }
  }
}
