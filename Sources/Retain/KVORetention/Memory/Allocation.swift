internal import CKVORetention

/// A piece of memory that the allocator returned, found by any address in it.
///
/// It is certain if a sanitizer knows it, or ``HeapChunks`` lists it. Otherwise the result is a guess,
/// because glibc has no list of allocations. Memory is assumed to be an allocation if its size, which
/// glibc stores before it, leads to another chunk that says that the first one is in use. Source:
/// malloc/malloc.c of glibc.
struct Allocation {
  /// The allocation at an address, as far as it is known.
  enum Extent {
    case allocation(Allocation)
    /// The allocator has the memory, or uses it itself.
    case free
    /// The memory is on the heap, or in similar memory, and its bounds are not known.
    case unknown
  }

  private let hidden: HiddenAddress
  let byteCount: UInt
  var start: UInt { hidden.address }

  init(start: UInt, byteCount: UInt) {
    hidden = HiddenAddress(start)
    self.byteCount = byteCount
  }

  /// The maximum distance to search backward for the start of an allocation, in steps of 16 bytes:
  /// 64 kilobytes.
  static let farthest: UInt = 4096
  /// The same in pages.
  private static let pageLimit: UInt = 16
  private static let page: UInt = 4096

  func contains(_ address: UInt) -> Bool { address &- start < byteCount }

  /// The allocation that contains `address`, which is in `region`.
  ///
  /// - Complexity: O(1) at the start of an allocation, otherwise O(n) in the distance from it, up
  ///   to `stepLimit` if it is not listed.
  static func extent(
    of address: UInt,
    in region: MemoryMap.Region,
    stepLimit: UInt,
    _ words: CopiedMemory,
    _ chunks: HeapChunks?
  ) -> Extent {
    var (start, byteCount): (UInt, UInt) = (0, 0)
    switch kvos_sanitizer_allocation(address, &start, &byteCount) {
    case 1: return .allocation(Allocation(start: start, byteCount: byteCount))
    case 0: return .unknown
    default: break
    }
    switch chunks?.chunk(containing: address) {
    case .inUse(let start, let byteCount):
      // What is listed costs no search, but from bytes that are most likely no pointer not everything is followed.
      guard stepLimit == farthest || address - start < stepLimit * 16 else { return .unknown }
      return .allocation(Allocation(start: start, byteCount: byteCount))
    case .free: return .free
    case .unlisted, nil: break
    }
    let heap = Heap(region: region, words: words)
    let aligned = address & ~15
    let first = max(
      region.start + GlibcChunk.headerByteCount,
      aligned - min(aligned, (stepLimit - 1) * 16)
    )
    var next = aligned
    while let start = words.startOfChunk(reaching: address, from: next, downTo: first) {
      if let found = heap.allocation(at: start) { return .allocation(found) }
      next = start - 16
    }
    // Large allocations have their own pages; the kernel merges those of several into one mapping.
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

  /// A mapping, interpreted as a heap of glibc's allocator.
  private struct Heap {
    let region: MemoryMap.Region
    let words: CopiedMemory

    /// The chunk of an allocation that may begin at an address, or nil if there can be none.
    private func chunk(at address: UInt) -> GlibcChunk? {
      // The heap may have grown up to here since the mappings were listed.
      let farthest = region.end + GlibcChunk.arenaHeapByteCount
      let header = GlibcChunk.headerByteCount
      guard address >= region.start + header, address <= farthest,
        let word = words.word(at: address - 8)
      else { return nil }
      return GlibcChunk(word: word, room: farthest - (address - header))
    }

    /// The allocation that begins at `address`.
    func allocation(at address: UInt) -> Allocation? {
      guard let own = chunk(at: address), own.isAllocation, !own.isPaged else { return nil }
      // The next chunk says whether this one is in use, and leads to another chunk or to the end.
      guard let next = chunk(at: address + own.size), !next.isPaged, next.isPreviousInUse
      else { return nil }
      let end = address - GlibcChunk.headerByteCount + own.size + next.size
      guard isEndOfHeap(end) || chunk(at: end + GlibcChunk.headerByteCount) != nil else {
        return nil
      }
      return Allocation(start: address, byteCount: own.byteCount)
    }

    /// Whether the last chunk of a heap may end at an address.
    ///
    /// Another thread may have grown the heap since the mappings were listed: its new end is at a
    /// page boundary, too.
    private func isEndOfHeap(_ end: UInt) -> Bool {
      if end <= region.end { return end >= region.end - 32 }
      return end % 4096 == 0 && words.word(at: end - 8) != nil
    }

    /// An allocation with its own pages.
    ///
    /// It is preceded by a zero and its size. The same words may be anywhere inside a heap, which
    /// has no such allocations.
    func pagedAllocation(at address: UInt) -> Allocation? {
      guard region.isAnonymous, let own = chunk(at: address), own.isPagedAlone,
        words.word(at: address - GlibcChunk.headerByteCount) == 0, !isInHeap(address)
      else { return nil }
      return Allocation(start: address, byteCount: own.byteCount)
    }

    /// Whether an address is in a heap of an arena other than the main one.
    private func isInHeap(_ address: UInt) -> Bool {
      let start = address - address % GlibcChunk.arenaHeapByteCount
      guard start >= region.start else { return false }
      let used = GlibcChunk.usedByteCount(
        ofArenaHeapAt: start,
        words.word(at: start),
        words.word(at: start + 16)
      )
      return used.map { address - start < $0 } ?? false
    }
  }
}
