package import KVOAudit
import KVOTrace

/// Makes a trace of a log, for Perfetto and for Chrome's viewer.
///
/// An observation is a slice from its registration to its end; a change, and a callback, is one on its
/// thread; from each change an arrow (a flow) leads to each callback that it made. Deallocations and crashes
/// are instants. Events come in the order of the log, and memory is bounded by what is open, and by the
/// observations that are live.
package struct TimelineExport {
  /// Takes the next bytes; false: no more are wanted.
  package typealias Output = (_ bytes: [UInt8]) -> Bool

  private let input: AuditInput
  private static let chunkByteCount = 256 << 10

  /// Makes an export of one log.
  package init(of input: AuditInput) { self.input = input }

  /// Reads the log to its end and gives the bytes of its trace to `output`.
  ///
  /// - Parameters:
  ///   - progress: called with how far it is.
  ///   - output: takes the trace.
  /// - Returns: the missing parts of the log, a sentence each.
  /// - Throws: ``InputFailure`` if the input is not a log. Some of it may have been written.
  /// - Complexity: O(bytes).
  @discardableResult
  package func run(
    progress: LogSource.Progress? = nil,
    _ output: Output
  ) throws(InputFailure) -> [String] {
    var writer = TraceEventWriter()
    var process = ProcessTimeline(ordinal: 1)
    var isWanted = true
    var droppedCount: UInt64 = 0
    let reading = try LogSource(input, progress: progress).read { content, names in
      guard case .events(let events, let firstNumber) = content else { return }
      for event in events {
        guard case .dropped(let count, _) = event.body else { continue }
        droppedCount = droppedCount.addingSaturated(count)
      }
      guard isWanted else { return }
      let names = names()
      for (index, event) in events.enumerated() {
        if process.isOver(at: event) {
          process.finish(names: names, &writer)
          process = ProcessTimeline(ordinal: process.ordinal + 1)
        }
        process.take(event, number: firstNumber + index, names: names, &writer)
        if writer.bytes.count >= Self.chunkByteCount { isWanted = output(writer.takeBytes()) }
      }
    }
    process.finish(names: reading.names, &writer)
    writer.finish()
    if isWanted { _ = output(writer.takeBytes()) }
    return reading.incompleteness(of: input.label, droppedEventCount: droppedCount)
  }
}
