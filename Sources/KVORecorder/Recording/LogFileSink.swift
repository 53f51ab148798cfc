internal import CKVOUnwind
package import KVOTrace

/// Writes events to a ``LogFile`` as JSON Lines, and what a reader needs to know before them: the
/// images that a stack lies in, the name of a thread.
package final class LogFileSink: EventSink {
  private struct State {
    var images = ImageList()
    var namedThreads: Set<ThreadID> = []
    var line: [UInt8] = []
    /// Lines in the order of the events, not yet written.
    var pending: [[UInt8]] = []
  }
  package let file: LogFile
  // State:
  // - `state`: under its own lock, which is the innermost and never held while writing.
  // - `writing`: guards nothing but the turn to write. Whoever has it writes what all threads have
  //   put aside, so that the file keeps the order of `take`: an image stands before the first stack
  //   in it, `process` before everything. A thread that waits for it finds its lines written.
  private let state = GuardedState<State>(State())
  private let writing = GuardedState<Void>(())

  package init(file: LogFile) { self.file = file }

  /// Makes the lines of the event; they are written when the recorder's lock is given back.
  package func take(_ event: Event, names: borrowing TraceNames) -> (@Sendable () -> Void)? {
    let names = copy names
    state.withLock { state in
      state.pending += Self.preamble(of: event, names: names, &state)
      state.pending.append(Self.line(event, names, &state))
    }
    return { self.writePending() }
  }

  private func writePending() {
    writing.withLock { _ in
      let lines = state.withLock { state in
        defer { state.pending = [] }
        return state.pending
      }
      for line in lines { file.append(line, lossLine: Self.lossLine) }
    }
  }

  private static func preamble(
    of event: Event,
    names: TraceNames,
    _ state: inout State
  ) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    for module in state.images.additions(for: names[event.stack]) {
      lines.append(line(Event(.module(module)), names, &state))
    }
    guard let thread = event.thread, state.namedThreads.insert(thread).inserted else {
      return lines
    }
    let name = currentThreadName()
    guard !name.isEmpty else { return lines }
    var names = names
    let event = Event(.threadName(names.id(of: name)), thread: thread)
    lines.append(line(event, names, &state))
    return lines
  }

  private static func line(
    _ event: Event,
    _ names: TraceNames,
    _ state: inout State
  ) -> [UInt8] {
    state.line.removeAll(keepingCapacity: true)
    JSONLinesWriter.append(event, names: names, to: &state.line)
    return state.line
  }

  private static func lossLine(_ count: UInt64) -> [UInt8] {
    var names = TraceNames()
    let why = names.id(of: "the log could not be written")
    var line: [UInt8] = []
    let event = Event(.dropped(count: count, why: why), time: kvos_monotonic_nanoseconds())
    JSONLinesWriter.append(event, names: names, to: &line)
    return line
  }

  /// The name of the calling thread, on whose behalf every event is recorded.
  private static func currentThreadName() -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
      guard let base = buffer.baseAddress else { return "" }
      kvos_thread_name(base, buffer.count)
      return String(cString: base)
    }
  }
}
