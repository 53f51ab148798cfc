package import KVOAudit
import KVORules
import KVOText

/// Renders a report as Code Quality JSON, which GitLab shows in merge requests.
///
/// Expected, suppressed and fixed findings are not in it: GitLab compares by itself. A finding without a source file is
/// shown at its log, and what no log is to blame for at the first one: GitLab demands a path.
///
/// Source: "Code Quality report format", <https://docs.gitlab.com/ci/testing/code_quality/>.
package struct GitLabReportRenderer {
  private let sources: SourceFiles

  /// Makes a renderer.
  ///
  /// - Parameter root: what paths are relative to: GitLab knows those of the repository.
  package init(root: SourceRoot? = nil) { sources = SourceFiles(root: root, read: nil) }

  /// The report as UTF-8, with a newline at its end.
  ///
  /// - Parameters:
  ///   - report: the report.
  ///   - limit: the limit of the text; nil: no limit.
  /// - Returns: the text.
  /// - Complexity: O(size of the report), times O(log n) when n findings do not fit.
  package func render(_ report: AuditReport, within limit: ReportLimit? = nil) -> [UInt8] {
    report.rendered(within: limit) { report in
      var problems = report.forgeProblems(isNewOnly: false)
      if let omission = report.omission {
        problems.append(
          ForgeProblem(
            rule: "left-out",
            title: "findings left out",
            text: omission,
            severity: .note,
            fingerprint: "left-out"
          )
        )
      }
      var text = JSONText()
      text.list(problems) { $0.write(gitLab: $1, log: report.inputs.first?.path ?? "log", sources) }
      text.end()
      return text.bytes
    }
  }
}

extension JSONText {
  fileprivate mutating func write(gitLab problem: ForgeProblem, log: String, _ sources: SourceFiles)
  {
    object { text in
      text.key("description")
      text.value("\(problem.title): \(problem.text)")
      text.key("check_name")
      text.value(problem.rule)
      text.key("fingerprint")
      text.value(problem.fingerprint)
      text.key("severity")
      text.value(problem.gitLabSeverity)
      text.key("location")
      text.object { text in
        text.key("path")
        text.value(sources[problem.file ?? log].path)
        text.key("lines")
        text.object { text in
          text.key("begin")
          text.value(max(1, problem.line))
        }
      }
    }
  }
}

extension ForgeProblem {
  /// Of `info`, `minor`, `major`, `critical` and `blocker`.
  fileprivate var gitLabSeverity: String {
    switch severity {
    case .error: isFatal ? "blocker" : "critical"
    case .warning: "minor"
    case .note: "info"
    }
  }
}
