import ArgumentParser
import KVOAudit
import KVOCompression
import KVOReportFile

/// Known issues of a team, beside its suppressions: a baseline, and how known issues are reported.
struct TriageOptions: ParsableArguments {
  @Flag(help: "Report suppressed findings, too, with the reason.")
  var showSuppressed = false

  @Option(
    help: ArgumentHelp(
      "Report what is new, fixed and unchanged since this JSON report (--format json).",
      valueName: "file"
    ),
    completion: .file(extensions: ["json"])
  )
  var baseline: String?

  @Flag(help: "Only findings that are not in the baseline make the exit status 1.")
  var failOnNew = false

  func validate() throws {
    if failOnNew, baseline == nil {
      throw ValidationError(
        "--fail-on-new needs to know what is not new: --baseline FILE, a report that "
          + "`kvo-audit --format json=FILE` wrote"
      )
    }
  }

  /// The files to be read.
  var files: [String] { baseline.map { [$0] } ?? [] }

  /// Reads the files, and those of `suppressing`, before any other work.
  ///
  /// - Throws: ``ExitStatus/unreadable`` if one cannot be used, after printing the error.
  func load(with suppressing: SuppressionOptions) throws -> Triage {
    let (suppressions, unusable) = suppressing.read()
    var messages = unusable
    var previous: AuditReport?
    if let baseline {
      do throws(InputFailure) {
        previous = try ReportFile.read(baseline, decompression: Decompression())
      } catch {
        messages.append("baseline \(error.message)")
      }
    }
    try ExitStatus.check(messages)
    return Triage(
      suppressions: suppressions,
      today: suppressing.day,
      baseline: previous.map { ($0, baseline ?? "") },
      countsNewOnly: failOnNew
    )
  }
}

/// The known issues of a team, as read from the files.
struct Triage {
  let suppressions: [Suppression]
  let today: CalendarDay
  let baseline: (report: AuditReport, path: String)?
  let countsNewOnly: Bool

  /// Whether nothing is known.
  var isEmpty: Bool { suppressions.isEmpty && baseline == nil }

  /// Whether the call sites of registrations are needed.
  var needsCallSites: Bool { !suppressions.isEmpty }

  /// Marks the known issues in `report`.
  func apply(to report: inout AuditReport) {
    if !suppressions.isEmpty { report.suppress(suppressions, on: today) }
    if let baseline {
      report.compare(
        with: baseline.report,
        at: baseline.path,
        countsNewOnly: countsNewOnly
      )
    }
  }
}
