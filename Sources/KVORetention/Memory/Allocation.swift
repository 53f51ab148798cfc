internal import CKVORetention

/// A piece of memory that the allocator gave to somebody, found from any address in it.
///
/// Outside of a sanitizer it is a guess: glibc lists no allocations. An allocation is taken for one if its size,
/// which glibc keeps in front of it, leads to another one that says that it is in use. Source:
/// malloc/malloc.c of glibc.
struct Allocation {
  /// What is known of the memory at an address.
  enum Extent {
    case allocation(Allocation)
    /// It is on the heap, or somewhere like it, and where it begins and ends is not known.
    case unknown
  }

  var start: UInt
  var byteCount: UInt

  /// How far to look back for the start of an allocation, in steps of 16 bytes: 64 kilobytes.
  static let farthest: UInt = 4096
  /// The same in pages.
  private static let pageLimit: UInt = 16
  private static let page: UInt = 4096

  func contains(_ address: UInt) -> Bool { address &- start < byteCount }

  /// The allocation that `address`, which is in `region`, lies in.
  ///
  /// - Complexity: O(1) at the start of an allocation, else O(n) in its bytes, up to a bound.
  static func extent(
    of address: UInt,
    in region: MemoryMap.Region,
    stepLimit: UInt,
    _ words: CopiedMemory
  ) -> Extent {
    var (start, byteCount): (UInt, UInt) = (0, 0)
    switch kvos_sanitizer_allocation(address, &start, &byteCount) {
    case 1: return .allocation(Allocation(start: start, byteCount: byteCount))
    case 0: return .unknown
    default: break
    }
    let heap = Heap(region: region, words: words)
    let aligned = address & ~15
    for step in 0..<stepLimit {
      guard aligned >= region.start &+ 16 &+ step * 16 else { break }
      if let found = heap.allocation(at: aligned - step * 16), found.contains(address) {
        return .allocation(found)
      }
    }
    // Larger ones have pages of their own; the kernel puts those of several into one mapping.
    let firstPage = address & ~(page - 1)
    for step in 0..<pageLimit {
      guard firstPage >= region.start &+ step * page else { break }
      let start = firstPage - step * page + 16
      if let found = heap.pagedAllocation(at: start), found.contains(address) {
        return .allocation(found)
      }
    }
    if let found = heap.pagedAllocation(at: region.start + 16), found.contains(address) {
      return .allocation(found)
    }
    return .unknown
  }

  /// One mapping, read as glibc's allocator fills it.
  private struct Heap {
    let region: MemoryMap.Region
    let words: CopiedMemory

    private static let flags: UInt = 7
    private static let isInUse: UInt = 1
    private static let isPaged: UInt = 2

    /// How far a heap may have grown since the mappings were listed: glibc reserves so much for each.
    private static let growth: UInt = 64 << 20

    /// The size of the chunk at an address and its flags, or nil if no chunk can be there.
    private func chunk(at address: UInt) -> (size: UInt, flags: UInt)? {
      let farthest = region.end + Self.growth
      guard address >= region.start + 16, address <= farthest,
        let word = words.word(at: address - 8), word & 8 == 0
      else { return nil }
      let size = word & ~15
      guard size >= 16, size <= farthest - (address - 16) else { return nil }
      return (size, word & Self.flags)
    }

    /// The allocation that begins at `address`.
    func allocation(at address: UInt) -> Allocation? {
      guard let own = chunk(at: address), own.size >= 32, own.flags & Self.isPaged == 0
      else { return nil }
      // The next one says whether this one is in use, and leads to one more, or to the end.
      guard let next = chunk(at: address + own.size), next.flags & Self.isPaged == 0,
        next.flags & Self.isInUse != 0
      else { return nil }
      let end = address - 16 + own.size + next.size
      guard isEndOfHeap(end) || chunk(at: end + 16) != nil else { return nil }
      return Allocation(start: address, byteCount: own.size - 8)
    }

    /// Whether the last chunk of a heap may end at an address.
    ///
    /// Another thread may have grown the heap since the mappings were listed: its new end is that of a page, too.
    private func isEndOfHeap(_ end: UInt) -> Bool {
      if end <= region.end { return end >= region.end - 32 }
      return end % 4096 == 0 && words.word(at: end - 8) != nil
    }

    /// An allocation with pages of its own.
    ///
    /// In front of it are a zero and its size. The same words may be anywhere inside a heap, which has no such
    /// allocation.
    func pagedAllocation(at address: UInt) -> Allocation? {
      guard region.isAnonymous, let own = chunk(at: address), own.flags == Self.isPaged,
        own.size % 4096 == 0, words.word(at: address - 16) == 0, !isInHeap(address)
      else { return nil }
      return Allocation(start: address, byteCount: own.size - 16)
    }

    /// Whether an address lies in a heap of an arena other than the main one.
    ///
    /// Such a heap begins at a multiple of its reserved size with the address of its arena, which is at the start of
    /// one of these heaps, that of the previous heap, and how much of it is used.
    private func isInHeap(_ address: UInt) -> Bool {
      let start = address & ~(Self.growth - 1)
      guard start >= region.start, let arena = words.word(at: start),
        let usedByteCount = words.word(at: start + 16)
      else { return false }
      let offset = arena & (Self.growth - 1)
      return offset > 0 && offset < 256 && arena > offset && usedByteCount % 4096 == 0
        && address - start < usedByteCount
    }
  }
}
