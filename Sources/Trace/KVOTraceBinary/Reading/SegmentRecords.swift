import KVOTrace

/// The records of one loaded segment, one after the other.
///
/// Keeps what spans records: the last time, the thread and the scope. It finds the end of an open
/// segment, and the offset from which on nothing can be decoded.
struct SegmentRecords {
  /// The item at the current position.
  enum Head {
    /// An event, with the tick that it is ordered by.
    case event
    /// The definition of a string or a stack.
    case definition(BinaryFormat.Record)
    /// The records end here as expected.
    case end
    /// The records end here, followed by something that is not a record.
    case tornEnd(byteCount: Int)
    /// The bytes here are not a record.
    case malformed(byteCount: Int)
  }

  var decoder: BinaryRecordDecoder
  private let start: UnsafePointer<UInt8>
  /// How many bytes the records of an open segment have at least; nil: it is sealed.
  private let leastByteCount: Int?

  /// The tick of the last event that had a time, or the segment's first.
  private(set) var tick: UInt64
  private var thread: ThreadID?
  private var scope: ScopeID?
  /// Whether the present thread or scope is a lost text.
  private var isThreadLost: Bool
  private var isScopeLost = false
  private var isStateLost: Bool { isThreadLost || isScopeLost }

  /// The event that ``head()`` found.
  private var kind = BinaryFormat.Record.process
  private var kindByte: UInt8 = 0
  private var flags: UInt8 = 0
  private var recordStart: UnsafePointer<UInt8>

  /// Begins with the first record.
  ///
  /// - Parameters:
  ///   - records: loaded by a ``SegmentBuffer``, which must not load anything else during this time.
  ///   - leastByteCount: of an open segment, in which a kind byte of 0 ends the records, how many
  ///     bytes they have at least; nil: the segment is sealed.
  ///   - header: of the segment.
  ///   - tables: the definitions.
  init(
    _ records: UnsafeRawBufferPointer,
    leastByteCount: Int?,
    header: BinarySegmentHeader,
    tables: BinaryTables
  ) {
    decoder = BinaryRecordDecoder(records, tables: tables)
    start = decoder.at
    recordStart = decoder.at
    self.leastByteCount = leastByteCount
    tick = header.base.tick
    thread = decoder.optionalIdentifier(header.thread)
    isThreadLost = decoder.takeHasLostString()
  }

  /// Where in the segment the present record begins, counted from its first record.
  var recordOffset: Int { recordStart - start }

  /// Whether the event that was found has a time.
  var isTimed: Bool { flags & BinaryFormat.Flags.timeless == 0 }

  /// Examines the next record, up to its time; state records are processed on the way.
  ///
  /// Call it once for each record.
  @inline(__always)
  mutating func head() -> Head {
    while true {
      guard decoder.at < decoder.end else { return .end }
      recordStart = decoder.at
      kindByte = decoder.byte()
      guard let kind = BinaryFormat.Record(rawValue: kindByte & BinaryFormat.kindMask) else {
        return noRecord()
      }
      self.kind = kind
      if kind.rawValue < BinaryFormat.Record.string.rawValue { return eventHead() }
      guard kindByte == kind.rawValue else { return malformed() }
      guard kind.rawValue >= BinaryFormat.Record.scope.rawValue else { return .definition(kind) }
      takeState(kind)
      guard decoder.isSound else { return malformed() }
    }
  }

  @inline(__always)
  private mutating func eventHead() -> Head {
    flags = 0
    if kindByte & BinaryFormat.flagsBit != 0 {
      flags = decoder.byte()
      guard flags & ~BinaryFormat.Flags.all == 0 else { return malformed() }
    }
    if isTimed {
      let time = decoder.varint()
      if flags & BinaryFormat.Flags.wholeTime != 0 {
        tick = time
      } else {
        let (sum, overflow) = tick.addingReportingOverflow(time)
        guard !overflow else { return malformed() }
        tick = sum
      }
    }
    return .event
  }

  private mutating func takeState(_ kind: BinaryFormat.Record) {
    if case .scope = kind {
      scope = decoder.optionalIdentifier()
      isScopeLost = decoder.takeHasLostString()
    } else {
      thread = decoder.optionalIdentifier()
      isThreadLost = decoder.takeHasLostString()
    }
  }

  /// The result of decoding an event.
  enum Outcome {
    case whole
    /// The stack that it names is missing.
    case stackless
    /// A string that it names is missing, and the event is omitted.
    case lost
    /// It cannot be decoded.
    case malformed
  }

  /// Decodes the event that ``head()`` found, to the end of `events`.
  ///
  /// It is decoded in place: an event is large, and copying it would cost more than decoding it. `time` is in
  /// nanoseconds, nil if the event has none.
  @inline(__always)
  mutating func event(time: UInt64?, into events: inout [Event]) -> Outcome {
    let order = kindByte & BinaryFormat.orderBit != 0 ? decoder.varint() : nil
    var stack: StackID? = StackID.none
    if flags & BinaryFormat.Flags.stack != 0 { stack = decoder.stack() }
    events.append(
      Event(
        decoder.body(kind),
        time: time,
        thread: thread,
        order: order,
        stack: stack ?? .none,
        scope: scope
      )
    )
    let isSound = decoder.isSound
    if isSound, !decoder.takeHasLostString(), !isStateLost {
      return stack == nil ? .stackless : .whole
    }
    events.removeLast()
    return isSound ? .lost : .malformed
  }

  /// Whether the event that was found concerns the whole log.
  @inline(__always)
  // A pattern: the comparison would be one of raw values.
  var isAboutLog: Bool {
    switch kind {
    case .dropped, .process: true
    default: false
    }
  }

  // MARK: - Ends

  /// An unknown kind, or the 0 after the last record of an open segment.
  private mutating func noRecord() -> Head {
    guard let leastByteCount, kindByte == 0, recordOffset >= leastByteCount else {
      return malformed()
    }
    let byteCount = leftOverByteCount
    return byteCount == 0 ? .end : .tornEnd(byteCount: byteCount)
  }

  private func malformed() -> Head { .malformed(byteCount: leftOverByteCount) }

  /// How many bytes there are from the present record to the last one that is not zero, or up to the length that the
  /// segment states.
  var leftOverByteCount: Int {
    var end = decoder.end
    while end > recordStart, (end - 1).pointee == 0 { end -= 1 }
    return max(end - recordStart, (leastByteCount ?? 0) - recordOffset)
  }
}
