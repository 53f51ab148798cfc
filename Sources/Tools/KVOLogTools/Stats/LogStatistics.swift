package import KVOAudit
import KVORules
internal import KVOTrace
import KVOTraceBinary

/// The figures of one log: what it is made of, and when.
package struct LogStatistics: Sendable {
  /// One kind of event.
  package struct Row: Hashable, Sendable {
    package var event: String
    package var count: Int
    /// What their records take in the binary form, without strings and stacks.
    package var byteCount: Int
  }

  package let label: String
  package let reading: LogReading
  /// The commonest first, then by name.
  package let rows: [Row]
  package let threadCount: Int
  package let stringCount: Int
  package let stackCount: Int
  /// The frames of all distinct stacks, and of the deepest.
  package let frameCount: Int
  package let deepestFrameCount: Int
  /// Events that the log says were dropped.
  package let droppedCount: UInt64
  package let timeline: Timeline

  /// Reads `input` to its end.
  ///
  /// - Parameters:
  ///   - input: what to read.
  ///   - progress: called with how far it is.
  /// - Throws: ``InputFailure`` if the input is not a log.
  /// - Complexity: O(bytes).
  package init(of input: AuditInput, progress: LogSource.Progress? = nil) throws(InputFailure) {
    var encoder = BinaryRecordEncoder()
    var counts: [String: Row] = [:]
    var threads: Set<ThreadID> = []
    var stacks: Set<StackID> = []
    var depth = (sum: 0, deepest: 0)
    var dropped: UInt64 = 0
    var timeline = Timeline()
    label = input.label
    reading = try LogSource(input, progress: progress).read { content, names in
      guard case .events(let events, _) = content else { return }
      let names = names()
      for event in events {
        let before = encoder.bytes.count
        encoder.append(event, names: names)
        let name = event.body.name
        counts[name, default: Row(event: name, count: 0, byteCount: 0)].count += 1
        counts[name]?.byteCount += encoder.bytes.count - before
        // What was counted is not kept; threads and scopes go on as in one long segment.
        if encoder.bytes.count > 1 << 20 { _ = encoder.takeBytes() }
        _ = encoder.tables.takeBytes()
        if let thread = event.thread { threads.insert(thread) }
        if event.stack != .none, stacks.insert(event.stack).inserted {
          let count = names[event.stack].count
          depth.sum += count
          depth.deepest = max(depth.deepest, count)
        }
        if case .dropped(let count, _) = event.body { dropped = dropped.addingSaturated(count) }
        if let time = event.time { timeline.add(time) }
      }
    }
    rows = counts.values.sorted { ($1.count, $0.event) < ($0.count, $1.event) }
    threadCount = threads.count
    stringCount = encoder.tables.stringCount
    stackCount = stacks.count
    frameCount = depth.sum
    deepestFrameCount = depth.deepest
    droppedCount = dropped
    self.timeline = timeline
  }
}
