package import KVOAudit
private import KVOFindings

/// Where a report comes from: a file that holds one, or a log that is audited for it.
package enum ReportSource {
  /// The report of `argument`.
  ///
  /// - Parameters:
  ///   - argument: a path, or `-` for a log or a report on standard input.
  ///   - audit: judges a log.
  ///   - decompression: recognizes compressed logs and reports.
  ///   - progress: as of ``Audit/report(on:progress:)``.
  /// - Returns: the report that the file holds, or that of the audit.
  /// - Throws: ``InputFailure`` if the argument is neither.
  package static func report(
    of argument: String,
    by audit: Audit,
    decompression: (any InputDecompression)? = nil,
    progress: Audit.Progress? = nil
  ) throws(InputFailure) -> AuditReport {
    var input = AuditInput(argument: argument, decompression: decompression)
    switch input {
    case .file(let path, _):
      let source = try ByteSource(path: path, decompression: decompression)
      // A FIFO can be opened only once, so it is treated as a log.
      if source.knownByteCount != nil, let report = try heldReport(source, input.label) {
        return report
      }
    case .standardInput:
      let source = ByteSource(standardInputLabel: input.label, decompression: decompression)
      source.keepsStored = true
      if let report = try heldReport(source, input.label) { return report }
      input = .standardInput(decompression: decompression, beginning: source.stored)
    case .events, .folder: break
    }
    let report = audit.report(on: [input], progress: progress)
    if let failure = report.failures.first { throw failure }
    return report
  }

  /// The report that `source` holds; nil if its beginning is not that of a report.
  private static func heldReport(
    _ source: ByteSource,
    _ label: String
  ) throws(InputFailure) -> AuditReport? {
    var head: [UInt8] = []
    while head.count < InputKind.headByteCount {
      let chunk = try source.read()
      if chunk.isEmpty { break }
      head += chunk
    }
    guard ReportForm.isReport(head: head) else { return nil }
    source.keepsStored = false
    return try ReportFile.report(in: source, after: head, label: label)
  }
}
