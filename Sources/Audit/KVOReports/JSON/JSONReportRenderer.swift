package import KVOAudit
import KVOReportFile
import KVORules

/// Renders a report as JSON: the contract that other tools read.
///
/// Every key is always present, except for those that only crash reports and console texts have, and `omittedFindings`,
/// the number of omitted findings if there are any, and what `--by-origin` adds: `origin` of an input, `sightings` of a
/// finding, and `registrations`; null stands for values that the input does not state. Keys that
/// later versions add follow the others of their object, without a new schema number.
package struct JSONReportRenderer {
  package init() {}

  /// The report as UTF-8, with a newline at its end.
  ///
  /// - Parameters:
  ///   - report: the report.
  ///   - limit: the limit of the text; nil: no limit.
  /// - Returns: the text.
  /// - Complexity: O(size of the report), times O(log n) when n findings do not fit.
  package func render(_ report: AuditReport, within limit: ReportLimit? = nil) -> [UInt8] {
    report.rendered(within: limit, ReportFile.bytes)
  }
}
