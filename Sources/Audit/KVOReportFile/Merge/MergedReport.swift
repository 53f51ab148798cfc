package import KVOAudit
import KVOFindings
package import KVORules
import KVOText

/// A merged report whose findings are in a temporary file.
package struct MergedReport {
  /// The report without its findings; the summary counts them.
  package private(set) var head: AuditReport
  private let findings: [SpooledFinding]
  private let texts: SpooledBytes
  /// The inputs of each report that was merged.
  private let indices: [[Int]]
  /// The index in `head` of each input that stays; nil: all stay.
  private var listed: [Int: Int]?

  init(head: AuditReport, findings: [SpooledFinding], texts: SpooledBytes, indices: [[Int]]) {
    self.head = head
    self.findings = findings
    self.texts = texts
    self.indices = indices
    self.head.summary.clearFindings()
    for finding in findings {
      self.head.summary.count(
        finding.position.severity,
        counts: finding.counts,
        isLibrary: finding.isLibrary,
        isSuppressed: finding.isSuppressed
      )
    }
  }

  /// The report in memory.
  ///
  /// - Throws: ``InputFailure`` if the temporary file cannot be read.
  package func report() throws(InputFailure) -> AuditReport {
    var report = head
    report.findings.reserveCapacity(findings.count)
    for finding in findings {
      var finding = try finding.read(from: texts, inputs: indices)
      finding.setInput(index)
      report.findings.append(finding)
    }
    return report
  }

  /// Counts inputs instead of listing them, as ``AuditReport/collapseInputs(limit:keeping:)``.
  ///
  /// - Throws: ``InputFailure`` if the temporary file cannot be read.
  package mutating func collapseInputs(
    limit: Int = AuditReport.listedInputLimit
  ) throws(InputFailure) {
    guard head.inputCount > limit else { return }
    var referenced = Set<Int>()
    for finding in findings {
      referenced.insert(finding.position.input)
      guard !finding.hasOneInput else { continue }
      var whole = try finding.read(from: texts, inputs: indices)
      whole.setInput { input in
        referenced.insert(input)
        return input
      }
    }
    listed = head.collapseInputs(limit: limit, keeping: referenced)
  }

  private func index(_ input: Int) -> Int { listed?[input] ?? input }

  /// As ``AuditReport/hasFindings(atLeast:)``.
  package func hasFindings(atLeast severity: Severity) -> Bool {
    findings.contains { $0.position.severity >= severity && $0.mayFail }
      || head.suppressions.contains { head.fails($0, from: severity) }
      || !head.crashedInputs(besides: Set(findings.lazy.map { index($0.position.input) })).isEmpty
  }

  /// Writes the JSON report as ``ReportFile/bytes(of:)`` does, a megabyte at a time.
  ///
  /// Complexity: O(size of the report).
  ///
  /// - Parameter take: takes the next bytes; returns whether more can be taken.
  /// - Throws: ``InputFailure`` if the temporary file cannot be read.
  package func write(_ take: ([UInt8]) -> Bool) throws(InputFailure) {
    let frame = ReportFile.bytes(of: head)
    guard !findings.isEmpty, let start = Self.findingsOffset(in: frame) else {
      _ = take(frame)
      return
    }
    var bytes = Array(frame[..<start])
    var separator = "\n    "
    for finding in findings {
      bytes += separator.utf8
      separator = ",\n    "
      try finding.write(to: &bytes, from: texts, inputs: indices, index)
      if bytes.count > 1 << 20 {
        guard take(bytes) else { return }
        bytes.removeAll(keepingCapacity: true)
      }
    }
    bytes += "\n  ".utf8
    bytes += frame[start...]
    _ = take(bytes)
  }

  /// The offset in a report without findings of the bracket before which findings belong.
  private static func findingsOffset(in frame: [UInt8]) -> Int? {
    // A line break is escaped in a string: this is the key, wherever it is found.
    let key = Array("\n  \"findings\": [".utf8)
    return frame.firstRange(of: key)?.upperBound
  }
}
