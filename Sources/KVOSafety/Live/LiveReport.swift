internal import KVORecorder
internal import KVORules
internal import KVOTrace

/// The report of a fault, written while the program runs.
///
/// No symbols are looked up: frames are addresses, and the call's own line comes from the compiler. The last line has
/// the command that symbolicates the frames.
struct LiveReport {
  private let finding: Finding

  init(_ verdict: Verdict) {
    var threadNames = [ThreadID(1): Recorder.id(of: "main")]
    threadNames[Recorder.currentThread] = Recorder.currentThreadName
    let builder = FindingBuilder(
      names: Recorder.shared.names,
      profile: .swift,
      threadNames: threadNames.filter { $0.value != .none },
      modules: LoadedImages.all
    )
    finding = builder.finding(for: verdict)
  }

  /// The report, with a newline at its end.
  var text: String {
    FindingText(isColored: StandardError.takesColors).render(finding) + "  Names: \(command)\n"
  }

  func violation(of rule: LiveRule) -> ObservationViolation {
    ObservationViolation(rule: rule, finding: finding, report: text)
  }

  private var command: String {
    if let path = Recorder.shared.logPath { return "kvo-audit \(ShownText.escaped(path))" }
    return "run with KVO_SAFETY_LOG=app-%p.kvolog, then kvo-audit app-*.kvolog"
  }
}
