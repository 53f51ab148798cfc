import ArgumentParser
import KVOAudit
import KVOCompression
import KVOReportFile

/// `kvo-audit merge`: one report from many.
struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merge the JSON reports of several audits into one report.",
    discussion: """
      The result does not depend on the order and grouping of the reports, so logs can be audited on \
      many machines: each writes its part with --summary, and the parts, or reports merged from some of \
      them, are merged. Suppressions and a baseline apply to the whole.

      With --format json and --no-limits, and without known issues, findings are kept in a temporary \
      file (TMPDIR) instead of in memory.

      EXAMPLES
        kvo-audit --fail-on never --summary part-1.json logs/1/*.kvolog
        kvo-audit merge part-*.json
        kvo-audit merge --format json a.json b.json > ab.json
      """
  )

  @Argument(
    help: ArgumentHelp(
      "JSON reports, written by --summary or --format json.",
      valueName: "report"
    ),
    completion: .file(extensions: ["json"])
  )
  var paths: [String]

  @OptionGroup(title: "Report")
  var reporting: ReportOptions

  @OptionGroup(title: "Known issues")
  var suppressing: SuppressionOptions

  @OptionGroup(title: "Known issues")
  var known: TriageOptions

  @OptionGroup var configuration: ConfigurationOptions

  func run() throws {
    let inputs = paths.map { AuditInput(argument: $0) }
    try reporting.check(reading: inputs, and: suppressing.paths + known.files)
    let triage = try known.load(with: suppressing)
    var merge = ReportMerge()
    var failures: [InputFailure] = []
    for path in paths {
      do throws(InputFailure) {
        try merge.add(fileAt: path, decompression: Decompression())
      } catch {
        failures.append(error)
        StandardStreams.complain("kvo-audit: \(error.message)")
      }
    }
    // As a part, so that their order does not depend on that of the arguments.
    let unread = failures.isEmpty ? nil : AuditReport(failures: failures)
    let merged = try MergedReport.read { () throws(InputFailure) in
      if let unread { try merge.add(unread) }
      return try merge.merged()
    }
    try deliver(merged, triage)
  }

  private func deliver(_ merged: MergedReport, _ triage: Triage) throws {
    if triage.isEmpty, reporting.isPartial { return try reporting.deliver(merged) }
    var report = try MergedReport.read(merged.report)
    triage.apply(to: &report)
    try reporting.deliver(report, showsSuppressed: known.showSuppressed)
  }
}
