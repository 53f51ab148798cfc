internal import CKVORetention

/// The chunks of glibc's heaps at a moment at which no other thread could change them.
///
/// What is free for the allocator is free here, too, including what it keeps for the next allocations of its size. The
/// chunks are certain, unlike what ``Allocation`` guesses from the words before an address: memory in use may contain
/// what looks like the headers of chunks, left over from earlier ones.
///
/// Used by one search, on its thread only. The search itself allocates and frees memory in the meantime, but what the
/// program had in use stays what it was.
///
/// - `heaps`: by rising addresses.
/// - `states`: for each 16-byte granule of the heaps its state, as ``ChunkList`` stores it.
final class HeapChunks {
  enum Chunk {
    /// An allocation's memory contains the address.
    case inUse(start: UInt, byteCount: UInt)
    /// The allocator has the memory, or the address is in a chunk's header.
    case free
    /// The address is in no heap whose chunks are known.
    case unlisted
  }

  private struct Heap {
    var range: Range<UInt>
    /// The index of its first granule.
    var first: Int
  }

  /// The chunks of larger heaps are not listed: it would take as much memory as a sixteenth of them, and too long.
  private static let byteLimit: UInt = 1 << 30

  private var heaps: [Heap] = []
  private let states: GrowingList<UInt8>
  /// Whether the chunks of all heaps are known.
  private(set) var isComplete = false

  /// Lists the chunks; returns nil if another thread exists, or the allocator is not glibc's.
  ///
  /// - Complexity: O(bytes) of the heaps.
  init?(in memory: MemoryMap) {
    guard ThreadStacks.isOnlyThread(), kvos_is_glibc_heap() != 0, let copy = MemoryCopy() else {
      return nil
    }
    let ranges = Self.ranges(in: memory, copy)
    let byteCount = ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) }
    guard byteCount > 0, byteCount <= Self.byteLimit else { return nil }
    states = GrowingList(apart: Int(byteCount) / 16)
    heaps.reserveCapacity(ranges.count)
    let mark = ChunkList.freeMark()
    var piece = Piece(copy: copy)
    let fastLists = FastBins.lists(in: memory) { piece.word(at: $0) }
    // Nothing is allocated from here on.
    var first = 0
    for range in ranges {
      let list = ChunkList(range: range, states: states.start + first, mark: mark, copy: copy)
      if list.list({ piece.word(at: range.lowerBound + UInt($0) * 8) }) != nil {
        heaps.append(Heap(range: range, first: first))
      }
      first += Int(range.upperBound - range.lowerBound) / 16
    }
    isComplete = heaps.count == ranges.count
    for list in fastLists { markFree(list) }
  }

  /// The chunk that contains an address.
  ///
  /// - Complexity: O(log n) in the heaps, and O(bytes) to the start of the chunk.
  func chunk(containing address: UInt) -> Chunk {
    guard let heap = heap(of: address) else { return .unlisted }
    let granule = granule(of: address, in: heap)
    let start = kvos_last_nonzero(states.start, granule, heap.first)
    let state = states[start]
    // Before the first chunk are an arena's own variables.
    guard state & ChunkList.start != 0, state & ChunkList.free == 0 else { return .free }
    let last = heap.first + Int(heap.range.upperBound - heap.range.lowerBound) / 16
    let next = kvos_next_nonzero(states.start, last, start + 1)
    let memory = heap.range.lowerBound + UInt(start - heap.first) * 16
    // The first word of the next chunk belongs to this one while it is in use.
    let byteCount = UInt(next - start) * 16 - 8
    return address - memory < byteCount ? .inUse(start: memory, byteCount: byteCount) : .free
  }

  /// Marks the chunks that the allocator keeps for the next allocations of their size: they look as if in use.
  private func markFree(_ list: FastBins.List) {
    var chunk = list.firstChunk
    while true {
      let start = chunk + GlibcChunk.headerByteCount
      guard let heap = heap(of: start), start % 16 == 0 else { return }
      let granule = granule(of: start, in: heap)
      // What is marked already would lead around in a circle.
      guard states[granule] == ChunkList.start, let words = UnsafePointer<UInt>(bitPattern: start)
      else { return }
      states[granule] |= ChunkList.free
      chunk = FastBins.chunk(after: chunk, words[0])
    }
  }

  private func granule(of address: UInt, in heap: Heap) -> Int {
    heap.first + Int(address - heap.range.lowerBound) / 16
  }

  private func heap(of address: UInt) -> Heap? {
    var (low, high) = (0, heaps.count)
    while low < high {
      let middle = (low + high) / 2
      if heaps[middle].range.upperBound <= address { low = middle + 1 } else { high = middle }
    }
    return low < heaps.count && heaps[low].range.contains(address) ? heaps[low] : nil
  }

  private static func ranges(in memory: MemoryMap, _ copy: MemoryCopy) -> [Range<UInt>] {
    var ranges: [Range<UInt>] = []
    for region in memory.regions where region.isAnonymous && region.isWritable {
      let step = GlibcChunk.arenaHeapByteCount
      let first = (region.start + step - 1) & ~(step - 1)
      for start in stride(from: first, to: region.end, by: Int(step)) {
        var words: (UInt, UInt, UInt) = (0, 0, 0)
        guard copy.copy(start, to: &words, 24) == 24,
          let used = GlibcChunk.usedByteCount(ofArenaHeapAt: start, words.0, words.2)
        else { continue }
        // In a copy of the process, what it grew by since is a mapping of its own.
        ranges.append(start..<start + used)
      }
    }
    if let heap = ChunkList.mainHeap(in: memory) { ranges.append(heap) }
    return ranges.sorted { $0.lowerBound < $1.lowerBound }
  }
}

/// A few pages of a heap, copied when one of their words is asked for.
private struct Piece: ~Copyable {
  private static let byteCount = 1 << 16

  private let copy: MemoryCopy
  private let words = GrowingList<UInt>(apart: Piece.byteCount / 8)
  private var start: UInt = 0
  private var byteCount: UInt = 0

  init(copy: MemoryCopy) { self.copy = copy }

  /// The word at an address, which is a multiple of 8; nil if it cannot be copied.
  mutating func word(at address: UInt) -> UInt? {
    if address &- start >= byteCount {
      start = address & ~4095
      byteCount = UInt(copy.copy(start, to: words.start, Self.byteCount)) & ~7
      guard address - start < byteCount else { return nil }
    }
    return words[Int(address - start) / 8]
  }
}
