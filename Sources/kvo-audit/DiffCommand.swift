import ArgumentParser
import KVOAudit
import KVOCompression
import KVOImport
import KVOReportFile
import KVOReports
import KVORules
import KVOSymbols

/// `kvo-audit diff`: the differences between two runs.
struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "List what is new, fixed and unchanged between two logs or JSON reports.",
    usage: "kvo-audit diff [<options>] <old> <new>",
    discussion: """
      Findings are the same if their signatures are, on any line. Those of a report with signatures of version 1, \
      which name lines, are also matched by their types, key path and function. Findings of a rule that could not be \
      judged in NEW do not count as fixed, and none does if NEW is incomplete.

      Exit status: 0 nothing new at or above --fail-on, 1 something new, 65 one cannot be read, or \
      is incomplete.

      EXAMPLES
        kvo-audit diff before.kvolog after.kvolog
        kvo-audit diff --format markdown main.json app.kvolog
      """
  )

  @Argument(help: ArgumentHelp("The older log or JSON report.", valueName: "old"))
  var old: String

  @Argument(help: ArgumentHelp("The newer log or JSON report.", valueName: "new"))
  var new: String

  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
    case markdown
  }

  @Option(help: "The form of the difference.")
  var format: Format = .text

  @Option(help: "The lowest severity of a new finding that makes the exit status 1.")
  var failOn: ReportOptions.FailOn = .error

  @OptionGroup
  var modules: ModuleOptions

  @OptionGroup
  var configuration: ConfigurationOptions

  @Option(help: "Color severities; auto: on a terminal, unless NO_COLOR is set.")
  var color: ReportOptions.Coloring = .auto

  func validate() throws {
    if old == "-", new == "-" {
      throw ValidationError("standard input \"-\" can be read once: name a file for one of the two")
    }
  }

  func run() throws {
    let reports = try [old, new].map { path in (try report(of: path), path) }
    let difference = ReportDifference(from: reports[0], to: reports[1])
    let bytes =
      switch format {
      case .text: difference.text(isColored: color.isOn)
      case .json: difference.json
      case .markdown: difference.markdown
      }
    try StandardStreams.deliver(bytes)
    if reports.contains(where: { $0.0.mayLackFindings }) {
      throw ExitStatus.unreadable
    }
    if let severity = failOn.severity, difference.report.hasFindings(atLeast: severity) {
      throw ExitStatus.findings
    }
  }

  private func report(of path: String) throws -> AuditReport {
    let symbols = DebugSources()
    let audit = Audit(
      options: AuditOptions(appModules: modules.appModules),
      resolver: symbols.resolver,
      importer: symbols.importer
    )
    let bar = ProgressBar()
    defer { bar.clear() }
    do throws(InputFailure) {
      let report = try ReportSource.report(of: path, by: audit, decompression: Decompression()) {
        bar.update($0, readByteCount: $1, byteCount: $2)
      }
      bar.clear()
      for failure in report.failures { StandardStreams.complain("kvo-audit: \(failure.message)") }
      IncompleteInput.complain(report.incompleteness)
      return report
    } catch {
      bar.clear()
      StandardStreams.complain("kvo-audit: \(error.message)")
      throw ExitStatus.unreadable
    }
  }
}
