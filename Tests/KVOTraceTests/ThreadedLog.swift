import KVOTrace
import KVOTraceBinary

/// Builds binary logs as a recorder does: a segment for each thread, tables apart, any of them open.
///
/// A tick is a nanosecond, unless ``start`` says otherwise.
struct ThreadedLog {
  /// What becomes of a segment's end.
  enum End {
    case sealed
    /// As a killed process leaves it.
    case open
    /// Killed between the two steps of sealing.
    case counted
  }

  var names = TraceNames()
  var lostCount: UInt64 = 0
  var part: UInt32 = 1
  var start = BinaryFileHeader.Moment()
  private(set) var segments: [UInt8] = []
  /// The offset of each segment in the file.
  private(set) var offsets: [Int] = []
  private var encoder = BinaryRecordEncoder()
  private var indices: [UInt64: UInt32] = [:]
  private var tableIndex: UInt32 = 0

  /// The file.
  var bytes: [UInt8] {
    BinaryFileHeader(
      isSerial: false,
      session: 7,
      part: part,
      start: start,
      lostCount: lostCount
    ).bytes + segments
  }

  /// Adds a segment of one thread, preceded by the tables that it needs.
  ///
  /// - Parameters:
  ///   - number: the thread's.
  ///   - times: of its events, `willChange`s of which each has the key `k` and its time.
  ///   - end: how it ends.
  ///   - tail: bytes after the records.
  mutating func add(
    thread number: UInt64,
    at times: [UInt64],
    end: End = .sealed,
    tail: [UInt8] = []
  ) {
    let thread = ThreadID(number)
    let base = times.first ?? 0
    encoder.begin(baseTick: base, thread: thread)
    for time in times { encoder.append(event(at: time, thread: thread), names: names) }
    flushTables()
    let encoded = encoder.encodedOptional(thread, names)
    let index = indices[number, default: 0]
    indices[number] = index + 1
    let records = encoder.takeBytes()
    append(records, .events, index, thread: encoded, base: base, end, tail)
  }

  /// Adds events to the tables.
  mutating func addTable(_ events: [Event], end: End = .sealed) {
    for event in events { encoder.append(event, names: names) }
    let records = encoder.tables.takeBytes() + encoder.takeBytes()
    append(records, .tables, tableIndex, thread: 0, base: 0, end, [])
    tableIndex += 1
  }

  mutating func addHole(pages: Int) {
    segments += [UInt8](repeating: 0, count: pages * BinaryFormat.pageByteCount)
  }

  /// Leaves out the next segment of a thread.
  mutating func skip(thread: UInt64) { indices[thread, default: 0] += 1 }

  /// Leaves out the next segment of tables.
  mutating func skipTable() { tableIndex += 1 }

  mutating func event(at time: UInt64, thread: ThreadID?) -> Event {
    let object = ObjectRef(id: Identifier(1), className: names.id(of: "Account"))
    return Event(
      .willChange(Change(subject: object, key: names.id(of: "k"), id: Identifier(time))),
      time: time,
      thread: thread
    )
  }

  private mutating func flushTables() {
    let records = encoder.tables.takeBytes()
    guard !records.isEmpty else { return }
    append(records, .tables, tableIndex, thread: 0, base: 0, .sealed, [])
    tableIndex += 1
  }

  private mutating func append(
    _ records: [UInt8],
    _ type: BinaryFormat.SegmentType,
    _ index: UInt32,
    thread: UInt64,
    base: UInt64,
    _ end: End,
    _ tail: [UInt8]
  ) {
    offsets.append(BinaryFormat.pageByteCount + segments.count)
    let byteCount = BinaryFormat.pages(of: 64 + records.count + tail.count + 1)
    var segment = BinarySegmentHeader(
      byteCount: UInt32(byteCount),
      type: type,
      index: index,
      thread: thread,
      base: BinaryFileHeader.Moment(tick: base, nanoseconds: base),
      usedByteCount: end == .open ? 0 : UInt64(records.count),
      checksum: end == .sealed
        ? records.withUnsafeBytes(BinarySegmentHeader.checksum(of:)) : 0
    ).bytes
    segment += records + tail
    segment += [UInt8](repeating: 0, count: byteCount - segment.count)
    segments += segment
  }
}
