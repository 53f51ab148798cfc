internal import CKVORetention
internal import KVOHeap

/// Reads the words of a process that are roots: globals and statics, the stacks of threads, and all
/// other memory whose allocations are not known.
struct HeapRoots {
  let memory: MemoryMap
  let memoryCopy: MemoryCopy
  let stacks: ThreadStacks
  /// The search's own stack, which is not read.
  let ownStack: Range<UInt>
  /// Where the mapping begins that has the stack of the search's caller.
  let callerStack: UInt?
  let deadline: ContinuousClock.Instant

  /// A word that may lead to an object.
  struct Word {
    var word: UInt
    /// The address of the word; 0 for a register.
    var address: UInt
    var kind: HeapSnapshot.RootKind
  }

  /// Calls `body` with each word that may lead into `heap`.
  ///
  /// - Returns: the gaps, which were not read.
  func forEachWord(
    into heap: borrowing HeapCopy,
    _ body: (Word, borrowing HeapCopy) -> Void
  ) -> HeapSnapshot.Gaps {
    let allocator = memory.region(of: kvos_allocator_variables()).flatMap { $0.isImage ? $0 : nil }
    var gaps: HeapSnapshot.Gaps = []
    for region in memory.regions
    where (region.isWritable || !region.isImage) && !ownStack.contains(region.start) {
      guard !region.isReservation else {
        gaps.insert(.hugeMapping)
        continue
      }
      let kind = kind(of: region)
      let start = stacks.frames(in: region).map { max($0 & ~7, region.start) } ?? region.start
      for range in Self.ranges(of: start..<region.end, without: heap) {
        // Pointers to chunks in the allocator's own data own nothing. They are in the memory of its
        // arenas.
        let isAllocator =
          region.start == allocator?.start || heap.segment(of: range.upperBound) != nil
        let isWhole = read(range, kind, into: heap) { word, heap in
          if !(isAllocator && heap.isHeader(word.word)) { body(word, heap) }
        }
        guard isWhole else { return gaps.union(.outOfTime) }
      }
    }
    return gaps
  }

  private func kind(of region: MemoryMap.Region) -> HeapSnapshot.RootKind {
    if region.start == callerStack { return .stack }
    if region.isStack || stacks.frames(in: region) != nil { return .otherStack }
    return region.isImage || region.isStatic ? .global : .memory
  }

  /// The parts of a mapping that are not copied with the heap, including the data before a heap's
  /// first allocation.
  private static func ranges(
    of range: Range<UInt>,
    without heap: borrowing HeapCopy
  ) -> [Range<UInt>] {
    var ranges: [Range<UInt>] = []
    var start = range.lowerBound
    for segment in heap.segments where segment.range.overlaps(range) {
      let end = segment.start - GlibcChunk.headerByteCount
      if start < end { ranges.append(start..<end) }
      start = segment.range.upperBound
    }
    if start < range.upperBound { ranges.append(start..<range.upperBound) }
    return ranges
  }

  /// Calls `body` with each word in a range that may lead into `heap`; returns false if time ran
  /// out.
  func read(
    _ range: Range<UInt>,
    _ kind: HeapSnapshot.RootKind,
    into heap: borrowing HeapCopy,
    _ body: (Word, borrowing HeapCopy) -> Void
  ) -> Bool {
    let step = PresentPages.pageLimit << 12
    let piece = GrowingList<UInt>(apart: step / 8)
    let present = PresentPages()
    var start = range.lowerBound
    while start < range.upperBound {
      guard ContinuousClock.now < deadline else { return false }
      let end = min(start + UInt(step), range.upperBound)
      for run in present.runs(in: start..<end) {
        let count =
          memoryCopy.copy(
            run.lowerBound,
            to: piece.start,
            Int(run.upperBound - run.lowerBound)
          ) & ~7
        let (low, high) = (heap.bounds.lowerBound, heap.bounds.upperBound)
        var offset = kvos_next_address(piece.start, count, 0, low, high)
        while offset < count {
          let word = piece.start[offset / 8]
          OpaqueBytes.forEachCandidate(of: word) {
            body(Word(word: $0, address: run.lowerBound + UInt(offset), kind: kind), heap)
            return true
          }
          offset = kvos_next_address(piece.start, count, offset + 8, low, high)
        }
      }
      start = end
    }
    return true
  }
}
