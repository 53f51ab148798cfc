import KVOTrace

/// Something of a binary log that cannot be read, with its offset and time.
package struct BinaryLogProblem: Hashable, Sendable {
  /// The first byte, from the start of the file.
  package var offset: Int
  /// How many bytes are lost; 0 if that is not a matter of bytes.
  package var byteCount: Int
  /// The times between which the lost data was recorded, in nanoseconds; nil if that is not known.
  package var from: UInt64?
  package var to: UInt64?
  /// The problem, without a full stop.
  package var message: String

  package init(
    offset: Int,
    byteCount: Int = 0,
    from: UInt64? = nil,
    to: UInt64? = nil,
    message: String
  ) {
    self.offset = offset
    self.byteCount = byteCount
    self.from = from
    self.to = to
    self.message = message
  }
}

/// Which parts of a binary log could be read, and which could not.
package struct BinaryLogSummary: Hashable, Sendable {
  package var eventCount = 0
  /// Segments that are sealed, with the right checksum, and could be decoded.
  package var wholeSegmentCount = 0
  /// Segments that were being written when the log ended.
  package var openSegmentCount = 0
  /// Segments that could be decoded up to some record only.
  package var partSegmentCount = 0
  /// Segments of which nothing could be read, or that are missing.
  package var lostSegmentCount = 0
  /// Bytes of records and headers that cannot be read.
  package var lostByteCount = 0
  /// Events that are left out because they name a missing string.
  package var stringlessEventCount = 0
  /// Events that have no stack because the one that they name is missing.
  package var stacklessEventCount = 0
  /// Events that the recorder could not record, as far as the log states.
  package var droppedEventCount: UInt64 = 0
  /// How many bytes the file has, if it ends in the middle of the log.
  package var cutAt: Int?
  /// How its writing ended; nil: not stated.
  package var end: BinaryFileHeader.End?
  /// Whether it states its length.
  ///
  /// If not, a file that was truncated between two segments looks complete.
  package var knowsLength = true
  /// The times of the first and the last event that have one.
  package var firstTime: UInt64?
  package var lastTime: UInt64?

  package init() {}

  /// Whether everything that was written can be read.
  package var isWhole: Bool {
    partSegmentCount == 0 && lostSegmentCount == 0 && lostByteCount == 0
      && stringlessEventCount == 0 && stacklessEventCount == 0 && cutAt == nil
  }
}
