import ArgumentParser
import KVOAudit
import KVOImport
import KVORules
import KVOSymbols

/// `kvo-audit audit`, and `kvo-audit` alone: replay and report.
struct AuditCommand: ParsableCommand {
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
        kvo-audit --format html=audit.html app.kvolog
        kvo-audit --format html crashes/*.ips > crashes.html
        pbpaste | kvo-audit -
        kvo-audit --format text --format sarif=kvo.sarif --format junit=kvo.xml *.kvolog
      """
  )

  @Argument(
    help: ArgumentHelp("The logs or crash reports; - is standard input.", valueName: "log")
  )
  var logs: [String]

  @Option(
    name: .customLong("format"),
    help: ArgumentHelp(
      """
      How to write the report: text, json, markdown, sarif, junit or html (a page for a browser, \
      which needs nothing else); =FILE writes it into a file \
      (repeatable; text on standard output where nothing is said).
      """,
      valueName: "form[=file]"
    )
  )
  var formats: [ReportOutput] = []

  @Option(help: "The least severity that makes the exit status 1.")
  var failOn: FailOn = .error

  @Option(
    help: """
      Judge as this runtime would have behaved; without it, each log is judged as the runtime that \
      it was recorded on. all: write what becomes of each fault on each of them, as text or json.
      """
  )
  var profile: ProfileChoice?

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

  func validate() throws {
    let printed = formats.filter { $0.path == nil }
    guard printed.count <= 1 else {
      let names = printed.map { "\"\($0.format.rawValue)\"" }.joined(separator: " and ")
      throw ValidationError(
        "\(names) cannot both go to standard output; name a file: --format \(printed[1].format.rawValue)=FILE"
      )
    }
    if case .all = profile { try validateForAll() }
  }

  /// What cannot be done with one report for each runtime.
  private func validateForAll() throws {
    if logs.contains("-") {
      throw ValidationError(
        "--profile all reads each log once for each runtime, and standard input \"-\" can be read "
          + "once: save it to a file and name that."
      )
    }
    for output in formats {
      switch output.format {
      case .text, .json: continue
      case .markdown, .sarif, .junit, .html:
        throw ValidationError(
          "--profile all is written as text or json, not as \"\(output.format.rawValue)\": ask for one "
            + "runtime, such as --profile apple-modern."
        )
      }
    }
  }

  func run() throws {
    let bar = ProgressBar()
    let inputs = AuditInput.inputs(arguments: logs)
    let progress: Audit.Progress = { bar.update($0, readByteCount: $1, byteCount: $2) }
    let outputs = formats.isEmpty ? [ReportOutput(format: .text)] : formats
    if case .all = profile {
      let matrix = audit(as: nil).matrix(on: inputs, progress: progress)
      bar.clear()
      complain(of: matrix.failures)
      for output in outputs {
        if matrix.inputs.isEmpty, output.format == .text { continue }
        try output.write(matrix)
      }
      return try end(matrix.failures, hasFindings: matrix.hasFindings)
    }
    let report = audit(as: profile?.single).report(on: inputs, progress: progress)
    bar.clear()
    complain(of: report.failures)
    for output in outputs {
      // Figures on nothing would read as a clean bill.
      if report.inputs.isEmpty, output.format == .text || output.format == .markdown { continue }
      try output.write(report, isColored: color.isOn, failingFrom: failOn.severity)
    }
    try end(report.failures, hasFindings: report.hasFindings)
  }

  private func audit(as profile: Profile?) -> Audit {
    Audit(
      options: AuditOptions(
        profile: profile,
        appModules: appModules,
        judgesLeaksAtExit: leaksAtExit,
        collectsActivity: formats.contains { $0.format == .html }
      ),
      resolver: DwarfFrameResolver(),
      importer: ReportImporter(dsyms: dsyms)
    )
  }

  private func complain(of failures: [InputFailure]) {
    for failure in failures {
      let offered = failure.suggesting(commands: KVOAuditCommand.names)
      StandardStreams.complain("kvo-audit: \(offered.message)")
    }
  }

  /// Ends with the status that the report gives.
  private func end(_ failures: [InputFailure], hasFindings: (Severity) -> Bool) throws {
    if !failures.isEmpty { throw ExitStatus.unreadable }
    if let severity = failOn.severity, hasFindings(severity) { throw ExitStatus.findings }
  }
}
