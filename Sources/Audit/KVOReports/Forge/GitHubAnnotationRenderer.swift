package import KVOAudit
import KVORules
import KVOText

/// Renders a report as commands of GitHub Actions, which put annotations beside lines.
///
/// ```
/// ::error file=Sources/Screen.swift,line=22,title=KVO001 observation removed twice::Screen#3 removed …
/// ```
///
/// GitHub shows ten errors, ten warnings and ten notices of a step. No more are written; a line reports how many are
/// omitted.
///
/// Source: "Workflow commands for GitHub Actions",
/// <https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions>; characters are escaped as
/// `ActionCommand` of <https://github.com/actions/runner> reads them.
package struct GitHubAnnotationRenderer {
  private static let shownCount = 10

  private let sources: SourceFiles

  /// Makes a renderer.
  ///
  /// - Parameters:
  ///   - root: what paths are relative to: GitHub knows those of the repository.
  ///   - readSource: returns the text of a source file; nil: those on this machine are read.
  package init(root: SourceRoot? = nil, readSource: ((String) -> String?)? = nil) {
    sources = SourceFiles(root: root, read: readSource)
  }

  /// The report as UTF-8: a line for each annotation, each with a newline at its end.
  ///
  /// - Complexity: O(size of the report).
  package func render(_ report: AuditReport) -> [UInt8] {
    var counts: [Severity: Int] = [:]
    var lines: [String] = []
    var omittedCount = 0
    for problem in report.forgeProblems(isNewOnly: true) {
      counts[problem.severity, default: 0] += 1
      if counts[problem.severity, default: 0] > Self.shownCount {
        omittedCount += 1
      } else {
        lines.append(line(problem))
      }
    }
    if omittedCount > 0 {
      lines.append(
        "\(Wording.count(omittedCount, "more finding")) without an annotation: GitHub shows ten of each kind for a step"
      )
    }
    return Array(lines.map { $0 + "\n" }.joined().utf8)
  }

  private func line(_ problem: ForgeProblem) -> String {
    var properties: [(String, String)] = []
    // A log is not a file of the repository.
    if let name = problem.file, problem.line > 0 {
      let file = sources[name]
      properties = [("file", file.path), ("line", String(problem.line))]
      let columns = file.lines?.columns ?? []
      if columns.indices.contains(problem.line - 1), let columns = columns[problem.line - 1] {
        properties += [
          ("endLine", String(problem.line)), ("col", String(columns.lowerBound)),
          ("endColumn", String(columns.upperBound - 1)),
        ]
      }
    }
    properties.append(("title", "\(problem.rule) \(problem.title)"))
    let list = properties.map { "\($0)=\(Self.escapedProperty($1))" }.joined(separator: ",")
    return "::\(problem.command) \(list)::\(Self.escaped(ShownText.escaped(problem.text)))"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
  }

  private static func escapedProperty(_ text: String) -> String {
    escaped(ShownText.escaped(text)).replacing(":", with: "%3A").replacing(",", with: "%2C")
  }
}

extension ForgeProblem {
  fileprivate var command: String {
    switch severity {
    case .error: "error"
    case .warning: "warning"
    case .note: "notice"
    }
  }
}
