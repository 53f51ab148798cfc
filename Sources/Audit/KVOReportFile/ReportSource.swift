package import KVOAudit

/// Where a report comes from: a file that holds one, or a log that is audited for it.
package enum ReportSource {
  /// The report of `argument`.
  ///
  /// - Parameters:
  ///   - argument: a path, or `-` for a log on standard input.
  ///   - audit: judges a log.
  ///   - decompression: recognizes compressed logs.
  ///   - progress: as of ``Audit/report(on:progress:)``.
  /// - Returns: the report that the file holds, or that of the audit.
  /// - Throws: ``InputFailure`` if the argument is neither.
  package static func report(
    of argument: String,
    by audit: Audit,
    decompression: (any InputDecompression)? = nil,
    progress: Audit.Progress? = nil
  ) throws(InputFailure) -> AuditReport {
    let input = AuditInput(argument: argument, decompression: decompression)
    if case .file(let path, _) = input, try isReport(path) { return try ReportFile.read(path) }
    let report = audit.report(on: [input], progress: progress)
    if let failure = report.failures.first { throw failure }
    return report
  }

  private static func isReport(_ path: String) throws(InputFailure) -> Bool {
    let source = try ByteSource(path: path)
    // An input that is not a file can be read only once, so it is treated as a log.
    guard source.knownByteCount != nil else { return false }
    return InputKind.isReport(head: try source.read())
  }
}
