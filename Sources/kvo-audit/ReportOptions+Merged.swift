import ArgumentParser
import KVOAudit
import KVOReportFile

extension ReportOptions {
  /// Whether only complete JSON reports are written, for which findings need not be in memory together.
  var isPartial: Bool {
    !open && !GitHubActions.isRunning
      && outputs.allSatisfy { $0.format == .json && $0.isUnlimited }
  }

  /// Does the same for a merged report, and writes it as JSON.
  ///
  /// - Parameter merged: the report.
  /// - Throws: the status, if it is not 0.
  func deliver(_ merged: MergedReport) throws {
    var merged = merged
    if !allInputs {
      try MergedReport.read { () throws(InputFailure) in try merged.collapseInputs() }
    }
    IncompleteInput.complain(merged.head.incompleteness)
    for output in outputs {
      let sink = OutputSink(path: output.path)
      try MergedReport.read { () throws(InputFailure) in try merged.write { sink.take($0) } }
      try sink.finish()
    }
    try end(
      merged.head.failures,
      isIncomplete: merged.head.isIncomplete,
      hasFindings: merged.hasFindings
    )
  }
}

extension MergedReport {
  /// The result of `body`, which uses the temporary file.
  ///
  /// - Throws: ``ExitStatus/unreadable`` if that is impossible, after printing the error.
  static func read<Result>(_ body: () throws(InputFailure) -> Result) throws -> Result {
    do throws(InputFailure) {
      return try body()
    } catch {
      StandardStreams.complain("kvo-audit: \(error.message)")
      throw ExitStatus.unreadable
    }
  }
}
