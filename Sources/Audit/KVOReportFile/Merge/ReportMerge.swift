package import KVOAudit
import KVOFindings
import KVORules
import KVOText

/// Merges reports that are read one after another, as ``AuditReport/merging(_:)`` merges reports in memory.
///
/// Findings are kept in a temporary file, as text; of each only what determines its position in the merged report is in
/// memory, about 200 bytes. What reports have besides findings is in memory.
package struct ReportMerge {
  /// The reports without their findings.
  private var heads: [AuditReport] = []
  private var registrations: RegistrationSums?
  private var findings: [SpooledFinding] = []
  private let texts: SpooledBytes

  /// - Parameter memoryLimit: how many bytes of findings are kept in memory.
  package init(memoryLimit: Int = 16 << 20) {
    texts = SpooledBytes(label: "the findings", limit: memoryLimit)
  }

  /// Reads the report at `path`.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - decompression: recognizes compressed files; nil: there are none.
  /// - Throws: ``InputFailure`` as of ``ReportFile/read(_:decompression:)``, and if there is no space for its findings.
  ///   Nothing of the report is merged then.
  /// - Complexity: O(bytes).
  package mutating func add(
    fileAt path: String,
    decompression: (any InputDecompression)? = nil
  ) throws(InputFailure) {
    let source = try ByteSource(path: path, decompression: decompression)
    // An input that is not a file can be read only once.
    guard source.knownByteCount != nil else {
      return try add(ReportFile.report(in: source, after: [], label: path))
    }
    let start = findings.count
    var failure: InputFailure?
    var beginning: [UInt8]? = try ReportFile.beginning(in: source, label: path)
    var stream = ReportStream {
      defer { beginning = nil }
      return beginning ?? (try? source.read()) ?? []
    }
    let head = stream.read { finding in
      do throws(InputFailure) {
        if failure == nil { try add(finding) }
      } catch {
        failure = error
      }
    }
    if failure == nil, source.damage == nil, let head { return addHead(head) }
    findings.removeSubrange(start...)
    if let failure { throw failure }
    try add(ReportFile.read(path, decompression: decompression))
  }

  /// Adds a report.
  ///
  /// - Throws: ``InputFailure`` if there is no space for its findings.
  package mutating func add(_ report: AuditReport) throws(InputFailure) {
    for finding in report.findings { try add(finding) }
    var head = report
    head.findings = []
    addHead(head)
  }

  private mutating func addHead(_ report: AuditReport) {
    var head = report
    if let counts = head.registrations {
      if registrations == nil { registrations = RegistrationSums() }
      registrations?.add(counts)
      head.registrations = nil
    }
    heads.append(head)
  }

  private mutating func add(_ finding: Finding) throws(InputFailure) {
    // A part is merged of one finding or of several in the same way.
    findings.append(try SpooledFinding(.merging([finding]), report: heads.count, in: texts))
  }

  /// Merges the reports, and forgets them.
  ///
  /// Complexity: O(n log n) in the findings, inputs and stacks of all.
  ///
  /// - Returns: the merged report.
  /// - Throws: ``InputFailure`` if the temporary file cannot be read or written.
  package mutating func merged() throws(InputFailure) -> MergedReport {
    var (head, indices) = AuditReport.mergingHeads(heads)
    head.registrations = registrations?.sorted
    var findings: [SpooledFinding] = []
    swap(&findings, &self.findings)
    (heads, registrations) = ([], nil)
    for position in findings.indices {
      findings[position].setInput(indices[findings[position].report])
    }
    // By signature, so that the findings of one are together.
    findings.sort { $0.position.signature < $1.position.signature }
    var count = 0
    var start = 0
    while start < findings.count {
      let signature = findings[start].position.signature
      var end = start + 1
      while end < findings.count, findings[end].position.signature == signature { end += 1 }
      // A slice would share the elements, which would be copied when one of them changes.
      findings[count] =
        end - start == 1
        ? findings[start] : try Self.merged(Array(findings[start..<end]), indices, in: texts)
      count += 1
      start = end
    }
    findings.removeSubrange(count...)
    findings.sort { $0.position < $1.position }
    return MergedReport(head: head, findings: findings, texts: texts, indices: indices)
  }

  /// One finding of some that have the same signature, with the inputs of the merged report.
  private static func merged(
    _ some: [SpooledFinding],
    _ indices: [[Int]],
    in texts: SpooledBytes
  ) throws(InputFailure) -> SpooledFinding {
    var batch: [Finding] = []
    for finding in some {
      batch.append(try finding.read(from: texts, inputs: indices))
      if batch.count == 1_000 { batch = [.merging(batch)] }
    }
    return try SpooledFinding(.merging(batch), report: SpooledFinding.noReport, in: texts)
  }
}
