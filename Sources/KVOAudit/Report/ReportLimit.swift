import KVORules

/// How large a report may be for those who read it, and how many findings it may have.
package struct ReportLimit: Hashable, Sendable {
  /// How many bytes of UTF-8 it has at the most.
  package var byteCount: Int
  /// How many findings, those included that a comparison says are fixed.
  package var findingCount: Int

  package init(byteCount: Int, findingCount: Int = .max) {
    self.byteCount = byteCount
    self.findingCount = findingCount
  }

  /// What GitHub's code scanning takes: 10 MB after compression, of which 10 MB before it are never more.
  ///
  /// Source: "SARIF results exceed one or more limits" in GitHub's documentation of code scanning, which also
  /// allows 25,000 results, and each of them 1,000 locations.
  package static let sarif = ReportLimit(byteCount: 10_000_000, findingCount: 25_000)
  /// How many related locations a result has.
  package static let sarifLocationCount = 1_000
  /// A comment on GitHub has 65,536 characters at the most; a job summary takes 1 MiB.
  package static let markdown = ReportLimit(byteCount: 65_536)
  /// Servers for CI read test results whole, into memory.
  package static let junit = ReportLimit(byteCount: 10_000_000)
  /// Editors and browsers open no more.
  package static let json = ReportLimit(byteCount: 100_000_000)
}

extension AuditReport {
  /// How many findings are left out, those included that a comparison says are fixed.
  package var omittedCount: Int { omitted.count + omittedFixedCount }

  /// What is to be said of that, a sentence without a full stop; nil: nothing is left out.
  package var omission: String? {
    guard omittedCount > 0 else { return nil }
    let count = Wording.count(omittedCount, "finding")
    return "\(count) left out, the least important ones, so that this report "
      + "stays within what its readers take; --no-limits writes all"
  }

  /// The bytes of the report, with as many findings as fit.
  ///
  /// Left out are, in this order: fixed findings, those that do not count, and of the rest the last
  /// ones: findings stand in the order of their severity. What else is in a report is never left out.
  ///
  /// - Parameters:
  ///   - limit: what to stay within; nil: nothing is left out.
  ///   - render: gives the bytes of a report.
  /// - Returns: the bytes.
  /// - Complexity: O(log n) calls of `render`, and three or four if findings are about equally long.
  func rendered(within limit: ReportLimit?, _ render: (AuditReport) -> [UInt8]) -> [UInt8] {
    guard let limit else { return render(self) }
    let all = findings.count + (comparison?.fixed.count ?? 0)
    var least = 0
    var bytes = render(keeping(0))
    if all == 0 { return bytes }
    let frameByteCount = bytes.count
    // Fewer findings than this may fit, never more.
    var most = min(all, limit.findingCount)
    var count = min(most, 256)
    var isTooMany = false
    var isEstimated = true
    // Not to the last finding: each attempt renders the report once more.
    while least < most, !isTooMany || bytes.count < limit.byteCount / 64 * 63 {
      let larger = render(keeping(count))
      let length = max(1, (larger.count - frameByteCount) / count)
      if larger.count <= limit.byteCount {
        (least, bytes) = (count, larger)
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
