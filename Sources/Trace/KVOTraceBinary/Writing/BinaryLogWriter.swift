package import KVOTrace

/// Writes events as a whole binary log, in their own order, for conversions and tests.
///
/// The pieces that it returns must be written one after the other. Every segment is sealed; tables come before the
/// events that need them. Memory is that of the distinct names' numbers and of one segment. Not synchronized.
package struct BinaryLogWriter {
  private let segmentByteCount: Int
  private var encoder = BinaryRecordEncoder()
  private var tableCount: UInt32 = 0
  private var eventSegmentCount: UInt32 = 0
  private var header: BinaryFileHeader?

  /// Makes a writer of one file.
  ///
  /// - Parameters:
  ///   - session: names the log; parts of one log share it.
  ///   - part: from 1.
  ///   - segmentByteCount: how long segments are, in bytes, if no record needs more.
  package init(session: UInt64, part: UInt32 = 1, segmentByteCount: Int = 64 << 10) {
    self.segmentByteCount = segmentByteCount
    header = BinaryFileHeader(isSerial: true, session: session, part: part)
  }

  /// Appends the part of the file that `event` completes to `output`, which is mostly nothing.
  ///
  /// Complexity: O(size of the event) on average.
  ///
  /// - Parameters:
  ///   - event: the next event.
  ///   - names: the table that its ids are from, the same one in every call.
  ///   - output: its existing content is kept.
  package mutating func append(
    _ event: Event,
    names: TraceNames,
    to output: inout [UInt8]
  ) {
    encoder.append(event, names: names)
    // Only after a record is encoded is it known to be too long. Most are shorter than the space left here; after one
    // that is not, the segment is one or more pages longer than requested.
    let limit = segmentByteCount - BinaryFormat.segmentHeaderByteCount - 256
    if encoder.tables.bytes.count >= limit { flushTables(to: &output) }
    if encoder.bytes.count >= limit { flushEvents(to: &output) }
  }

  /// Appends the rest of the file to `output`.
  package mutating func finish(to output: inout [UInt8]) {
    flushEvents(to: &output)
    begin(&output)
  }

  private mutating func begin(_ output: inout [UInt8]) {
    if let header { output.append(contentsOf: header.bytes) }
    header = nil
  }

  private mutating func flushTables(to output: inout [UInt8]) {
    begin(&output)
    let records = encoder.tables.takeBytes()
    guard !records.isEmpty else { return }
    output.append(contentsOf: BinarySegmentHeader.sealed(records, type: .tables, index: tableCount))
    tableCount += 1
  }

  private mutating func flushEvents(to output: inout [UInt8]) {
    flushTables(to: &output)
    let records = encoder.takeBytes()
    guard !records.isEmpty else { return }
    output.append(
      contentsOf: BinarySegmentHeader.sealed(records, type: .events, index: eventSegmentCount)
    )
    eventSegmentCount += 1
  }
}
