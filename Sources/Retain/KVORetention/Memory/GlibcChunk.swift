internal import CKVORetention

/// What glibc keeps in front of an allocation, which begins `headerByteCount` behind it.
struct GlibcChunk {
  static let headerByteCount = KVOS_CHUNK_HEADER
  /// How many addresses glibc reserves for each heap of an arena other than the main one.
  static let arenaHeapByteCount = KVOS_ARENA_HEAP

  private let word: UInt

  /// Nil if no chunk begins with that word.
  ///
  /// - Parameters:
  ///   - word: the word in front of the allocation.
  ///   - room: how many bytes there are from the start of the chunk on.
  init?(word: UInt, room: UInt) {
    guard word & KVOS_CHUNK_UNUSED_FLAG == 0, kvos_chunk_size(word) >= 16,
      kvos_chunk_size(word) <= room
    else { return nil }
    self.word = word
  }

  /// How many bytes the chunk has, with the header.
  var size: UInt { kvos_chunk_size(word) }
  /// How many bytes the allocation has.
  var byteCount: UInt { kvos_chunk_byte_count(word) }
  /// Whether it is large enough for an allocation: the end of a heap has smaller ones.
  var isAllocation: Bool { size >= KVOS_CHUNK_SMALLEST }
  var isPreviousInUse: Bool { word & KVOS_CHUNK_PREVIOUS_IN_USE != 0 }
  /// Whether it has pages of its own.
  var isPaged: Bool { word & KVOS_CHUNK_PAGED != 0 }
  /// Whether it has pages of its own, and no other flag.
  var isPagedAlone: Bool { word & 7 == KVOS_CHUNK_PAGED && size % 4096 == 0 }

  /// How many bytes are used of the heap of an arena other than the main one.
  ///
  /// Such a heap begins with the address of its arena, which is at the start of one of these heaps, that of the
  /// previous heap, and how much of it is used.
  ///
  /// - Parameters:
  ///   - start: the address.
  ///   - arena: the first word there.
  ///   - used: the third word there.
  /// - Returns: the number, or nil if no such heap begins there.
  static func usedByteCount(ofArenaHeapAt start: UInt, _ arena: UInt?, _ used: UInt?) -> UInt? {
    guard start % arenaHeapByteCount == 0, let arena, let used else { return nil }
    let offset = arena % arenaHeapByteCount
    guard offset > 0, offset < 256, arena > offset, used > 0, used % 4096 == 0,
      used <= arenaHeapByteCount
    else { return nil }
    return used
  }
}
