import KVORules

/// What the list of rules holds.
enum SARIFRule {
  case rule(RuleCatalogue.Entry)
  /// What is to be said of a suppression.
  case state(SuppressionOutcome.State)
}

/// What the list of results holds.
enum SARIFResult {
  case finding(Finding)
  case suppression(SuppressionOutcome)
}

extension AuditReport {
  /// The suppressions of which something is to be said.
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
  fileprivate var sarifID: String { "suppression-\(rawValue)" }
}

extension JSONText {
  /// Writes what is to be said of suppressions as a rule of SARIF.
  mutating func write(sarifRule state: SuppressionOutcome.State) {
    object { text in
      text.key("id")
      text.value(state.sarifID)
      text.key("name")
      text.value(Self.camelCase(state.sarifID))
      text.key("shortDescription")
      text.write(sarifMessage: "a suppression is \(state.rawValue)")
    }
  }

  /// Writes what is to be said of a suppression as a result at its line.
  mutating func write(sarifResult outcome: SuppressionOutcome, in report: AuditReport) {
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
        // A service that knows of baselines wants a state of each result.
        text.key("baselineState")
        text.value("new")
      }
      text.key("message")
      text.write(sarifMessage: "\(outcome.suppression.place) \(outcome.advice ?? "")")
      text.key("locations")
      text.list([outcome.suppression]) { text, suppression in
        text.object { text in
          text.key("physicalLocation")
          text.write(sarifPath: suppression.file, line: suppression.line)
        }
      }
    }
  }
}
