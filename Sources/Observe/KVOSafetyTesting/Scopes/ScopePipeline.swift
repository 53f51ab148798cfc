internal import KVOAudit
internal import KVORecorder
internal import KVORules
internal import KVOSymbols
internal import KVOTrace
internal import KVOTraceJSON

/// Judges the events of a scope as `kvo-audit` judges a log, in the process that made them.
enum ScopePipeline {
  /// The findings of `events`, with the functions and lines of this process.
  ///
  /// Reads the debug information of the images of the stacks, but only if there is something to report.
  static func findings(of events: [Event]) -> [Finding] {
    let input = AuditInput.events(
      preamble + events,
      names: Recorder.shared.names,
      label: "this process"
    )
    let report = Audit(resolver: DwarfFrameResolver()).report(on: [input])
    return report.findings.map(\.withoutEvents)
  }

  /// A log of `events` in JSON Lines, of which `kvo-audit` has the same findings.
  ///
  /// Complexity: O(events).
  static func log(of events: [Event]) -> [UInt8] {
    let names = Recorder.shared.names
    var lines: [UInt8] = []
    for event in preamble + events { JSONLinesWriter.append(event, names: names, to: &lines) }
    return lines
  }

  /// The description of this process with which a log begins.
  private static var preamble: [Event] {
    // The images come first: a stack is looked up in the images known at that time.
    let process = ProcessInfo(runtime: .swift, saysScopes: true)
    var preamble = [Event(.process(process))]
    preamble += LoadedImages.all.map { Event(.module($0)) }
    var threads = Recorder.shared.threadNames.filter { $0.value != .none }
    threads[ThreadID(1)] = Recorder.shared.id(of: "main")
    return preamble + threads.map { Event(.threadName($0.value), thread: $0.key) }
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
