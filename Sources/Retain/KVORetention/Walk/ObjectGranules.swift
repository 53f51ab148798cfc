internal import CKVORetention

/// Numbers for the 16 bytes at which an object may begin, and a byte for each of them.
///
/// A granule is 16 bytes of a mapping; objects at odd multiples of 8, as some that the compiler made, have granules
/// of their own, which begin there. The granules of a mapping are numbered, in a row, when something in it is met
/// first. What a walk knows of an object it finds by its number, with one load. Bytes that nobody asks for
/// take no memory: there is one for 16 bytes of the parts of the heap that objects are in.
///
/// One walk at a time has it, and its thread alone.
final class ObjectGranules {
  typealias Granule = UInt32

  typealias Range = KVOSGranuleRange

  /// One bit of a granule's number is somebody else's.
  static let flag: Granule = KVOS_GRANULE_FLAG
  /// How many granules a range has at the most, so that a mapping that is mostly empty takes few numbers.
  private static let rangeLimit: UInt = 1 << 26
  /// From how many granules on a range has large pages for its notes: 16 megabytes of heap.
  ///
  /// Small ones would be brought by a fault each, for each 64 kilobytes of heap.
  private static let largeRange: UInt = 1 << 20
  private static let cacheCount = Int(KVOS_RANGE_COUNT)

  private let memory: MemoryMap
  /// What a walk notes of each granule; 0 as long as it notes nothing.
  let notes: UnsafeMutablePointer<UInt8>
  /// Of the notes; where there is no memory for any, no granule is numbered.
  private let capacity: Int
  private var pages: UnsafeMutableRawPointer?
  /// By number, and by where they begin.
  @exclusivity(unchecked)
  private var ranges: [Range] = []
  @exclusivity(unchecked)
  private var rangesByStart: [UInt: Int] = [:]
  /// The latest range of each slot that an address may have.
  let cache: UnsafeMutablePointer<Range>
  @exclusivity(unchecked)
  private var latest = Range()

  init(of memory: MemoryMap) {
    self.memory = memory
    // Addresses cost nothing, but there may be a limit.
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

  /// The granule of an address, which has been numbered or is now; nil where there are no numbers left.
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

  /// The range that a granule which was numbered is of.
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

  /// Whether a walk reached an object at an address: it notes the granule of each.
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

  /// The piece of a mapping that an address is in; nil where it is in none, or in the last bytes of one,
  /// which hold no object.
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
