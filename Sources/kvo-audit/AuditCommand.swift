import ArgumentParser
import KVOAudit
import KVOImport
import KVORules
import KVOSymbols

/// `kvo-audit audit`, and `kvo-audit` alone: replay and report.
struct AuditCommand: ParsableCommand {
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
  }

  /// The forms that a report has.
  enum ReportFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
    /// A page of the groups of crash reports.
    case html
  }

  /// The severity from which on the exit status is 1.
  enum FailOn: String, CaseIterable, ExpressibleByArgument {
    case error
    case warning
    case note
    case never

    var severity: Severity? {
      switch self {
      case .error: .error
      case .warning: .warning
      case .note: .note
      case .never: nil
      }
    }
  }

  enum Coloring: String, CaseIterable, ExpressibleByArgument {
    case auto
    case always
    case never

    /// Whether what goes to standard output is to be coloured; `auto` honours NO_COLOR.
    var isOn: Bool {
      switch self {
      case .auto: StandardStreams.isOutputTerminal && !StandardStreams.isSet("NO_COLOR")
      case .always: true
      case .never: false
      }
    }
  }

  static let configuration = CommandConfiguration(
    commandName: "audit",
    abstract: "Report every fault in some logs or crash reports (the default).",
    discussion: """
      Findings that have the same signature are one, also across logs. A damaged line is said and
      does not change the exit status; an input that cannot be read gives 65, after a report on the
      others.

      Crash reports (.crash, .ips, exports of crash services) and console text are read as well; what
      an input is, its content says. Findings are then grouped by types, key path and first own frame,
      the most frequent first.

      EXAMPLES
        kvo-audit app.jsonl
        kvo-audit --fail-on warning --app-module MyApp --app-module MyKit *.jsonl
        kvo-audit --format json app.jsonl | jq '.findings[].message'
        kvo-audit --format html crashes/*.ips > crashes.html
        pbpaste | kvo-audit -
      """
  )

  @Argument(
    help: ArgumentHelp("The logs or crash reports; - is standard input.", valueName: "log")
  )
  var logs: [String]

  @Option(help: "How to print the report; html is a page of groups of crash reports.")
  var format: ReportFormat = .text

  @Option(help: "The least severity that makes the exit status 1.")
  var failOn: FailOn = .error

  @Option(
    help: """
      Judge as this runtime would have behaved; without it, each log is judged as the runtime that \
      it was recorded on.
      """
  )
  var profile: Profile?

  @Option(
    name: .customLong("app-module"),
    help: ArgumentHelp(
      """
      Take only this module's frames for your own code (repeatable); without it, all but those of \
      the system and of KVOSafety.
      """,
      valueName: "name"
    )
  )
  var appModules: [String] = []

  @Option(
    name: .customLong("dsym"),
    help: ArgumentHelp(
      "Name the bare frames of crash reports from this dSYM, or from those in this folder (repeatable).",
      valueName: "path"
    )
  )
  var dsyms: [String] = []

  @Flag(help: "Count what is still registered at an orderly exit as leaked (KVO021).")
  var leaksAtExit = false

  @Option(help: "Colour severities; auto: on a terminal, unless NO_COLOR is set.")
  var color: Coloring = .auto

  func run() throws {
    let audit = Audit(
      options: AuditOptions(
        profile: profile,
        appModules: appModules,
        judgesLeaksAtExit: leaksAtExit
      ),
      resolver: DwarfFrameResolver(),
      importer: ReportImporter(dsyms: dsyms)
    )
    let bar = ProgressBar()
    let report = audit.report(on: AuditInput.inputs(arguments: logs)) {
      bar.update($0, readByteCount: $1, byteCount: $2)
    }
    bar.clear()
    for failure in report.failures {
      let offered = failure.suggesting(commands: KVOAuditCommand.names)
      StandardStreams.complain("kvo-audit: \(offered.message)")
    }
    switch format {
    case .json: try StandardStreams.deliver(JSONReportRenderer().render(report))
    case .html: try StandardStreams.deliver(GroupPageRenderer().render(report))
    case .text:
      // Figures on nothing would read as a clean bill.
      if !report.inputs.isEmpty {
        try StandardStreams.deliver(TextReportRenderer(isColored: color.isOn).render(report))
      }
    }
    if !report.failures.isEmpty { throw ExitStatus.unreadable }
    if let severity = failOn.severity, report.hasFindings(atLeast: severity) {
      throw ExitStatus.findings
    }
  }
}

extension Profile: ExpressibleByArgument {}
