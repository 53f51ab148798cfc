internal import CKVORetention

/// The small chunks that glibc keeps for the next allocations of their sizes: for the allocator's own checks they are in
/// use, and each has words that its last owner left.
///
/// Source: `struct malloc_state` and `PROTECT_PTR` in malloc/malloc.c of glibc 2.32 to 2.41. If an arena does not look like
/// that, nothing of it is known.
///
/// Used by one search, on its thread only.
///
/// - `starts`: the complements of the addresses of allocations, by rising values. They are not to be taken for references,
///   and are in pages of their own: a list that grew in the allocator's memory would make it merge the chunks that are
///   being listed.
final class FastBins {
  /// The chunks of one size in one arena.
  struct List {
    var firstChunk: UInt
    var size: UInt
  }

  private static let binCount: UInt = 10
  /// Where an arena has its lists, its last chunk, and the address of the next arena.
  private static let listsOffset: UInt = 16
  private static let topOffset: UInt = 96
  private static let nextOffset: UInt = 2160
  /// The size of an arena: its own words, and four more, follow.
  static let arenaByteCount = nextOffset + 40
  private static let arenaLimit = 4096
  private static let chunkLimit = 1 << 20

  private var starts = GrowingList<UInt>(apart: 1 << 17)

  /// Lists the chunks, some of which another thread may take or add in the meantime.
  ///
  /// - Parameters:
  ///   - memory: the mappings of the process.
  ///   - word: the word at an address, nil if there is none.
  /// - Complexity: O(bytes) of glibc's variables, and O(n log n) in the chunks.
  init(memory: MemoryMap, word: (UInt) -> UInt?) {
    for list in Self.lists(in: memory, word) { follow(list, word) }
    var all = UnsafeMutableBufferPointer(start: starts.start, count: starts.count)
    all.sort()
  }

  /// Whether the allocation that begins at an address is free.
  ///
  /// - Complexity: O(log n) in the chunks.
  func contains(_ address: UInt) -> Bool {
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] < ~address { low = middle + 1 } else { high = middle }
    }
    return low < starts.count && starts[low] == ~address
  }

  /// The lists of all arenas, without the empty ones.
  ///
  /// - Parameters: as those of `init(memory:word:)`.
  /// - Complexity: O(bytes) of glibc's variables.
  static func lists(in memory: MemoryMap, _ word: (UInt) -> UInt?) -> [List] {
    let variables = kvos_allocator_variables()
    guard variables != 0, let region = memory.region(of: variables), region.isImage,
      let heap = memory.regions.first(where: \.isHeap)
    else { return [] }
    let main = stride(from: region.start, to: region.end - nextOffset, by: 8).first {
      guard let top = word($0 + topOffset), top % 16 == 0, top >= heap.start,
        top < heap.end, let size = word(top + 8)
      else { return false }
      return top + kvos_chunk_size(size) == heap.end && lists(at: $0, word) != nil
    }
    guard let main else { return [] }
    var found: [List] = []
    var arena = main
    for _ in 0..<arenaLimit {
      found += lists(at: arena, word) ?? []
      guard let next = word(arena + nextOffset), next != main, memory.isMapped(next, nextOffset)
      else { break }
      arena = next
    }
    return found
  }

  /// The chunk after one of a list, whose memory begins with `hidden`; 0 after the last one.
  static func chunk(after chunk: UInt, _ hidden: UInt) -> UInt {
    hidden ^ (chunk + GlibcChunk.headerByteCount) >> 12
  }

  /// The lists of an arena, without the empty ones; nil if there is no arena.
  private static func lists(at arena: UInt, _ word: (UInt) -> UInt?) -> [List]? {
    var found: [List] = []
    for bin in 0..<binCount {
      guard let chunk = word(arena + listsOffset + bin * 8) else { return nil }
      if chunk == 0 { continue }
      let size = (bin + 2) * 16
      guard isChunk(chunk, size, word) else { return nil }
      found.append(List(firstChunk: chunk, size: size))
    }
    return found
  }

  private static func isChunk(_ chunk: UInt, _ size: UInt, _ word: (UInt) -> UInt?) -> Bool {
    guard chunk % 16 == 0, chunk > 4096, let own = word(chunk + 8) else { return false }
    return kvos_chunk_size(own) == size
  }

  private func follow(_ list: List, _ word: (UInt) -> UInt?) {
    var chunk = list.firstChunk
    // Another thread may have changed the list so that it leads back to an earlier chunk.
    var (earlier, stepCount, nextMark) = (UInt(0), 0, 1)
    while chunk != 0, chunk != earlier, starts.count < Self.chunkLimit,
      Self.isChunk(chunk, list.size, word)
    {
      let start = chunk + GlibcChunk.headerByteCount
      starts.append(~start)
      guard let hidden = word(start) else { return }
      stepCount += 1
      if stepCount == nextMark { (earlier, nextMark) = (chunk, nextMark * 2) }
      chunk = Self.chunk(after: chunk, hidden)
    }
  }
}
