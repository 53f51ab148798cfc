/// The first page of a binary log.
package struct BinaryFileHeader: Hashable, Sendable {
  /// A reading of both clocks at one moment.
  package struct Moment: Hashable, Sendable {
    /// A count of the recorder's clock.
    package var tick: UInt64
    /// Nanoseconds on the monotonic clock of the process.
    package var nanoseconds: UInt64

    package init(tick: UInt64 = 0, nanoseconds: UInt64 = 0) {
      self.tick = tick
      self.nanoseconds = nanoseconds
    }
  }

  /// The version that the file follows; nothing else is read of one above ours.
  package var version: UInt32 = BinaryFormat.version
  /// Whether the records stand in the order of the events; else threads are merged by time.
  package var isSerial: Bool
  /// Shared by the parts of one process's log.
  package var session: UInt64
  /// From 1.
  package var part: UInt32
  package var start: Moment
  package var later: Moment
  /// Events that could not be recorded, so far.
  package var lostCount: UInt64

  package init(
    isSerial: Bool,
    session: UInt64,
    part: UInt32 = 1,
    start: Moment = Moment(),
    later: Moment = Moment(),
    lostCount: UInt64 = 0
  ) {
    self.isSerial = isSerial
    self.session = session
    self.part = part
    self.start = start
    self.later = later
    self.lostCount = lostCount
  }

  private static let checkedByteCount = 64
  private static let lostCountOffset = 128
  private static let serialFlag: UInt32 = 1
  /// How many bytes of the page mean something.
  static let usedByteCount = 136

  /// The whole page.
  package var bytes: [UInt8] {
    var page = BinaryFormat.magic
    page.append(littleEndian: version)
    page.append(littleEndian: isSerial ? Self.serialFlag : 0)
    page.append(littleEndian: session)
    page.append(littleEndian: part)
    page.append(littleEndian: UInt32(0))
    for moment in [start, later] {
      page.append(littleEndian: moment.tick)
      page.append(littleEndian: moment.nanoseconds)
    }
    page.append(littleEndian: page.withUnsafeBytes { XXH64.hash($0) })
    page.append(contentsOf: [UInt8](repeating: 0, count: Self.lostCountOffset - page.count))
    page.append(littleEndian: lostCount)
    page.append(contentsOf: [UInt8](repeating: 0, count: BinaryFormat.pageByteCount - page.count))
    return page
  }

  /// Reads the first bytes of a file, or gives nil where they are no header.
  package init?(bytes: [UInt8]) {
    guard let header = bytes.withUnsafeBytes({ try? BinaryFileHeader($0) }) else { return nil }
    self = header
  }

  /// Why the bytes of a page are no header.
  enum Flaw: Error {
    /// There are fewer than it has.
    case cut
    /// Its first bytes or its checksum are wrong.
    case damaged
  }

  /// Reads the first bytes of a page.
  ///
  /// - Parameter page: at least ``usedByteCount`` bytes where the file has them.
  /// - Throws: ``Flaw``.
  init(_ page: UnsafeRawBufferPointer) throws(Flaw) {
    guard page.count >= Self.usedByteCount else { throw .cut }
    let checked = UnsafeRawBufferPointer(rebasing: page[..<Self.checkedByteCount])
    guard checked.starts(with: BinaryFormat.magic),
      page.littleEndian(at: Self.checkedByteCount) == XXH64.hash(checked)
    else { throw .damaged }
    version = page.littleEndian(at: 8)
    isSerial = page.littleEndian(at: 12, as: UInt32.self) & Self.serialFlag != 0
    session = page.littleEndian(at: 16)
    part = page.littleEndian(at: 24)
    start = Moment(tick: page.littleEndian(at: 32), nanoseconds: page.littleEndian(at: 40))
    later = Moment(tick: page.littleEndian(at: 48), nanoseconds: page.littleEndian(at: 56))
    lostCount = page.littleEndian(at: Self.lostCountOffset)
  }
}
