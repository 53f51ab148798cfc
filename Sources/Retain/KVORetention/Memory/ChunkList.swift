internal import CKVORetention

/// Lists the chunks of one heap of glibc's allocator, each of which leads to the next one.
///
/// Source: malloc/malloc.c and malloc/arena.c of glibc.
struct ChunkList {
  /// The state of a chunk's memory, stored for its first 16 bytes.
  static let start: UInt8 = 1
  static let free: UInt8 = 2

  /// The addresses of the heap.
  let range: Range<UInt>
  /// For each 16-byte granule of the heap its state: 0 where no chunk's memory begins.
  let states: UnsafeMutablePointer<UInt8>
  /// The word that glibc writes into freed memory that it caches for a thread; 0 if it is not known.
  let mark: UInt
  let copy: MemoryCopy

  private var count: Int { Int(range.upperBound - range.lowerBound) / 16 }

  /// The word that glibc writes into freed memory of any size that it caches for a thread; 0 if it writes none.
  static func freeMark() -> UInt {
    let (first, second) = (kvos_free_mark(40), kvos_free_mark(200))
    return first == second ? first : 0
  }

  /// The heap that grows by `brk`.
  ///
  /// In a copy of the process, what the heap grew by since is a mapping of its own: the kernel does not merge them.
  static func mainHeap(in memory: MemoryMap) -> Range<UInt>? {
    var found: Range<UInt>?
    for region in memory.regions where region.isHeap && region.isWritable {
      guard let first = found, first.upperBound == region.start else {
        if found == nil { found = region.start..<region.end }
        continue
      }
      found = first.lowerBound..<region.end
    }
    return found
  }

  /// Lists the chunks of the heap.
  ///
  /// - Parameter word: the word with an index in the heap; nil if it is not known.
  /// - Returns: the granule of the first chunk's memory; nil if the chunks are not known.
  /// - Complexity: O(n) in the chunks.
  @inline(__always)
  func list(_ word: (Int) -> UInt?) -> Int? {
    // The heap of an arena begins with the data of the arena, in which some words look like the headers of chunks, too:
    // where it ends is tried first.
    let expected = firstInArenaHeap(word).map { $0..<$0 + 1 } ?? 1..<1
    for starts in [expected, 1..<min(256, count)] {
      for start in starts where start < count {
        var listed = 0
        if list(from: start, word, &listed) { return start }
        memset(states, 0, min(listed + 1, count))
      }
    }
    return nil
  }

  /// The granule of the first chunk's memory in the heap of an arena other than the main one, in the known versions of
  /// glibc; nil for another heap.
  private func firstInArenaHeap(_ word: (Int) -> UInt?) -> Int? {
    let arena = word(0)
    guard let arena,
      GlibcChunk.usedByteCount(ofArenaHeapAt: range.lowerBound, arena, word(2)) != nil
    else { return nil }
    // The arena follows what describes its first heap, and each other heap has the same at its start.
    let offset = arena % GlibcChunk.arenaHeapByteCount
    let start = arena - offset == range.lowerBound ? offset + FastBins.arenaByteCount : offset
    return Int((start + 15) / 16) + 1
  }

  /// Returns whether the chunks lead to the end of the heap; `listed` is the last granule with a state.
  @inline(__always)
  private func list(from start: Int, _ word: (Int) -> UInt?, _ listed: inout Int) -> Bool {
    var granule = start
    while granule <= count {
      guard let size = word(granule * 2 - 1) else { return false }
      // The end of a heap that is followed by another one.
      if kvos_chunk_size(size) == 0, granule > start, count - granule <= 2 { return true }
      guard granule < count, let chunk = GlibcChunk(word: size, room: 1 << 40), !chunk.isPaged,
        granule > start || chunk.isPreviousInUse
      else { return granule > start && isEnd(UInt(granule - 1) * 16) }
      let next = granule + Int(chunk.size) / 16
      listed = granule
      guard next <= count else {
        states[granule] = Self.start | Self.free
        return isEnd(UInt(next - 1) * 16)
      }
      guard let second = word(granule * 2 + 1), let following = word(next * 2 - 1) else {
        return false
      }
      let isInUse =
        following & KVOS_CHUNK_PREVIOUS_IN_USE != 0 && (mark == 0 || second != mark)
        && chunk.isAllocation
      states[granule] = isInUse ? Self.start : Self.start | Self.free
      granule = next
    }
    return false
  }

  /// Whether a heap that grew or shrank since its mapping was listed ends at this offset.
  private func isEnd(_ offset: UInt) -> Bool {
    let end = range.lowerBound + offset
    if end == range.upperBound { return true }
    var words: (UInt, UInt, UInt) = (0, 0, 0)
    guard end % 4096 == 0 else { return false }
    if copy.copy(range.lowerBound, to: &words, 24) == 24,
      let used = GlibcChunk.usedByteCount(ofArenaHeapAt: range.lowerBound, words.0, words.2)
    {
      return used == offset
    }
    return copy.copy(end, to: &words, 8) == 0
  }
}
