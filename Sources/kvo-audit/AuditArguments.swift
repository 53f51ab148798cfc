import ArgumentParser
import KVOAudit
import KVOHeapAudit
import KVOImport
import KVOReports
import KVORules
import KVOSymbols

/// The options for judging and reporting, for every command that ends in an audit.
///
/// Not itself a group of options: in a debug build ArgumentParser checks each group several times for each group that it
/// is in, and every test that runs kvo-audit would wait for that.
struct AuditArguments {
  var reporting: ReportOptions
  var suppressing: SuppressionOptions
  var known: TriageOptions
  var judging: JudgingOptions
  var modules: ModuleOptions
  var fleet: FleetOptions

  private var profile: ProfileChoice? { judging.profile }

  func validate() throws {
    if case .all = profile { try validateForAll() }
  }

  /// The options that cannot be combined with one report for each runtime.
  private func validateForAll() throws {
    if fleet.countsByOrigin {
      throw ValidationError(
        "--profile all and --by-origin cannot go together: its table has no origins; ask for one runtime, "
          + "such as --profile apple-modern"
      )
    }
    if known.baseline != nil {
      throw ValidationError(
        "--profile all and --baseline cannot go together: a baseline is of one runtime; ask for one, such "
          + "as --profile apple-modern"
      )
    }
    if reporting.summary != nil {
      throw ValidationError(
        "--profile all and --summary cannot go together: a partial result is of one runtime; ask for one, "
          + "such as --profile apple-modern"
      )
    }
    if reporting.byImage {
      throw ValidationError(
        "--profile all and --by-image cannot go together: the table has a row for each fault; ask for one "
          + "runtime, such as --profile apple-modern"
      )
    }
    if reporting.open {
      throw ValidationError(
        "--profile all and --open cannot go together: the page is of one runtime; ask for one, such as "
          + "--profile apple-modern"
      )
    }
    for output in reporting.formats {
      switch output.format {
      case .text, .json: continue
      case .markdown, .sarif, .junit, .html, .gitlab, .github:
        throw ValidationError(
          "--profile all is written as text or json, not as \"\(output.format.rawValue)\": ask for one "
            + "runtime, such as --profile apple-modern."
        )
      }
    }
  }

  /// Reads the known issues, and ensures that the reports can be written, before any other work.
  ///
  /// - Parameters:
  ///   - inputs: the logs to be read, as far as they exist.
  ///   - files: other files to be read.
  /// - Returns: the known issues.
  /// - Throws: ``ExitStatus``, after the error was printed.
  func prepare(reading inputs: [AuditInput], and files: [String] = []) throws -> Triage {
    try reporting.check(reading: inputs, and: suppressing.paths + known.files + files)
    return try known.load(with: suppressing)
  }

  /// Audits logs, and writes the reports.
  ///
  /// - Parameters:
  ///   - inputs: the logs and crash reports.
  ///   - symbols: the debug information for their frames.
  ///   - triage: the known issues.
  ///   - snapshot: a heap snapshot that the report is to be joined with; nil: none.
  /// - Throws: ``ExitStatus``, if it is not 0, after the error was printed.
  func audit(
    _ inputs: [AuditInput],
    symbols: DebugSources = DebugSources(),
    triage: Triage,
    snapshot: SnapshotJoin? = nil
  ) throws {
    let bar = ProgressBar()
    let progress: Audit.Progress = { bar.update($0, readByteCount: $1, byteCount: $2) }
    if case .all = profile {
      let matrix = pipeline(as: nil, symbols, triage, keepsProcesses: false).matrix(
        on: inputs,
        progress: progress
      ) {
        triage.apply(to: &$0)
      }
      bar.clear()
      complain(of: matrix.failures)
      IncompleteInput.complain(matrix.incompleteness)
      symbols.complain(havingRead: matrix.inputs)
      for output in reporting.outputs {
        if matrix.inputs.isEmpty, output.format == .text, output.path == nil { continue }
        try output.write(matrix)
      }
      return try reporting.end(
        matrix.failures,
        isIncomplete: !matrix.incompleteness.isEmpty,
        hasFindings: matrix.hasFindings
      )
    }
    let audit = pipeline(
      as: profile?.single,
      symbols,
      triage,
      keepsProcesses: snapshot != nil
    )
    var report = audit.report(on: inputs, progress: progress)
    snapshot?.join(&report)
    bar.clear()
    complain(of: report.failures)
    symbols.complain(havingRead: report.inputs)
    sayWhatIsBeside(inputs)
    triage.apply(to: &report)
    try reporting.deliver(report, showsSuppressed: known.showSuppressed)
  }

  private func pipeline(
    as profile: Profile?,
    _ symbols: DebugSources,
    _ triage: Triage,
    keepsProcesses: Bool
  ) -> Audit {
    Audit(
      options: AuditOptions(
        profile: profile,
        appModules: modules.appModules,
        judgesLeaksAtExit: judging.leaksAtExit,
        gathersCallSites: triage.needsCallSites || reporting.hasPage,
        followsActivity: reporting.hasPage,
        countsByOrigin: fleet.countsByOrigin,
        keepsProcesses: keepsProcesses,
        pathPattern: fleet.pathPattern
      ),
      resolver: symbols.resolver,
      importer: symbols.importer,
      workerCount: fleet.jobs
    )
  }

  /// Lists the logs of other processes that are not read.
  private func sayWhatIsBeside(_ inputs: [AuditInput]) {
    for (path, others) in AuditInput.logs(beside: inputs) {
      StandardStreams.complain(
        "kvo-audit: beside \(path) there are logs of other processes, which are not part of this report: "
          + others.joined(separator: ", ")
      )
    }
  }

  private func complain(of failures: [InputFailure]) {
    for failure in failures {
      let offered = failure.suggesting(commands: KVOAuditCommand.names)
      StandardStreams.complain("kvo-audit: \(offered.message)")
    }
  }
}
