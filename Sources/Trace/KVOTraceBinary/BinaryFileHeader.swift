import KVOTrace

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

  /// How the writing of a file ended, as far as the file states.
  package enum End: UInt64, Hashable, Sendable {
    /// It did not: the process was killed, or is still running.
    case none
    /// The recording stopped in an orderly way.
    case stopped
    /// The log continues in the next part.
    case continued
    /// A crash record was written to its end.
    case crashed
  }

  /// The file's own length information, kept up to date while it is written.
  package struct Account: Hashable, Sendable {
    /// Where the last segment that was begun ends: a file that has fewer bytes was truncated.
    package var length: UInt64
    package var end: End

    package init(length: UInt64, end: End) {
      self.length = length
      self.end = end
    }
  }

  /// The version that the file follows; nothing else is read if it is above the supported one.
  package var version: UInt32 = BinaryFormat.version
  /// Whether the records are in the order of the events; else threads are merged by time.
  package var isSerial: Bool
  /// Shared by the parts of one process's log.
  package var session: UInt64
  /// From 1.
  package var part: UInt32
  package var start: Moment
  package var later: Moment
  /// Events that could not be recorded, so far.
  package var lostCount: UInt64
  /// Nil: the writer keeps none, so that a file which was truncated between two segments looks complete.
  package var account: Account?

  package init(
    isSerial: Bool,
    session: UInt64,
    part: UInt32 = 1,
    start: Moment = Moment(),
    later: Moment = Moment(),
    lostCount: UInt64 = 0,
    account: Account? = nil
  ) {
    self.isSerial = isSerial
    self.session = session
    self.part = part
    self.start = start
    self.later = later
    self.lostCount = lostCount
    self.account = account
  }

  private static let checkedByteCount = 64
  private static let lostCountOffset = 128
  private static let lengthOffset = 136
  private static let endOffset = 144
  private static let serialFlag: UInt32 = 1
  private static let accountedFlag: UInt32 = 2
  /// The number of meaningful bytes of the page.
  static let usedByteCount = 152

  /// The whole page.
  package var bytes: [UInt8] {
    var page = BinaryFormat.magic
    page.append(littleEndian: version)
    page.append(
      littleEndian: (isSerial ? Self.serialFlag : 0) | (account != nil ? Self.accountedFlag : 0)
    )
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
    page.append(littleEndian: account?.length ?? 0)
    page.append(littleEndian: account?.end.rawValue ?? 0)
    page.append(contentsOf: [UInt8](repeating: 0, count: BinaryFormat.pageByteCount - page.count))
    return page
  }

  /// Reads the first bytes of a file, or returns nil if they are not a header.
  package init?(bytes: [UInt8]) {
    guard let header = bytes.withUnsafeBytes({ try? BinaryFileHeader($0) }) else { return nil }
    self = header
  }

  /// The reason why the bytes of a page are not a header.
  enum Flaw: Error {
    /// There are fewer than it has.
    case cut
    /// Its first bytes or its checksum are wrong.
    case damaged
  }

  /// Reads the first bytes of a page.
  ///
  /// - Parameter page: at least ``usedByteCount`` bytes if the file has them.
  /// - Throws: ``Flaw``.
  init(_ page: UnsafeRawBufferPointer) throws(Flaw) {
    guard page.count >= Self.usedByteCount else { throw .cut }
    let checked = UnsafeRawBufferPointer(rebasing: page[..<Self.checkedByteCount])
    guard checked.starts(with: BinaryFormat.magic),
      page.littleEndian(at: Self.checkedByteCount) == XXH64.hash(checked)
    else { throw .damaged }
    version = page.littleEndian(at: 8)
    let flags = page.littleEndian(at: 12, as: UInt32.self)
    isSerial = flags & Self.serialFlag != 0
    session = page.littleEndian(at: 16)
    part = page.littleEndian(at: 24)
    start = Moment(tick: page.littleEndian(at: 32), nanoseconds: page.littleEndian(at: 40))
    later = Moment(tick: page.littleEndian(at: 48), nanoseconds: page.littleEndian(at: 56))
    lostCount = page.littleEndian(at: Self.lostCountOffset)
    if flags & Self.accountedFlag != 0 {
      account = Account(
        length: page.littleEndian(at: Self.lengthOffset),
        // A later writer may use other values.
        end: End(rawValue: page.littleEndian(at: Self.endOffset)) ?? .none
      )
    }
  }
}
