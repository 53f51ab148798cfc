import KVOTrace

/// Where the segments of a binary log are, found without reading their records.
struct SegmentIndex {
  /// A segment whose header is intact.
  struct Entry {
    var offset: Int
    var header: BinarySegmentHeader
    /// How many of its bytes the log has: fewer than it should if the log was truncated.
    var availableByteCount: Int
    /// Damaged places that precede it, or belong to its time.
    var regions: [Region] = []

    var isCut: Bool { availableByteCount < Int(header.byteCount) }
  }

  /// Pages that should be a segment, but are not: their content is lost.
  struct Region {
    var offset: Int
    var byteCount: Int
    /// Whether they hold nothing, although a segment was begun there.
    var isEmpty = false
  }

  /// In the order of the file.
  private(set) var entries: [Entry] = []
  private(set) var regions: [Region] = []

  private static let windowByteCount = 256 << 10

  /// Goes through the log from page to page.
  ///
  /// Complexity: O(segments + bytes outside of them).
  ///
  /// - Parameters:
  ///   - source: the log.
  ///   - byteCount: how many bytes it has.
  ///   - length: where the last segment that was begun ends, as the log says; nil: it does not.
  init(_ source: any BinaryLogBytes, byteCount: Int, length: UInt64? = nil) {
    let window = SegmentBuffer()
    let page = BinaryFormat.pageByteCount
    var offset = page
    while offset < byteCount {
      window.load(
        source,
        at: offset,
        count: min(BinaryFormat.segmentHeaderByteCount, byteCount - offset)
      )
      if take(window.bytes, at: &offset, byteCount) { continue }
      // Outside of segments: many pages at once, up to the next segment.
      offset = source.dataOffset(from: offset) / page * page
      guard offset < byteCount else { break }
      window.load(source, at: offset, count: min(Self.windowByteCount, byteCount - offset))
      guard !window.bytes.isEmpty else {
        add(Region(offset: offset, byteCount: byteCount - offset))
        break
      }
      var rest = window.bytes
      while !rest.isEmpty {
        if rest.count >= BinaryFormat.segmentHeaderByteCount,
          BinarySegmentHeader(Self.header(of: rest)) != nil
        {
          break
        }
        let present = UnsafeRawBufferPointer(rebasing: rest.prefix(page))
        if !Self.isEmpty(present) { add(Region(offset: offset, byteCount: present.count)) }
        offset += page
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(page))
      }
    }
    if let length { addEmptyRegions(upTo: Int(clamping: min(length, UInt64(byteCount)))) }
  }

  /// Adds the pages in which segments were begun, and that hold nothing now.
  private mutating func addEmptyRegions(upTo length: Int) {
    let pieces =
      (entries.map { ($0.offset, Int($0.header.byteCount)) }
      + regions.map { ($0.offset, $0.byteCount) }).sorted { $0.0 < $1.0 } + [(length, 0)]
    var offset = BinaryFormat.pageByteCount
    var empty: [Region] = []
    for (start, count) in pieces where start <= length {
      if start > offset {
        empty.append(Region(offset: offset, byteCount: start - offset, isEmpty: true))
      }
      offset = max(offset, start + count)
    }
    guard !empty.isEmpty else { return }
    regions = (regions + empty).sorted { $0.offset < $1.offset }
  }

  /// Gives each damaged part to a segment, so that it is reported at its time.
  ///
  /// Pages of a file are allocated in the order of time. The content of a damaged part was recorded after the previous
  /// segment was begun; in a serial log, after all of that segment.
  ///
  /// Complexity: O(segments + damaged parts), both of which are in the order of the file.
  ///
  /// - Returns: the places that have no such segment.
  mutating func assignRegions(isSerial: Bool) -> [Region] {
    let events = entries.indices.filter { entries[$0].header.type == .events }
    var rest: [Region] = []
    var next = 0
    for region in regions {
      while next < events.count, entries[events[next]].offset < region.offset { next += 1 }
      let position = isSerial ? next : next - 1
      if events.indices.contains(position) {
        entries[events[position]].regions.append(region)
      } else {
        rest.append(region)
      }
    }
    return rest
  }

  private static func header(of page: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: page[..<BinaryFormat.segmentHeaderByteCount])
  }

  private mutating func take(
    _ bytes: UnsafeRawBufferPointer,
    at offset: inout Int,
    _ byteCount: Int
  ) -> Bool {
    guard bytes.count == BinaryFormat.segmentHeaderByteCount,
      let header = BinarySegmentHeader(bytes)
    else { return false }
    let available = min(Int(header.byteCount), byteCount - offset)
    entries.append(Entry(offset: offset, header: header, availableByteCount: available))
    offset += Int(header.byteCount)
    return true
  }

  /// Whether nothing was recorded in a page: it is zero, or the header of a segment that was not yet
  /// begun, whose magic is missing.
  private static func isEmpty(_ page: UnsafeRawBufferPointer) -> Bool {
    if page.isZero { return true }
    guard page.count >= 4, page.littleEndian(at: 0, as: UInt32.self) == 0 else { return false }
    let content = page.dropFirst(BinaryFormat.segmentHeaderByteCount)
    return UnsafeRawBufferPointer(rebasing: content).isZero
  }

  private mutating func add(_ region: Region) {
    if let last = regions.last, last.offset + last.byteCount == region.offset {
      regions[regions.count - 1].byteCount += region.byteCount
    } else {
      regions.append(region)
    }
  }
}
