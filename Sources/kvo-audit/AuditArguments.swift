import ArgumentParser
import KVOAudit
import KVOImport
import KVORules
import KVOSymbols

/// How to judge and to report, for every command that ends in an audit.
struct AuditArguments: ParsableArguments {
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

  @Option(
    name: .customLong("format"),
    help: ArgumentHelp(
      """
      How to write the report: text, json, markdown, sarif, junit or html (a page of \
      groups of crash reports); =FILE writes it into a file \
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

  /// Audits logs, and writes the reports.
  ///
  /// - Parameters:
  ///   - logs: their paths; `-` is standard input.
  ///   - dsyms: what names the frames of crash reports.
  /// - Throws: ``ExitStatus``, where it is not 0; what is wrong was said.
  func audit(_ logs: [String], dsyms: [String] = []) throws {
    let bar = ProgressBar()
    let inputs = AuditInput.inputs(arguments: logs)
    let progress: Audit.Progress = { bar.update($0, readByteCount: $1, byteCount: $2) }
    let outputs = formats.isEmpty ? [ReportOutput(format: .text)] : formats
    if case .all = profile {
      let matrix = pipeline(as: nil, dsyms).matrix(on: inputs, progress: progress)
      bar.clear()
      complain(of: matrix.failures)
      for output in outputs {
        if matrix.inputs.isEmpty, output.format == .text { continue }
        try output.write(matrix)
      }
      return try end(matrix.failures, hasFindings: matrix.hasFindings)
    }
    let report = pipeline(as: profile?.single, dsyms).report(on: inputs, progress: progress)
    bar.clear()
    complain(of: report.failures)
    for output in outputs {
      // Figures on nothing would read as a clean bill.
      if report.inputs.isEmpty, output.format == .text || output.format == .markdown { continue }
      try output.write(report, isColored: color.isOn, failingFrom: failOn.severity)
    }
    try end(report.failures, hasFindings: report.hasFindings)
  }

  private func pipeline(as profile: Profile?, _ dsyms: [String]) -> Audit {
    Audit(
      options: AuditOptions(
        profile: profile,
        appModules: appModules,
        judgesLeaksAtExit: leaksAtExit
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
