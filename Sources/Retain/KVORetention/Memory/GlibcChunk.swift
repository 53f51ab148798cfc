internal import CKVORetention

/// The header of a glibc chunk; the allocation follows `headerByteCount` bytes after its start.
struct GlibcChunk {
  static let headerByteCount = KVOS_CHUNK_HEADER
  /// The number of addresses that glibc reserves for each heap of an arena other than the main one.
  static let arenaHeapByteCount = KVOS_ARENA_HEAP

  private let word: UInt

  /// Returns nil if no chunk can have this size field.
  ///
  /// - Parameters:
  ///   - word: the word before the allocation.
  ///   - room: the number of bytes from the start of the chunk to the end of its memory.
  init?(word: UInt, room: UInt) {
    guard word & KVOS_CHUNK_UNUSED_FLAG == 0, kvos_chunk_size(word) >= 16,
      kvos_chunk_size(word) <= room
    else { return nil }
    self.word = word
  }

  /// The size of the chunk in bytes, including the header.
  var size: UInt { kvos_chunk_size(word) }
  /// The size of the allocation in bytes.
  var byteCount: UInt { kvos_chunk_byte_count(word) }
  /// Whether it is large enough for an allocation: the end of a heap has smaller chunks.
  var isAllocation: Bool { size >= KVOS_CHUNK_SMALLEST }
  var isPreviousInUse: Bool { word & KVOS_CHUNK_PREVIOUS_IN_USE != 0 }
  /// Whether the chunk has its own pages.
  var isPaged: Bool { word & KVOS_CHUNK_PAGED != 0 }
  /// Whether the chunk has its own pages, and no other flag.
  var isPagedAlone: Bool { word & 7 == KVOS_CHUNK_PAGED && size % 4096 == 0 }

  /// The used size in bytes of the heap of an arena other than the main one.
  ///
  /// Such a heap begins with the address of its arena, which is at the start of one of these heaps,
  /// the address of the previous heap, and the used size.
  ///
  /// - Parameters:
  ///   - start: the address of the heap.
  ///   - arena: the first word of the heap.
  ///   - used: the third word of the heap.
  /// - Returns: the size, or nil if no such heap begins there.
  static func usedByteCount(ofArenaHeapAt start: UInt, _ arena: UInt?, _ used: UInt?) -> UInt? {
    guard start % arenaHeapByteCount == 0, let arena, let used else { return nil }
    let offset = arena % arenaHeapByteCount
    guard offset > 0, offset < 256, arena > offset, used > 0, used % 4096 == 0,
      used <= arenaHeapByteCount
    else { return nil }
    return used
  }
}
