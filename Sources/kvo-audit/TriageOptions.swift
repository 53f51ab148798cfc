import ArgumentParser
import KVOAudit
import KVOCompression
import KVOReportFile

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Known issues of a team: suppressions and a previous report.
struct TriageOptions: ParsableArguments {
  @Option(
    name: .customLong("suppressions"),
    help: ArgumentHelp(
      """
      Do not count the findings that this file suppresses (repeatable); by default, \
      \(SuppressionFile.defaultName) in the working directory, if it exists.
      """,
      valueName: "file"
    ),
    completion: .file()
  )
  var suppressionFiles: [String] = []

  @Flag(help: "Read no suppressions, not even \(SuppressionFile.defaultName).")
  var noSuppressions = false

  @Flag(help: "Report suppressed findings, too, with the reason.")
  var showSuppressed = false

  @Option(
    help: ArgumentHelp(
      "The day for the expiry of suppressions, such as 2027-01-31; by default, today (UTC).",
      valueName: "day"
    )
  )
  var today: CalendarDay?

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
    if noSuppressions, let file = suppressionFiles.first {
      throw ValidationError("--no-suppressions and --suppressions \(file) contradict each other")
    }
  }

  /// The files to be read.
  var files: [String] { suppressionPaths + (baseline.map { [$0] } ?? []) }

  private var suppressionPaths: [String] {
    suppressionFiles.isEmpty && !noSuppressions && access(SuppressionFile.defaultName, F_OK) == 0
      ? [SuppressionFile.defaultName] : suppressionFiles
  }

  /// Reads the files, before any other work.
  ///
  /// - Throws: ``ExitStatus/unreadable`` if one cannot be used, after printing the error.
  func load() throws -> Triage {
    var messages: [String] = []
    var suppressions: [Suppression] = []
    for path in suppressionPaths {
      do throws(SuppressionFile.Failure) {
        suppressions += try SuppressionFile(path: path).suppressions
      } catch {
        messages += error.messages
      }
    }
    var previous: AuditReport?
    if let baseline {
      do throws(InputFailure) {
        previous = try ReportFile.read(baseline, decompression: Decompression())
      } catch {
        messages.append("baseline \(error.message)")
      }
    }
    for message in messages { StandardStreams.complain("kvo-audit: \(message)") }
    if !messages.isEmpty { throw ExitStatus.unreadable }
    return Triage(
      suppressions: suppressions,
      today: today ?? CalendarDay(secondsSince1970: time(nil)),
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

extension CalendarDay: ExpressibleByArgument {
  /// The day in an argument, or nil.
  public init?(argument: String) { self.init(argument) }
}
