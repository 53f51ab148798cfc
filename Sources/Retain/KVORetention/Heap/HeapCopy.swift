internal import CKVORetention
internal import Glibc

/// A copy of the memory that glibc's allocator manages, with a list of the allocations in it.
///
/// Memory whose allocations cannot be listed is not copied. The copy is in separate pages, which
/// are mapped after the mappings of the process were listed, so nothing in it looks like the
/// program's memory.
struct HeapCopy: ~Copyable {
  /// The state of an allocation, stored for its first 16 bytes.
  struct State: OptionSet {
    let rawValue: UInt8
    /// A chunk's memory begins here.
    static let isStart = State(rawValue: ChunkList.start)
    /// It is free.
    static let isFree = State(rawValue: ChunkList.free)
    /// It is a living Swift object.
    static let isObject = State(rawValue: 4)
    /// A root leads to it.
    static let isReached = State(rawValue: 8)
    /// It belongs to the search.
    static let isOwn = State(rawValue: 16)
    /// It is an instance of a class that the search does not use itself.
    static let isOfProgram = State(rawValue: 32)
    /// It is the storage of a string, which owns nothing; metadata does not describe references to
    /// it.
    static let isString = State(rawValue: 64)
    /// It changed since it was copied.
    static let isChanged = State(rawValue: 128)
  }

  /// Contiguous memory whose allocations are known.
  struct Segment {
    var range: Range<UInt>
    /// The index of its first 16-byte granule.
    var first: Int
    /// The address of its first allocation.
    var start: UInt
  }

  /// The segments by rising addresses.
  private(set) var segments: [Segment] = []
  private var words: GrowingList<UInt>
  private var states: GrowingList<UInt8>
  private(set) var granuleCount = 0
  /// Whether the allocations of a heap could not be listed, because another thread changed it.
  private(set) var hasUnlisted = false
  /// The maximum number of attempts to copy a heap that another thread changes.
  private static let tryLimit = 8
  /// The range from the first to the last copied byte.
  private(set) var bounds: Range<UInt> = 0..<0

  /// Copies the heaps among some mappings.
  ///
  /// - Parameters:
  ///   - memory: the mappings.
  ///   - copy: copies memory.
  ///   - objects: the state of an allocation that begins with two words, if it is an object.
  init(of memory: MemoryMap, _ copy: MemoryCopy, objects: (UInt, UInt) -> State) {
    let found = Self.ranges(in: memory, copy) { !objects($0, $1).isEmpty }
    let granules = found.reduce(0) { $0 + Int($1.range.upperBound - $1.range.lowerBound) / 16 }
    words = GrowingList(apart: max(granules, 1) * 2)
    states = GrowingList(apart: max(granules, 1))
    let present = PresentPages()
    let copies = CopiedMemory(effort: .max)
    let fastBins = FastBins(memory: memory) { copies.word(at: $0) }
    let mark = ChunkList.freeMark()
    for (range, isPaged) in found {
      var isListed: Int?
      for _ in 0..<Self.tryLimit where isListed == nil {
        fill(granuleCount, range, copy, present)
        let list = ChunkList(
          range: range,
          states: states.start + granuleCount,
          mark: mark,
          copy: copy
        )
        let bytes = words.start + granuleCount * 2
        isListed = isPaged ? listPaged(at: granuleCount) : list.list { bytes[$0] }
      }
      guard let start = isListed else {
        hasUnlisted = true
        continue
      }
      segments.append(
        Segment(range: range, first: granuleCount, start: range.lowerBound + UInt(start) * 16)
      )
      granuleCount += Int(range.upperBound - range.lowerBound) / 16
    }
    if let first = segments.first, let last = segments.last {
      bounds = first.range.lowerBound..<last.range.upperBound
    }
    var granule = nextStart(from: 0)
    while let start = granule {
      let word = start * 2
      if fastBins.contains(address(start)) { insert(.isFree, at: start) }
      if state(start).isDisjoint(with: .isFree) {
        insert(objects(words.start[word], words.start[word + 1]), at: start)
      }
      granule = nextStart(from: start + 1)
    }
  }

  // MARK: Allocations

  func state(_ granule: Int) -> State { State(rawValue: states.start[granule]) }

  func insert(_ state: State, at granule: Int) { states.start[granule] |= state.rawValue }

  /// The first allocation, free or not, that begins at a granule or after it.
  func nextStart(from first: Int) -> Int? {
    let next = kvos_next_nonzero(states.start, granuleCount, first)
    return next < granuleCount ? next : nil
  }

  /// The allocation in use that contains an address, or nil.
  func allocation(containing address: UInt) -> Int? {
    guard let segment = segment(of: address) else { return nil }
    let first = segment.first
    let offset = first + Int(address - segment.range.lowerBound) / 16
    let granule = kvos_last_nonzero(states.start, offset, first)
    guard state(granule).contains(.isStart), state(granule).isDisjoint(with: .isFree) else {
      return nil
    }
    let distance = UInt(offset - granule) * 16 + address % 16
    return distance < byteCount(granule) ? granule : nil
  }

  /// Whether an address is that of a chunk's header, which is not memory of the program.
  func isHeader(_ address: UInt) -> Bool {
    guard address % 16 == 0, let segment = segment(of: address + GlibcChunk.headerByteCount) else {
      return false
    }
    let granule = segment.first + Int(address + 16 - segment.range.lowerBound) / 16
    return states.start[granule] != 0
  }

  func address(_ granule: Int) -> UInt {
    var (low, high) = (0, segments.count - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if segments[middle].first <= granule { low = middle } else { high = middle - 1 }
    }
    return segments[low].range.lowerBound + UInt(granule - segments[low].first) * 16
  }

  /// The size of an allocation in bytes.
  func byteCount(_ granule: Int) -> UInt {
    min(
      GlibcChunk(word: words.start[granule * 2 - 1], room: .max)?.byteCount ?? 0,
      UInt(granuleCount - granule) * 16
    )
  }

  /// The copy of an allocation.
  func copy(_ granule: Int) -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(words.start + granule * 2)
  }

  /// The whole copy as a mapping.
  var region: MemoryMap.Region {
    let start = UInt(bitPattern: words.start)
    return MemoryMap.Region(
      start: start,
      end: start + UInt(granuleCount) * 16,
      isImage: false,
      isExecutable: false
    )
  }

  func segment(of address: UInt) -> Segment? {
    guard bounds.contains(address) else { return nil }
    var (low, high) = (0, segments.count - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if segments[middle].range.lowerBound <= address { low = middle } else { high = middle - 1 }
    }
    return segments[low].range.contains(address) ? segments[low] : nil
  }

  // MARK: Creating the copy

  private static func ranges(
    in memory: MemoryMap,
    _ copy: MemoryCopy,
    isObject: (UInt, UInt) -> Bool
  ) -> [(range: Range<UInt>, isPaged: Bool)] {
    let present = PresentPages()
    let piece = GrowingList<UInt>(apart: PresentPages.pageLimit * 512)
    var found: [(range: Range<UInt>, isPaged: Bool)] = []
    if let heap = ChunkList.mainHeap(in: memory) { found.append((heap, false)) }
    for region in memory.regions where region.isWritable {
      guard region.isAnonymous, !region.isImage, !region.isStatic,
        !region.isReservation
      else { continue }
      let step = UInt(PresentPages.pageLimit) << 12
      var start = region.start
      var next = region.start
      while start < region.end {
        for run in present.runs(in: start..<min(start + step, region.end))
        where run.upperBound > next {
          let count = copy.copy(
            run.lowerBound,
            to: piece.start,
            Int(run.upperBound - run.lowerBound)
          )
          var address = max(run.lowerBound, next)
          while Int(address - run.lowerBound) + 4096 <= count {
            let words = piece.start + Int(address - run.lowerBound) / 8
            if let heap = Self.range(at: address, words, in: region, isObject) {
              found.append(heap)
              next = heap.range.upperBound
              guard next < run.upperBound else { break }
              address = next
            } else {
              address += 4096
            }
          }
        }
        start = max(start + step, next & ~(step - 1))
      }
    }
    return found.sorted { $0.range.lowerBound < $1.range.lowerBound }
  }

  /// The heap of an arena, or a chunk with its own pages that contains an object, at the start of a
  /// page; nil for other memory.
  ///
  /// Without an object, the words of such a chunk could be arbitrary data.
  private static func range(
    at address: UInt,
    _ words: UnsafePointer<UInt>,
    in region: MemoryMap.Region,
    _ isObject: (UInt, UInt) -> Bool
  ) -> (range: Range<UInt>, isPaged: Bool)? {
    // The heap may have grown since the mappings were listed.
    if let used = GlibcChunk.usedByteCount(ofArenaHeapAt: address, words[0], words[2]) {
      return (address..<address + used, false)
    }
    let room = region.end - address
    guard words[0] == 0, let chunk = GlibcChunk(word: words[1], room: room), chunk.isPagedAlone,
      isObject(words[2], words[3])
    else { return nil }
    return (address..<address + chunk.size, true)
  }

  private func fill(
    _ first: Int,
    _ range: Range<UInt>,
    _ copy: MemoryCopy,
    _ present: PresentPages
  ) {
    let step = UInt(PresentPages.pageLimit) << 12
    var start = range.lowerBound
    while start < range.upperBound {
      let end = min(start + step, range.upperBound)
      for run in present.runs(in: start..<end) {
        let target = words.start + (first * 2 + Int(run.lowerBound - range.lowerBound) / 8)
        _ = copy.copy(run.lowerBound, to: target, Int(run.upperBound - run.lowerBound))
      }
      start = end
    }
  }

  /// Marks the allocations that are not as they were copied.
  ///
  /// All others were the same at one moment, which is after the last byte was copied and before the first is compared:
  /// unless something was changed and changed back meanwhile.
  ///
  /// - Complexity: O(bytes).
  func markChanged(_ copy: MemoryCopy) {
    let step = PresentPages.pageLimit << 12
    let piece = GrowingList<UInt>(apart: step / 8)
    let present = PresentPages()
    for segment in segments {
      var start = segment.range.lowerBound
      while start < segment.range.upperBound {
        let end = min(start + UInt(step), segment.range.upperBound)
        for run in present.runs(in: start..<end) {
          let count = Int(run.upperBound - run.lowerBound)
          let copied = copy.copy(run.lowerBound, to: piece.start, count)
          markChanged(run.lowerBound, piece.start, copied, segment)
        }
        start = end
      }
    }
  }

  private func markChanged(
    _ address: UInt,
    _ bytes: UnsafePointer<UInt>,
    _ count: Int,
    _ segment: Segment
  ) {
    let first = segment.first + Int(address - segment.range.lowerBound) / 16
    var offset = 0
    while offset + 4096 <= count {
      let granule = first + offset / 16
      if memcmp(words.start + granule * 2, bytes + offset / 8, 4096) != 0 {
        for number in 0..<256
        where memcmp(words.start + (granule + number) * 2, bytes + offset / 8 + number * 2, 16) != 0
        {
          let start = kvos_last_nonzero(states.start, granule + number, segment.first)
          if states.start[start] != 0 { insert(.isChanged, at: start) }
        }
      }
      offset += 4096
    }
  }

  /// Lists the only allocation of a segment, and returns its index in the segment.
  private func listPaged(at first: Int) -> Int? {
    states.start[first + 1] = State.isStart.rawValue
    return 1
  }
}
