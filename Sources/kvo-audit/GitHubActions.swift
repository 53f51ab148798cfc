import KVOAudit
import KVOReports

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The additional output in a step of GitHub Actions: annotations, and a summary of the job.
enum GitHubActions {
  /// Whether this process runs in such a step.
  static var isRunning: Bool { variable("GITHUB_ACTIONS") == "true" }

  /// The maximum size of a step's summary in bytes: GitHub shows nothing of a larger one.
  private static let summaryByteCount = 1 << 20

  /// Writes annotations to standard error, which GitHub also reads, so that standard output has
  /// only the requested report.
  static func annotate(_ report: AuditReport, root: SourceRoot?) {
    let bytes = GitHubAnnotationRenderer(root: root).render(report)
    StandardStreams.show(String(decoding: bytes, as: UTF8.self))
  }

  /// Appends the report to the summary of the step, as much of it as fits after the existing
  /// content.
  ///
  /// An error is printed if the summary cannot be written; the report itself was written.
  static func summarize(_ report: AuditReport, showsSuppressed: Bool) {
    guard let path = variable("GITHUB_STEP_SUMMARY"), !path.isEmpty else { return }
    // A FIFO is opened without waiting for a reader; if there is one, writing waits for it.
    let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o644)
    guard file >= 0 else { return complain(path) }
    defer { close(file) }
    _ = fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK)
    let room = summaryByteCount - max(0, Int(lseek(file, 0, SEEK_END)))
    let renderer = MarkdownReportRenderer(showsSuppressed: showsSuppressed)
    var bytes = renderer.render(report, within: ReportLimit(byteCount: room - 1))
    // Markdown begins a new paragraph after the existing content.
    bytes.insert(UInt8(ascii: "\n"), at: 0)
    guard bytes.count <= room else {
      return StandardStreams.complain(
        "kvo-audit: \(path): the summary of this step has no room for the report"
      )
    }
    if StandardStreams.write(bytes, to: file) != 0 { complain(path) }
  }

  private static func complain(_ path: String) {
    let reason = String(cString: strerror(errno))
    StandardStreams.complain("kvo-audit: \(path): the summary cannot be written: \(reason)")
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
