internal import CKVORetention

/// The small chunks that glibc keeps for the next allocations of their sizes: for the allocator's own checks they are in
/// use, and each has words that its last owner left.
///
/// Source: `struct malloc_state` and `PROTECT_PTR` in malloc/malloc.c of glibc 2.32 to 2.41. If an arena does not look like
/// that, nothing of it is known.
struct FastBins {
  private static let binCount: UInt = 10
  /// Where an arena has its lists, its last chunk, and the address of the next arena.
  private static let listsOffset: UInt = 16
  private static let topOffset: UInt = 96
  private static let nextOffset: UInt = 2160
  private static let arenaLimit = 4096
  private static let chunkLimit = 1 << 20

  /// The complements of the addresses of allocations: they are not to be taken for references.
  private var starts: Set<UInt> = []

  /// - Parameters:
  ///   - memory: the mappings of the process.
  ///   - word: the word at an address, nil if there is none.
  /// - Complexity: O(bytes) of glibc's variables, and O(n) in the chunks.
  init(memory: MemoryMap, word: (UInt) -> UInt?) {
    let variables = kvos_allocator_variables()
    guard variables != 0, let region = memory.region(of: variables), region.isImage,
      let heap = memory.regions.first(where: \.isHeap)
    else { return }
    let main = stride(from: region.start, to: region.end - Self.nextOffset, by: 8).first {
      guard let top = word($0 + Self.topOffset), top % 16 == 0, top >= heap.start,
        top < heap.end, let size = word(top + 8)
      else { return false }
      return top + kvos_chunk_size(size) == heap.end && Self.lists(at: $0, word) != nil
    }
    guard let main else { return }
    var arena = main
    for _ in 0..<Self.arenaLimit {
      for list in Self.lists(at: arena, word) ?? [] { follow(list, word) }
      guard let next = word(arena + Self.nextOffset), next != main,
        memory.isMapped(next, Self.nextOffset)
      else { return }
      arena = next
    }
  }

  /// Whether the allocation that begins at an address is free.
  func contains(_ address: UInt) -> Bool { starts.contains(~address) }

  /// Where the lists of an arena begin; nil if it is none.
  private static func lists(
    at arena: UInt,
    _ word: (UInt) -> UInt?
  ) -> [(chunk: UInt, size: UInt)]? {
    var found: [(chunk: UInt, size: UInt)] = []
    for bin in 0..<binCount {
      guard let chunk = word(arena + listsOffset + bin * 8) else { return nil }
      if chunk == 0 { continue }
      let size = (bin + 2) * 16
      guard isChunk(chunk, size, word) else { return nil }
      found.append((chunk, size))
    }
    return found
  }

  private static func isChunk(_ chunk: UInt, _ size: UInt, _ word: (UInt) -> UInt?) -> Bool {
    guard chunk % 16 == 0, chunk > 4096, let own = word(chunk + 8) else { return false }
    return kvos_chunk_size(own) == size
  }

  private mutating func follow(_ list: (chunk: UInt, size: UInt), _ word: (UInt) -> UInt?) {
    var chunk = list.chunk
    while chunk != 0, starts.count < Self.chunkLimit, Self.isChunk(chunk, list.size, word) {
      let start = chunk + GlibcChunk.headerByteCount
      guard starts.insert(~start).inserted, let hidden = word(start) else { return }
      chunk = hidden ^ start >> 12
    }
  }
}
