internal import KVORecorder
internal import KVORules
internal import KVOTrace

/// The report of a fault, written while the program runs.
///
/// No symbols are looked up: frames are addresses, and the call's own line comes from the compiler.
/// The last line says which command gives the names.
struct LiveReport {
  private let finding: Finding

  init(_ verdict: Verdict) {
    let names = Recorder.shared.names
    let stacks = StackNaming(names: names, modules: ImageList.loadedImages(), resolver: nil)
    var builder = FindingBuilder(
      names: names,
      threadNames: [ThreadID(1): "main"],
      stacks: stacks
    )
    finding = builder.finding(for: verdict)
  }

  /// The report, with a newline at its end.
  var text: String {
    let finding = FindingText.render(finding, usesColor: StandardError.takesColors)
    return "\(finding)\n  Names:     \(command)\n"
  }

  func violation(of rule: LiveRule) -> ObservationViolation {
    ObservationViolation(rule: rule, message: finding.message, report: text)
  }

  private var command: String {
    if let path = Recorder.shared.logPath { return "kvo-audit \(path)" }
    return "run with KVO_SAFETY_LOG=app-%p.jsonl, then kvo-audit app-*.jsonl"
  }
}
