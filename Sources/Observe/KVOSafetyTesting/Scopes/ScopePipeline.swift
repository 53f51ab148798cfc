internal import KVOAudit
internal import KVORecorder
internal import KVORules
internal import KVOSymbols
internal import KVOTrace

/// Judges the events of a scope as `kvo-audit` judges a log, in the process that made them.
enum ScopePipeline {
  /// The findings of `events`, with the functions and lines of this process.
  ///
  /// Reads the debug information of the images of the stacks, but only if there is something to report.
  static func findings(of events: [Event]) -> [Finding] {
    // The images come first: a stack is looked up in the images known at that time.
    let process = ProcessInfo(runtime: .swift, saysScopes: true)
    var preamble = [Event(.process(process))]
    preamble += LoadedImages.all.map { Event(.module($0)) }
    var threads = Recorder.shared.threadNames.filter { $0.value != .none }
    threads[ThreadID(1)] = Recorder.shared.id(of: "main")
    preamble += threads.map { Event(.threadName($0.value), thread: $0.key) }
    let input = AuditInput.events(
      preamble + events,
      names: Recorder.shared.names,
      label: "this process"
    )
    let report = Audit(resolver: DwarfFrameResolver()).report(on: [input])
    return report.findings.map(\.withoutEvents)
  }
}

extension Finding {
  /// The finding without the numbers of its events: there is no log in which a reader could look them up.
  fileprivate var withoutEvents: Finding {
    var copy = self
    copy.events = []
    copy.consequences = consequences.map(\.withoutEvents)
    return copy
  }
}
