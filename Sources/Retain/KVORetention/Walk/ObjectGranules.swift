internal import CKVORetention

/// Numbers the 16-byte granules at which objects may begin, and keeps a note of one byte for each.
///
/// A granule is 16 bytes of a mapping. Objects at odd multiples of 8, such as some that the
/// compiler emits, have separate granules, which begin there. When the walk meets the first object
/// of a mapping, the granules of the mapping are numbered consecutively. A granule's number is the
/// index of its note, so that a walk finds what it knows of an object with one load. Notes that are
/// never accessed take no memory: the cost is one byte for every 16 bytes of those parts of the
/// heap that contain objects.
///
/// Used by one walk at a time, on its thread only.
final class ObjectGranules {
  typealias Granule = UInt32

  typealias Range = KVOSGranuleRange

  /// A bit of a granule's number that is free for other uses.
  static let flag: Granule = KVOS_GRANULE_FLAG
  /// The maximum number of granules of a range, so that a mapping that is mostly empty uses few
  /// numbers.
  private static let rangeLimit: UInt = 1 << 26
  /// Ranges of at least this many granules, 16 megabytes of heap, use large pages for their notes.
  ///
  /// Small pages would cost a page fault for every 64 kilobytes of heap.
  private static let largeRange: UInt = 1 << 20
  private static let cacheCount = Int(KVOS_RANGE_COUNT)

  private let memory: MemoryMap
  /// The note of each granule; 0 if the walk has noted nothing.
  let notes: UnsafeMutablePointer<UInt8>
  /// The number of notes; if there is no memory for any, no granule is numbered.
  private let capacity: Int
  private var pages: UnsafeMutableRawPointer?
  /// The ranges by number, and their indexes by start address.
  @exclusivity(unchecked)
  private var ranges: [Range] = []
  @exclusivity(unchecked)
  private var rangesByStart: [UInt: Int] = [:]
  /// The most recent range for each slot of an address.
  let cache: UnsafeMutablePointer<Range>
  @exclusivity(unchecked)
  private var latest = Range()

  init(of memory: MemoryMap) {
    self.memory = memory
    // Address space costs nothing, but it may be limited.
    var count = Int(Self.flag)
    while count > 0, pages == nil {
      pages = kvos_reserve_pages(count)
      if pages == nil { count /= 2 }
    }
    capacity = count
    notes = pages?.bindMemory(to: UInt8.self, capacity: count) ?? .allocate(capacity: 1)
    cache = .allocate(capacity: Self.cacheCount)
    cache.initialize(repeating: latest, count: Self.cacheCount)
  }

  deinit {
    cache.deallocate()
    if let pages { kvos_free_pages(pages, capacity) } else { notes.deallocate() }
  }

  // MARK: Numbers

  /// The granule of an address, which is numbered now if it was not; nil if there are no numbers
  /// left.
  ///
  /// `address` is a multiple of 8.
  func granule(of address: UInt) -> Granule? {
    let cached = cache + kvos_range_slot(address)
    let index = kvos_granule_index(address, cached.pointee.start)
    if index < cached.pointee.count { return cached.pointee.first + Granule(index) }
    guard let range = range(of: address) else { return nil }
    cached.pointee = range
    return range.first + Granule(kvos_granule_index(address, range.start))
  }

  /// The range of a numbered granule.
  func range(at granule: Granule) -> Range {
    if UInt(granule &- latest.first) < latest.count { return latest }
    var low = 0
    var high = ranges.count - 1
    while low < high {
      let middle = (low + high + 1) / 2
      if ranges[middle].first <= granule { low = middle } else { high = middle - 1 }
    }
    latest = ranges[low]
    return latest
  }

  func address(of granule: Granule) -> UInt {
    let range = range(at: granule)
    return range.start + UInt(granule - range.first) << 4
  }

  /// Whether a walk reached an object at an address: the note of its granule says so.
  func isReached(_ address: UInt) -> Bool {
    guard let granule = granule(of: address) else { return false }
    let note = notes[Int(granule)]
    return note != 0 && note != GranuleNote.keepsMore
  }

  private func range(of address: UInt) -> Range? {
    var range =
      readableRange(of: address)
      ?? Range(start: address, count: 1, first: 0, isReadable: 0)
    if let number = rangesByStart[range.start] { return ranges[number] }
    let used = ranges.last.map { Int($0.first) + Int($0.count) } ?? 0
    guard used + Int(range.count) <= capacity else { return nil }
    range.first = Granule(used)
    if let pages, range.count >= Self.largeRange {
      kvos_use_large_pages(pages, capacity, used, Int(range.count))
    }
    rangesByStart[range.start] = ranges.count
    ranges.append(range)
    return range
  }

  /// The part of a mapping that contains an address; nil if the address is not mapped, or is in the
  /// last bytes of a mapping, which cannot hold an object.
  private func readableRange(of address: UInt) -> Range? {
    guard let region = memory.region(of: address) else { return nil }
    let start = region.start + address & 8
    let piece = (address - start) >> 4 / Self.rangeLimit
    let first = start + piece * Self.rangeLimit << 4
    let count = min((region.end - first) >> 4, Self.rangeLimit)
    guard (address - first) >> 4 < count else { return nil }
    return Range(start: first, count: count, first: 0, isReadable: memory.isSanitized ? 0 : 1)
  }
}
