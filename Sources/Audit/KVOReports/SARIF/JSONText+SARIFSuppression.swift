import KVOAudit
import KVORules
import KVOText

/// An element of the list of rules.
enum SARIFRule {
  case rule(RuleCatalogue.Entry)
  /// A problem of a suppression.
  case state(SuppressionOutcome.State)
}

/// An element of the list of results.
enum SARIFResult {
  case finding(Finding)
  case suppression(SuppressionOutcome)
}

extension AuditReport {
  /// The suppressions with problems.
  var suppressionResults: [SARIFResult] {
    suppressions.filter { $0.severity != nil }.map(SARIFResult.suppression)
  }

  /// Their states.
  var suppressionStates: [SuppressionOutcome.State] {
    SuppressionOutcome.State.allCases.filter { state in
      state != .used && suppressions.contains { $0.state == state }
    }
  }
}

extension SuppressionOutcome.State {
  var sarifID: String { "suppression-\(rawValue)" }
}

extension JSONText {
  /// Writes a problem of suppressions as a rule of SARIF.
  mutating func write(sarifRule state: SuppressionOutcome.State) {
    object { text in
      text.key("id")
      text.value(state.sarifID)
      text.key("name")
      text.value(Self.camelCase(state.sarifID))
      text.key("shortDescription")
      text.write(sarifMessage: "a suppression is \(state.rawValue)")
      text.key("fullDescription")
      text.write(sarifMessage: "The file of suppressions has a line that is \(state.rawValue).")
      text.key("help")
      text.write(sarifMessage: "Change the line or remove it, so that the file says what is known.")
      text.writeSarifProperties(precision: "very-high", .warning)
    }
  }

  /// Writes a problem of a suppression as a result at its line.
  mutating func write(
    sarifResult outcome: SuppressionOutcome,
    in report: AuditReport,
    _ sources: SourceFiles
  ) {
    object { text in
      text.key("ruleId")
      text.value(outcome.state.sarifID)
      text.key("ruleIndex")
      text.value(
        report.suppressionStates.firstIndex(of: outcome.state).map {
          RuleCatalogue.entries.count + $0
        }
      )
      text.key("level")
      text.value(outcome.severity?.rawValue)
      if report.comparison != nil {
        // A service that knows of baselines requires a state of each result.
        text.key("baselineState")
        text.value("new")
      }
      text.key("message")
      text.write(sarifMessage: "\(outcome.suppression.location) \(outcome.advice ?? "")")
      text.key("locations")
      text.list([outcome.suppression]) { text, suppression in
        text.object { text in
          text.key("physicalLocation")
          text.write(sarifPath: suppression.file, line: suppression.line, sources)
        }
      }
    }
  }
}
