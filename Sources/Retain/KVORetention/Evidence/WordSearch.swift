internal import CKVORetention

/// Finds every word in this process's memory that leads to some objects and allocations.
///
/// Its targets and results are stored as complements and in separate pages, because the data of a
/// search must not look like the program's.
final class WordSearch {
  /// The target of a search: the address of an object, or any address in an allocation.
  struct Target {
    private let hidden: HiddenAddress
    /// The number of bytes to which words may lead; 1 for an object.
    let byteCount: UInt
    var address: UInt { hidden.address }

    init(address: UInt, byteCount: UInt) {
      hidden = HiddenAddress(address)
      self.byteCount = byteCount
    }
  }

  /// A word that was found.
  struct Hit: BitwiseCopyable {
    private let hidden: HiddenAddress
    /// The index of its target.
    let target: UInt32
    /// The address of the word.
    var address: UInt { hidden.address }

    init(address: UInt, target: UInt32) {
      hidden = HiddenAddress(address)
      self.target = target
    }
  }

  /// The size of the piece that is copied and searched at a time.
  private static let pieceByteCount = PresentPages.pageLimit << 12
  /// More memory is not searched; this much takes a fraction of a second.
  private static let byteLimit: UInt = 1 << 29
  private static let granuleLimit: UInt = 1 << 20
  private static let hitLimit = 1 << 16

  private let targets: [Target]
  private var table: KVOSWordTable
  private let pages: UnsafeMutableRawPointer
  private let pageByteCount: Int
  private(set) var hits = GrowingList<Hit>(apart: 1024)

  /// Returns nil if there is no memory, or if the targets are too large.
  init?(for targets: [Target]) {
    self.targets = targets
    var granuleCount: UInt = 0
    for target in targets {
      granuleCount += (target.address + target.byteCount - 1) >> 4 - target.address >> 4 + 1
    }
    guard granuleCount <= Self.granuleLimit else { return nil }
    var bits: UInt32 = 8
    while 1 << UInt(bits) < granuleCount * 2 { bits += 1 }
    let filterByteCount = 1 << (Int(KVOS_WORD_FILTER_BITS) - 3)
    let entryCount = 1 << Int(bits)
    pageByteCount =
      Self.pieceByteCount + filterByteCount
      + (entryCount * MemoryLayout<KVOSWordEntry>.stride + 4095) & ~4095
    guard let pages = kvos_reserve_pages(pageByteCount) else { return nil }
    self.pages = pages
    let filter = pages + Self.pieceByteCount
    table = KVOSWordTable(
      filter: filter.bindMemory(to: UInt64.self, capacity: filterByteCount / 8),
      entries: (filter + filterByteCount)
        .bindMemory(to: KVOSWordEntry.self, capacity: entryCount),
      bits: bits
    )
    for (number, target) in targets.enumerated() {
      var address = target.address & ~15
      while address < target.address + target.byteCount {
        kvos_add_word_target(&table, address, UInt32(number))
        address += 16
      }
    }
  }

  deinit { kvos_free_pages(pages, pageByteCount) }

  /// Whether the process has more memory than a search reads.
  ///
  /// The kernel answers this at once.
  ///
  /// The shadow memory of a sanitizer is not searched, but would be counted.
  static func isTooMuch(_ memory: MemoryMap) -> Bool {
    guard !memory.isSanitized, let byteCount = MemoryMap.ownByteCount else { return false }
    return byteCount > byteLimit
  }

  /// Searches all mappings that a program may write; returns false if that is too much, or not
  /// possible.
  ///
  /// - Complexity: O(bytes) of the process's writable memory.
  func run(in memory: MemoryMap, until deadline: ContinuousClock.Instant) -> Bool {
    guard let memoryCopy = MemoryCopy() else { return false }
    let present = PresentPages()
    var byteCount: UInt = 0
    for region in memory.regions
    where (region.isWritable || !region.isImage) && !region.isReservation {
      var start = region.start
      while start < region.end {
        guard ContinuousClock.now < deadline else { return false }
        let end = min(start + UInt(Self.pieceByteCount), region.end)
        for run in present.runs(in: start..<end) {
          byteCount += run.upperBound - run.lowerBound
          guard byteCount <= Self.byteLimit, look(through: run, memoryCopy) else { return false }
        }
        start = end
      }
    }
    return true
  }

  /// Searches a piece of memory; returns false if there are more hits than are kept.
  private func look(through range: Range<UInt>, _ memoryCopy: MemoryCopy) -> Bool {
    var start = range.lowerBound
    while start < range.upperBound {
      let count = Int(range.upperBound - start)
      let copied = memoryCopy.copy(start, to: pages, count) & ~7
      guard take(pages, copied, from: start) else { return false }
      // Otherwise memory was unmapped during the search.
      let end = start + UInt(copied)
      start = copied == count ? end : MemoryMap.nextPage(end)
    }
    return true
  }

  private func take(
    _ copy: UnsafeRawPointer,
    _ count: Int,
    from start: UInt
  ) -> Bool {
    var target: UInt32 = 0
    var offset = kvos_next_word_target(&table, copy, count, 0, &target)
    while offset < count {
      if leads(copy.load(fromByteOffset: offset, as: UInt.self), to: target) {
        guard hits.count < Self.hitLimit else { return false }
        hits.append(Hit(address: start + UInt(offset), target: target))
      }
      offset = kvos_next_word_target(&table, copy, count, offset + 8, &target)
    }
    return true
  }

  /// Whether a word that leads to a target's granule leads to the target itself.
  func leads(_ word: UInt, to number: UInt32) -> Bool {
    let target = targets[Int(number)]
    guard target.byteCount == 1 else {
      return (word & 0x00ff_ffff_ffff_ffff) &- target.address < target.byteCount
    }
    return word & 0x00ff_ffff_ffff_fff8 == target.address
  }
}
