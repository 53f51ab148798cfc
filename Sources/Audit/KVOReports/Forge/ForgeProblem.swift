import KVOAudit
import KVOFindings
import KVORules

/// A finding, or another problem, as a forge shows it beside a line.
struct ForgeProblem {
  /// `KVO001`, or its kind.
  var rule: String
  /// In short: `observation removed twice`.
  var title: String
  /// The fault, and the advice.
  var text: String
  var severity: Severity
  /// Whether the program ends by it, or hangs.
  var isFatal = false
  /// The identity by which a forge recognizes it in the next run.
  var fingerprint: String
  /// As `SourceFiles` calls it; nil: no file is to blame.
  var file: String?
  /// 1-based; 0: all of the file.
  var line = 0
}

extension AuditReport {
  /// The inputs with a crash of which no finding is, and what is known of it, without a full stop.
  var crashesToReport: [(input: Int, text: String)] {
    let crashes = unexplainedCrashesByInput
    return unexplainedCrashes.map { input in
      let text = crashes[input, default: []]
        .sentences(after: "a process crashed, and nothing that was found explains it")
      return (input, text)
    }
  }

  /// The path of an input that a crash names; nil: the report does not have it.
  func path(ofInput input: Int) -> String? {
    inputs.indices.contains(input) ? inputs[input].path : nil
  }

  /// The problems for a forge, worst first.
  ///
  /// Expected and suppressed findings are excluded: forges cannot represent them. So are fixed ones.
  ///
  /// - Parameter isNewOnly: whether findings of the baseline are omitted, if only new ones make a build fail.
  /// - Returns: the problems.
  func forgeProblems(isNewOnly: Bool) -> [ForgeProblem] {
    let isNewOnly = isNewOnly && comparison?.countsNewOnly == true
    let failed = failures.map { failure in
      ForgeProblem(
        rule: "unreadable-input",
        title: "an input was not read",
        text: failure.message,
        severity: .error,
        fingerprint: "unreadable-input \(failure.input)",
        file: failure.input
      )
    }
    // The fingerprint is without the figures, which differ from run to run.
    let incomplete = missingParts.map { part in
      ForgeProblem(
        rule: "incomplete-input",
        title: "an input is incomplete",
        text: "\(part.message): what is missing is not judged, and the result is not clean",
        severity: .warning,
        fingerprint: "incomplete-input \(part.name)",
        file: part.input
      )
    }
    let crashed = (isNewOnly ? [] : crashesToReport).map { input, text in
      let path = path(ofInput: input)
      return ForgeProblem(
        rule: "crash",
        title: "a process crashed",
        text: text,
        severity: .error,
        isFatal: true,
        fingerprint: (["crash"] + (path.map { [$0] } ?? [])).joined(separator: " "),
        file: path
      )
    }
    let found = findings.filter { $0.counts && (!isNewOnly || $0.baseline == .new) }.map {
      finding in
      let frame = finding.stacks.lazy.compactMap(\.shownFrame).first
      return ForgeProblem(
        rule: finding.code.rawValue,
        title: RuleCatalogue.entry(finding.code).title,
        text: "\(finding.message). Fix: \(finding.hint)",
        severity: finding.severity,
        isFatal: finding.consequence == .crash || finding.consequence == .hang,
        fingerprint: finding.signature,
        file: frame?.file ?? path(ofInput: finding.input),
        line: frame?.line ?? 0
      )
    }
    let suppressed = suppressions.compactMap { outcome in
      outcome.severity.map { severity in
        ForgeProblem(
          rule: outcome.state.sarifID,
          title: "a suppression is \(outcome.state.rawValue)",
          text: "\(outcome.suppression.location) \(outcome.advice ?? "")",
          severity: severity,
          fingerprint: "\(outcome.state.sarifID) \(outcome.suppression.location)",
          file: outcome.suppression.file,
          line: outcome.suppression.line
        )
      }
    }
    return failed + incomplete + crashed + found + suppressed
  }
}

extension [RecordedCrash] {
  /// `sentence` and what is known of the first three, without a full stop.
  func sentences(after sentence: String) -> String {
    ([sentence] + prefix(3).map { $0.phrases.joined(separator: ", ") }).joined(separator: ". ")
  }
}
