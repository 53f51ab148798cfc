internal import CKVORetention

/// Numbers for the places at which objects may begin, and a byte for each of them.
///
/// A place is 16 bytes of a mapping; objects at odd multiples of 8, as some that the compiler made do lie,
/// have places of their own. The places of a mapping are numbered, in a row, when something in it is met
/// first. What a walk knows of an object it finds by its number, with one load. Bytes that nobody asks for
/// take no memory: there is one for 16 bytes of the parts of the heap that objects are in.
///
/// One walk at a time has it, and its thread alone.
final class ObjectPlaces {
  typealias Place = UInt32

  typealias Range = KVOSPlaceRange

  /// One bit of a place's number is somebody else's.
  static let flag: Place = KVOS_PLACE_FLAG
  /// How many places a range has at the most, so that a mapping that is mostly empty takes few numbers.
  private static let rangeLimit: UInt = 1 << 26
  /// From how many places on a range has large pages for its notes: 16 megabytes of heap.
  ///
  /// Small ones would be brought by a fault each, for each 64 kilobytes of heap.
  private static let largeRange: UInt = 1 << 20
  private static let cacheCount = Int(KVOS_RANGE_COUNT)

  private let memory: MemoryMap
  /// What a walk notes of each place; 0 as long as it notes nothing.
  let notes: UnsafeMutablePointer<UInt8>
  /// Of the notes; where there is no memory for any, no place is numbered.
  private let capacity: Int
  private var pages: UnsafeMutableRawPointer?
  /// By number, and by where they begin.
  @exclusivity(unchecked)
  private var ranges: [Range] = []
  @exclusivity(unchecked)
  private var rangesByStart: [UInt: Int] = [:]
  /// The latest range of some that addresses are told apart by.
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

  /// The place of an address, which has been numbered or is now; nil where there are no numbers left.
  ///
  /// `address` is a multiple of 8.
  func place(of address: UInt) -> Place? {
    let cached = cache + kvos_range_slot(address)
    let index = kvos_place_index(address, cached.pointee.start)
    if index < cached.pointee.count { return cached.pointee.first + Place(index) }
    guard let range = range(of: address) else { return nil }
    cached.pointee = range
    return range.first + Place(kvos_place_index(address, range.start))
  }

  /// The range that a place which was numbered is of.
  func range(at place: Place) -> Range {
    if UInt(place &- latest.first) < latest.count { return latest }
    var low = 0
    var high = ranges.count - 1
    while low < high {
      let middle = (low + high + 1) / 2
      if ranges[middle].first <= place { low = middle } else { high = middle - 1 }
    }
    latest = ranges[low]
    return latest
  }

  func address(of place: Place) -> UInt {
    let range = range(at: place)
    return range.start + UInt(place - range.first) << 4
  }

  /// Whether a walk reached an object at an address: it notes the place of each.
  func isReached(_ address: UInt) -> Bool {
    guard let place = place(of: address) else { return false }
    let note = notes[Int(place)]
    return note != 0 && note != PlaceNote.keepsMore
  }

  private func range(of address: UInt) -> Range? {
    var range =
      readableRange(of: address)
      ?? Range(start: address, count: 1, first: 0, isReadable: 0)
    if let number = rangesByStart[range.start] { return ranges[number] }
    let used = ranges.last.map { Int($0.first) + Int($0.count) } ?? 0
    guard used + Int(range.count) <= capacity else { return nil }
    range.first = Place(used)
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
