import ArgumentParser
import KVOAudit
import KVOImport
import KVORules
import KVOSymbols

/// `kvo-audit audit`, and `kvo-audit` alone: replay and report.
struct AuditCommand: ParsableCommand {
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
        kvo-audit --format text --format sarif=kvo.sarif --format junit=kvo.xml *.kvolog
        kvo-audit --baseline main.json --fail-on-new app.kvolog
      """
  )

  @Argument(
    help: ArgumentHelp("The logs or crash reports; - is standard input.", valueName: "log")
  )
  var logs: [String]

  @OptionGroup(title: "Report")
  var reporting: ReportOptions

  @OptionGroup(title: "What is known")
  var known: TriageOptions

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

  func validate() throws {
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
    if known.baseline != nil {
      throw ValidationError(
        "--profile all and --baseline cannot go together: a baseline is of one runtime; ask for one, such "
          + "as --profile apple-modern"
      )
    }
    for output in reporting.formats {
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
    let inputs = AuditInput.inputs(arguments: logs)
    try reporting.check(reading: inputs)
    let triage = try known.load()
    let bar = ProgressBar()
    let progress: Audit.Progress = { bar.update($0, readByteCount: $1, byteCount: $2) }
    if case .all = profile {
      let matrix = audit(as: nil, triage).matrix(on: inputs, progress: progress) {
        triage.apply(to: &$0)
      }
      bar.clear()
      complain(of: matrix.failures)
      for output in reporting.outputs {
        if matrix.inputs.isEmpty, output.format == .text { continue }
        try output.write(matrix)
      }
      return try reporting.end(matrix.failures, hasFindings: matrix.hasFindings)
    }
    var report = audit(as: profile?.single, triage).report(on: inputs, progress: progress)
    bar.clear()
    complain(of: report.failures)
    triage.apply(to: &report)
    try reporting.deliver(report, showsSuppressed: known.showSuppressed)
  }

  private func audit(as profile: Profile?, _ triage: Triage) -> Audit {
    Audit(
      options: AuditOptions(
        profile: profile,
        appModules: appModules,
        judgesLeaksAtExit: leaksAtExit,
        gathersCallSites: triage.needsCallSites
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
}
