import ArgumentParser
import KVOAudit
import KVOHeapAudit

/// `kvo-audit audit`, and `kvo-audit` alone: replay and report.
struct AuditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit",
    abstract: "Report every fault in some logs or crash reports (the default).",
    discussion: """
      Findings with the same signature count as one, also across logs. If an input cannot be read, or a \
      log is damaged, was cut or lacks events, the exit status is 65, after a report on everything that \
      could be read. A crash report that was cut is read as text.

      Crash reports (.crash, .ips, exports of crash services) and console text are accepted, too; the \
      kind of an input is detected from its content. Their findings are grouped by types, key path and \
      first own frame, the most frequent first.

      EXAMPLES
        kvo-audit app.kvolog
        kvo-audit --fail-on warning --app-module MyApp --app-module MyKit logs
        kvo-audit --format json app.kvolog | jq '.findings[].message'
        kvo-audit --format html=audit.html app.kvolog
        kvo-audit --format html crashes/*.ips > crashes.html
        pbpaste | kvo-audit -
        kvo-audit --format text --format sarif=kvo.sarif logs/
        kvo-audit --heap app.kvoheap app.kvolog
        kvo-audit --baseline main.json --fail-on-new app.kvolog
      """
  )

  @Argument(
    help: ArgumentHelp("The logs or crash reports; - is standard input.", valueName: "log")
  )
  var logs: [String]

  @OptionGroup(title: "Report")
  var reporting: ReportOptions

  @OptionGroup(title: "Known issues")
  var suppressing: SuppressionOptions

  @OptionGroup(title: "Known issues")
  var known: TriageOptions

  @OptionGroup
  var judging: JudgingOptions

  @OptionGroup
  var modules: ModuleOptions

  @OptionGroup
  var configuration: ConfigurationOptions

  @OptionGroup(title: "A fleet")
  var fleet: FleetOptions

  @Option(
    name: .customLong("dsym"),
    help: ArgumentHelp(
      """
      Symbolicate with this dSYM or ELF file (of "objcopy --only-keep-debug", or whole), or with those in \
      this folder (repeatable): a dSYM is for crash reports, an ELF file for logs.
      """,
      valueName: "path"
    )
  )
  var dsyms: [String] = []

  @Option(
    name: .customLong("symbols"),
    help: ArgumentHelp(
      """
      Symbolicate with the files of this symbol store, which "kvo-audit symbols add" fills, by build-id; \
      by default, that of KVO_SAFETY_SYMBOLS in the environment, if it is set.
      """,
      valueName: "folder"
    ),
    completion: .directory
  )
  var store: String?

  @Option(
    name: .customLong("heap"),
    help: ArgumentHelp(
      """
      Add the leaks of this heap snapshot of the same process, and what holds the objects of findings and of live \
      observations, to text, json and html. The exit status does not depend on it.
      """,
      valueName: "file"
    ),
    completion: .file(extensions: ["kvoheap"])
  )
  var snapshot: String?

  private var arguments: AuditArguments {
    AuditArguments(
      reporting: reporting,
      suppressing: suppressing,
      known: known,
      judging: judging,
      modules: modules,
      fleet: fleet
    )
  }

  func validate() throws {
    try arguments.validate()
    if case .all = judging.profile, snapshot != nil {
      throw ValidationError(
        "--profile all and --heap cannot go together: its table has no objects; ask for one runtime, such as "
          + "--profile apple-modern"
      )
    }
    guard case .all = judging.profile, logs.contains("-") else { return }
    throw ValidationError(
      "--profile all reads each log once for each runtime, and standard input \"-\" can be read "
        + "once: save it to a file and name that."
    )
  }

  func run() throws {
    let inputs = AuditInput.named(by: logs)
    let triage = try arguments.prepare(reading: inputs, and: snapshot.map { [$0] } ?? [])
    let snapshot = try snapshot.map { path in
      SnapshotJoin(try HeapCommand.snapshot(of: path), path: path)
    }
    try arguments.audit(
      inputs,
      symbols: DebugSources(dsyms, store: store),
      triage: triage,
      snapshot: snapshot
    )
  }
}
