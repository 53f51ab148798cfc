import ArgumentParser
import KVOAudit
import KVOExport
import KVOSymbols

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `kvo-audit export`: a log for other tools.
struct ExportCommand: ParsableCommand {
  enum Form: String, CaseIterable, ExpressibleByArgument {
    case perfetto
    case collapsed
    case speedscope
    case pprof
    case otlp
    case sqlite
    case parquet
  }

  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write logs for Perfetto, flame graphs, pprof, OpenTelemetry or SQLite.",
    usage: "kvo-audit export --to <form> [<options>] <log> ...",
    discussion: """
      FORMS
        perfetto    a trace in Chrome's format: observations, changes and
                    callbacks as slices, and an arrow from each change to each
                    callback; https://ui.perfetto.dev opens it
        collapsed   a line for each stack that registers, with the number of
                    its registrations, for flamegraph.pl and inferno
        speedscope  the same for https://www.speedscope.app
        pprof       live and made registrations by stack, for pprof and
                    speedscope
        otlp        findings and crashes as OpenTelemetry's log records, in
                    its JSON form
        sqlite      tables of events, findings, stacks, registering call sites,
                    and growth
        parquet     tables of findings, registrations and inputs, by the Python
                    package's kvo-audit

      EXAMPLES
        kvo-audit export --to perfetto app.kvolog -o app.json
        kvo-audit export --to collapsed --count live app.kvolog > live.txt
        kvo-audit export --to sqlite app.kvolog -o app.db
        sqlite3 app.db 'SELECT place, live FROM call_sites ORDER BY live DESC'
      """
  )

  @Argument(help: ArgumentHelp("The logs; - is standard input.", valueName: "log"))
  var logs: [String]

  @Option(help: "The form to write.")
  var to: Form

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("The file to write; by default, standard output.", valueName: "file")
  )
  var output: String?

  @Option(help: "What collapsed stacks count: registrations made, or live at the end.")
  var count: CallSiteStacks.Measure = .made

  @OptionGroup
  var suppressing: SuppressionOptions

  @OptionGroup
  var modules: ModuleOptions

  @OptionGroup
  var configuration: ConfigurationOptions

  /// Whether the form has findings, which may be suppressed.
  private var hasFindings: Bool {
    switch to {
    case .otlp, .sqlite, .parquet: true
    case .perfetto, .collapsed, .speedscope, .pprof: false
    }
  }

  func validate() throws {
    if !hasFindings, let file = suppressing.suppressionFiles.first {
      throw ValidationError(
        "--suppressions \(file) has no effect: --to \(to.rawValue) writes no findings"
      )
    }
    switch to {
    case .parquet:
      throw ValidationError(
        "Parquet is written by the Python package, whose kvo-audit takes the same arguments: install the wheel "
          + "that `make wheel` makes"
      )
    case .perfetto where logs.count > 1:
      throw ValidationError(
        "a trace is of one log, and there are \(logs.count): export each of them"
      )
    case .sqlite where output == nil:
      throw ValidationError("a database is not for standard output: name a file with -o")
    case .sqlite where logs.contains("-"):
      throw ValidationError(
        "--to sqlite reads each log twice, and standard input \"-\" can be read once: save it to a file"
      )
    default: return
    }
  }

  func run() throws {
    let inputs = AuditInput.named(by: logs)
    let files = hasFindings ? suppressing.paths : []
    if let output { try OutputFile.check([output], reading: inputs, and: files) }
    switch to {
    case .perfetto: try writeTrace(of: inputs[0])
    case .collapsed, .speedscope, .pprof, .otlp, .sqlite, .parquet:
      try writeAudited(inputs, suppressing: hasFindings ? suppressing.load() : [])
    }
  }

  private func writeTrace(of input: AuditInput) throws {
    let sink = OutputSink(path: output)
    let bar = ProgressBar()
    let result = Result { () throws(InputFailure) in
      try TimelineExport(of: input).run(
        progress: { bar.update(input.label, readByteCount: $0, byteCount: $1) },
        { sink.take($0) }
      )
    }
    bar.clear()
    let missing: [String]
    switch result {
    case .failure(let failure): throw unreadable([failure])
    case .success(let parts): missing = parts
    }
    try sink.finish()
    IncompleteInput.complain(missing)
    if !missing.isEmpty { throw ExitStatus.unreadable }
  }

  private func writeAudited(_ inputs: [AuditInput], suppressing suppressions: [Suppression]) throws
  {
    let bar = ProgressBar()
    let progress: Audit.Progress = { bar.update($0, readByteCount: $1, byteCount: $2) }
    let options = AuditOptions(appModules: modules.appModules, gathersCallSites: true)
    var report = Audit(options: options, resolver: DwarfFrameResolver.withIndices())
      .report(on: inputs, progress: progress)
    if !suppressions.isEmpty { report.suppress(suppressions, on: suppressing.day) }
    bar.clear()
    if !report.inputs.isEmpty {
      let stacks = CallSiteStacks(report.callSites ?? [])
      switch to {
      case .collapsed: try write(stacks.collapsed(count))
      case .speedscope: try write(stacks.speedscope(name: logs.joined(separator: " ")))
      case .pprof: try write(stacks.pprof, isBinary: true)
      case .otlp: try write(TelemetryLogs(report, observedTime: Self.now).json)
      case .sqlite, .perfetto, .parquet: try writeDatabase(report, inputs, progress)
      }
      bar.clear()
    }
    IncompleteInput.complain(report.incompleteness)
    if report.mayLackFindings { throw unreadable(report.failures) }
  }

  /// Writes a database beside the file that it replaces, and renames it when it is complete.
  private func writeDatabase(
    _ report: AuditReport,
    _ inputs: [AuditInput],
    _ progress: @escaping Audit.Progress
  ) throws {
    guard let output else { return }
    let draft = try OutputDraft(for: output)
    do throws(DatabaseExport.Failure) {
      var export = try DatabaseExport(report, path: draft.path)
      try export.run(inputs, progress: progress)
    } catch {
      draft.discard()
      switch error {
      case .input(let failure): throw unreadable([failure])
      case .database(let words):
        throw OutputFile.refusal(output, words)
      }
    }
    try draft.replace()
  }

  /// The time in nanoseconds since 1970.
  private static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  private func write(_ bytes: [UInt8], isBinary: Bool = false) throws {
    let sink = OutputSink(path: output)
    sink.take(bytes, isBinary: isBinary)
    try sink.finish()
  }

  private func unreadable(_ failures: [InputFailure]) -> ExitCode {
    for failure in failures { StandardStreams.complain("kvo-audit: \(failure.message)") }
    return ExitStatus.unreadable
  }
}

extension CallSiteStacks.Measure: ExpressibleByArgument {}
