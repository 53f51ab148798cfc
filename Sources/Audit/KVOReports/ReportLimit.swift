package import KVOAudit
import KVORules
import KVOText

/// How large a report may be for its readers, and how many findings it may have.
package struct ReportLimit: Hashable, Sendable {
  /// How many bytes of UTF-8 it has at the most.
  package var byteCount: Int
  /// How many findings, including fixed ones of a comparison.
  package var findingCount: Int

  package init(byteCount: Int, findingCount: Int = .max) {
    self.byteCount = byteCount
    self.findingCount = findingCount
  }

  /// The limits of GitHub's code scanning: 10 MB after compression, 25,000 results.
  ///
  /// Of those results it shows 5,000, the most severe ones. A result may have 1,000 locations, of which it shows
  /// 100, and 10,000 locations in flows, of which it shows 1,000.
  ///
  /// Source: "SARIF results exceed one or more limits",
  /// <https://docs.github.com/en/code-security/code-scanning/troubleshooting-sarif-uploads/results-exceed-limit>,
  /// and "SARIF results file is too large", beside it. A twentieth is left for compressors that do worse than ours.
  package static let sarif = ReportLimit(byteCount: 9_500_000, findingCount: 25_000)
  /// How many locations a result has: the one where it is shown, and those related.
  package static let sarifLocationCount = 1_000
  /// How many locations the flows of a result have.
  package static let sarifFlowLocationCount = 1_000
  /// A comment on GitHub has 65,536 characters at the most; a job summary takes 1 MiB.
  package static let markdown = ReportLimit(byteCount: 65_536)
  /// GitLab reads the report whole, into memory.
  package static let gitlab = ReportLimit(byteCount: 10_000_000)
  /// Servers for CI read test results whole, into memory.
  package static let junit = ReportLimit(byteCount: 10_000_000)
  /// Editors and browsers open nothing larger.
  package static let json = ReportLimit(byteCount: 100_000_000)
}

extension AuditReport {
  /// A sentence about the omission, without a full stop; nil: nothing is omitted.
  package var omission: String? {
    guard omittedCount > 0 else { return nil }
    let count = Wording.count(omittedCount, "finding")
    return "\(count) left out, the least important ones, so that this report "
      + "stays within what its readers take; --no-limits writes all"
  }

  /// The bytes of the report, with as many findings as fit.
  ///
  /// Omitted are, in this order: fixed findings, those that do not count, and of the rest the last ones: findings are
  /// in the order of their severity. Other parts of a report are never omitted.
  ///
  /// - Parameters:
  ///   - limit: the limit; nil: nothing is omitted.
  ///   - byteCount: how many bytes of a report count.
  ///   - render: returns the bytes of a report.
  /// - Returns: the bytes.
  /// - Complexity: O(log n) calls of `render`, and three or four if findings are about equally long.
  func rendered(
    within limit: ReportLimit?,
    byteCount: ([UInt8]) -> Int = { $0.count },
    _ render: (AuditReport) -> [UInt8]
  ) -> [UInt8] {
    guard let limit else { return render(self) }
    let all = findings.count + (comparison?.fixed.count ?? 0)
    var least = 0
    var bytes = render(keeping(0))
    if all == 0 { return bytes }
    let frameByteCount = byteCount(bytes)
    var keptByteCount = frameByteCount
    // Fewer findings than this may fit, never more.
    var most = min(all, limit.findingCount)
    var count = min(most, 256)
    var isTooMany = false
    var isEstimated = true
    // Not to the last finding: each attempt renders the report once more.
    while least < most, !isTooMany || keptByteCount < limit.byteCount / 64 * 63 {
      let larger = render(keeping(count))
      let largerByteCount = byteCount(larger)
      let length = max(1, (largerByteCount - frameByteCount) / count)
      if largerByteCount <= limit.byteCount {
        (least, bytes, keptByteCount) = (count, larger, largerByteCount)
      } else {
        most = count - 1
        isTooMany = true
      }
      // Findings are about as long as those before them. In case they are not, every other step doubles or
      // halves; none goes far beyond the limit.
      let next =
        if isEstimated { (limit.byteCount / 128 * 127 - frameByteCount) / length } else if isTooMany
        {
          least + (most - least + 1) / 2
        } else { 2 * least }
      count = max(least + 1, min(next, most, isTooMany ? most : 4 * least))
      isEstimated.toggle()
    }
    return bytes
  }

  /// The report with the `count` most important of its findings.
  private func keeping(_ count: Int) -> AuditReport {
    guard count < findings.count + (comparison?.fixed.count ?? 0) else { return self }
    var report = self
    let ranked = findings.filter(\.counts) + findings.filter { !$0.counts }
    if count < findings.count {
      report.findings = Array(ranked.prefix(count))
      report.omitted = Array(ranked.dropFirst(count))
    }
    let fixed = comparison?.fixed ?? []
    report.comparison?.fixed = Array(fixed.prefix(max(0, count - findings.count)))
    report.omittedFixedCount = fixed.count - (report.comparison?.fixed.count ?? 0)
    return report
  }
}
