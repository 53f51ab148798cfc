internal import KVORecorder
internal import KVORules
internal import KVOTrace

/// The report of a fault, written while the program runs: no symbols are looked up.
struct LiveReport {
  let verdict: Verdict
  init(_ verdict: Verdict) { self.verdict = verdict }
  var text: String { "\(verdict.code) \(verdict)\n" }
  func violation(of rule: LiveRule) -> ObservationViolation {
    ObservationViolation(rule: rule, message: text, report: text)
  }
}
