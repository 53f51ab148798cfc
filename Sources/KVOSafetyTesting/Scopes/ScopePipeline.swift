internal import KVOAudit
internal import KVORecorder
internal import KVORules
internal import KVOSymbols
internal import KVOTrace

/// Judges the events of a scope as `kvo-audit` judges a log, in the process that made them.
enum ScopePipeline {
  /// The findings of `events`, with the functions and lines of this process.
  ///
  /// Reads the debug information of the images that stacks lie in, and so only where there is
  /// something to tell.
  static func findings(of events: [Event]) -> [Finding] {
    // The images first: a stack is looked up in those that are known when it is met.
    let modules = ImageList.loadedImages().map { Event(.module($0)) }
    let input = AuditInput.events(
      modules + events,
      names: Recorder.shared.names,
      label: "this process"
    )
    return Audit(resolver: DwarfFrameResolver()).report(on: [input]).findings
  }
}
