package import KVOAudit
import KVORules
import KVOText

/// Renders a report as SARIF 2.1.0, which code scanning services read.
///
/// A finding is a result at the first frame of the user's own code; its stacks are `stacks`, other occurrences
/// `relatedLocations`, and the order of the calls `codeFlows`. The signature is its fingerprint, so that a service
/// recognizes it in the next run, beside the hash of the line that GitHub's code scanning uses. Expected and suppressed
/// findings are included, as suppressed. Inputs that cannot be read or are incomplete, crashes that no finding
/// explains, and rules that could not be judged, are notifications of the run. A problem of a suppression is a result at
/// its line.
///
/// Source: <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>, and the parts that GitHub reads: "SARIF
/// support for code scanning",
/// <https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning>.
package struct SARIFReportRenderer {
  private static let schema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

  /// The name of the source root in paths.
  static let rootID = "%SRCROOT%"

  private let category: String
  private let sources: SourceFiles
  private let byteCount: ([UInt8]) -> Int

  /// Makes a renderer.
  ///
  /// - Parameters:
  ///   - root: what paths of source files are relative to; nil: they remain absolute.
  ///   - category: distinguishes this run from others of the same commit.
  ///   - readSource: gives the text of a source file; nil: those on this machine are read.
  ///   - byteCount: how many bytes of a report count for a limit; by default all, which are never fewer than
  ///     those after compression.
  package init(
    root: SourceRoot? = nil,
    category: String = "kvo-audit",
    readSource: ((String) -> String?)? = nil,
    byteCount: @escaping ([UInt8]) -> Int = { $0.count }
  ) {
    self.category = category
    sources = SourceFiles(root: root, read: readSource)
    self.byteCount = byteCount
  }

  /// The report as UTF-8, with a newline at its end.
  ///
  /// - Parameters:
  ///   - report: the report.
  ///   - limit: the limit of the text; nil: no limit.
  /// - Returns: the text.
  /// - Complexity: O(size of the report), times O(log n) when n findings do not fit.
  package func render(_ report: AuditReport, within limit: ReportLimit? = nil) -> [UInt8] {
    var limit = limit
    limit?.findingCount -= report.suppressionResults.count
    return report.rendered(within: limit, byteCount: byteCount, text)
  }

  private func text(_ report: AuditReport) -> [UInt8] {
    var text = JSONText()
    text.object { text in
      text.key("$schema")
      text.value(Self.schema)
      text.key("version")
      text.value("2.1.0")
      text.key("runs")
      text.list([report]) { $0.writeRun($1, category: category, sources) }
    }
    text.end()
    return text.bytes
  }
}

extension JSONText {
  fileprivate mutating func writeRun(
    _ report: AuditReport,
    category: String,
    _ sources: SourceFiles
  ) {
    object { text in
      text.key("tool")
      text.object { text in
        text.key("driver")
        text.writeDriver(suppressionStates: report.suppressionStates)
      }
      text.key("invocations")
      text.list([report]) { $0.writeInvocation($1) }
      text.key("automationDetails")
      text.object { text in
        text.key("id")
        // The part after the last slash would name this particular run.
        text.value("\(category)/")
      }
      if let root = sources.root {
        text.key("originalUriBaseIds")
        text.object { text in
          text.key(SARIFReportRenderer.rootID)
          text.object { text in
            text.key("uri")
            text.value(Self.uri(of: root.path == "/" ? "/" : root.path + "/"))
          }
        }
      }
      text.key("columnKind")
      text.value("utf16CodeUnits")
      text.key("results")
      let findings = report.findings + (report.comparison?.fixed ?? [])
      text.list(findings.map(SARIFResult.finding) + report.suppressionResults) {
        $0.write($1, in: report, sources)
      }
    }
  }

  private mutating func writeDriver(suppressionStates: [SuppressionOutcome.State]) {
    object { text in
      text.key("name")
      text.value("kvo-audit")
      text.key("semanticVersion")
      text.value(AuditVersion.current)
      text.key("rules")
      text.list(RuleCatalogue.entries.map(SARIFRule.rule) + suppressionStates.map(SARIFRule.state))
      {
        $0.write($1)
      }
    }
  }

  private mutating func write(_ rule: SARIFRule) {
    switch rule {
    case .rule(let entry): write(sarifRule: entry)
    case .state(let state): write(sarifRule: state)
    }
  }

  private mutating func write(
    _ result: SARIFResult,
    in report: AuditReport,
    _ sources: SourceFiles
  ) {
    switch result {
    case .finding(let finding): write(sarifResult: finding, in: report, sources)
    case .suppression(let outcome): write(sarifResult: outcome, in: report, sources)
    }
  }

  private mutating func writeInvocation(_ report: AuditReport) {
    object { text in
      text.key("executionSuccessful")
      // The exit status denotes a failure, too. Appendix I, "Detecting incomplete result sets".
      text.value(!report.mayLackFindings)
      text.key("toolExecutionNotifications")
      let crashes = report.crashesToReport.map { input, words in
        let location = report.path(ofInput: input).map { "\($0): " } ?? ""
        return ("error", location + words)
      }
      var problems =
        report.failures.map { ("error", $0.message) }
        + report.incompleteness.map { ("error", $0) }
        + crashes
        + (report.omission.map { [("warning", $0)] } ?? [])
      if let reason = report.whyNothingWasJudged {
        problems.append(("warning", "Nothing was judged: \(reason)"))
      }
      text.list(problems) { text, problem in
        text.object { text in
          text.key("level")
          text.value(problem.0)
          text.key("message")
          text.write(sarifMessage: problem.1)
        }
      }
      text.key("toolConfigurationNotifications")
      text.list(report.notJudged) { text, rule in
        text.object { text in
          text.key("level")
          text.value("note")
          text.key("associatedRule")
          text.object { text in
            text.key("id")
            text.value(rule.code.rawValue)
          }
          text.key("message")
          text.write(sarifMessage: "\(rule.code.rawValue) was not judged: \(rule.why)")
        }
      }
    }
  }

  /// Writes a message, with links to related locations at its end.
  ///
  /// - Parameters:
  ///   - message: may be from a log; what a reader would take for a link in it is escaped.
  ///   - related: the names of the locations, in the order of their ids; ten of them at the most.
  mutating func write(sarifMessage message: String, linkingTo related: [String] = []) {
    let links = related.prefix(10).enumerated().map { index, role in
      "[\(role.replacing("[", with: "\\[").replacing("]", with: "\\]"))](\(index + 1))"
    }
    let list = links.isEmpty ? "" : ". See: " + links.joined(separator: ", ")
    object { text in
      text.key("text")
      text.value(Self.unlinked(message) + list)
    }
  }

  /// `message` with a backslash before each bracket that would end the text of a link.
  ///
  /// Backslashes of the message before it are doubled: otherwise the last one would escape the new one.
  private static func unlinked(_ message: String) -> String {
    var text = String.UnicodeScalarView()
    for scalar in message.unicodeScalars {
      if scalar == "(", text.last == "]" {
        text.removeLast()
        let count = text.reversed().prefix { $0 == "\\" }.count + 1
        text.append(contentsOf: repeatElement("\\", count: count))
        text.append("]")
      }
      text.append(scalar)
    }
    return String(text)
  }
}
