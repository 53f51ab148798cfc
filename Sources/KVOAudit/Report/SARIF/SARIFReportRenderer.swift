import KVORules

/// Renders a report as SARIF 2.1.0, which code scanning services read.
///
/// A finding is a result at the first frame of the user's own code; its stacks are `stacks`, and where
/// else it happened `relatedLocations`. The signature is its fingerprint, so that a service knows it
/// again in the next run. What a test meant and what is suppressed is there, as suppressed. Inputs that
/// cannot be read and rules that could not be judged are notifications of the run. What is to be said of
/// a suppression is a result at its line.
///
/// Source: <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>.
package struct SARIFReportRenderer {
  private static let schema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

  package init() {}

  /// The report as UTF-8, with a newline at its end.
  ///
  /// - Parameters:
  ///   - report: what was found.
  ///   - limit: what the text stays within; nil: it has everything.
  /// - Returns: the text.
  /// - Complexity: O(size of the report), times O(log n) where n findings do not fit.
  package func render(_ report: AuditReport, within limit: ReportLimit? = nil) -> [UInt8] {
    var limit = limit
    limit?.findingCount -= report.suppressionResults.count
    return report.rendered(within: limit, text)
  }

  private func text(_ report: AuditReport) -> [UInt8] {
    var text = JSONText()
    text.object { text in
      text.key("$schema")
      text.value(Self.schema)
      text.key("version")
      text.value("2.1.0")
      text.key("runs")
      text.list([report]) { $0.writeRun($1) }
    }
    text.end()
    return text.bytes
  }
}

extension JSONText {
  fileprivate mutating func writeRun(_ report: AuditReport) {
    object { text in
      text.key("tool")
      text.object { text in
        text.key("driver")
        text.writeDriver(suppressionStates: report.suppressionStates)
      }
      text.key("invocations")
      text.list([report]) { $0.writeInvocation($1) }
      text.key("columnKind")
      text.value("utf16CodeUnits")
      text.key("results")
      let findings = report.findings + (report.comparison?.fixed ?? [])
      text.list(findings.map(SARIFResult.finding) + report.suppressionResults) {
        $0.write($1, in: report)
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

  private mutating func write(_ result: SARIFResult, in report: AuditReport) {
    switch result {
    case .finding(let finding): write(sarifResult: finding, in: report)
    case .suppression(let outcome): write(sarifResult: outcome, in: report)
    }
  }

  private mutating func write(sarifRule entry: RuleCatalogue.Entry) {
    object { text in
      text.key("id")
      text.value(entry.code.rawValue)
      text.key("name")
      text.value(Self.camelCase(entry.slug))
      text.key("shortDescription")
      text.write(sarifMessage: entry.title)
      text.key("fullDescription")
      text.write(sarifMessage: entry.explanation.happened)
      text.key("help")
      text.write(
        sarifMessage: "\(entry.explanation.matters)\n\n\(entry.explanation.fix)\n\n"
          + "Before:\n\(entry.explanation.before)\n\nAfter:\n\(entry.explanation.after)"
      )
      text.key("defaultConfiguration")
      text.object { text in
        text.key("level")
        text.value(entry.severity.rawValue)
      }
    }
  }

  private mutating func writeInvocation(_ report: AuditReport) {
    object { text in
      text.key("executionSuccessful")
      text.value(report.failures.isEmpty)
      text.key("toolExecutionNotifications")
      let problems =
        report.failures.map { ("error", $0.message) }
        + (report.omission.map { [("warning", $0)] } ?? [])
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

  mutating func write(sarifMessage message: String) {
    object { text in
      text.key("text")
      text.value(message)
    }
  }

  /// `double-remove` as `DoubleRemove`.
  static func camelCase(_ slug: String) -> String {
    slug.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}
