internal import CKVORetention
internal import Glibc

/// Memory in which words own nothing: frames of functions that returned, and memory that is free in
/// the allocator.
///
/// Memory of which this is not known counts as in use.
struct UnusedMemory {
  private static let slabLimit: UInt = 256

  private enum State {
    case free
    /// In use by the allocation that begins at this address.
    case allocation(HiddenAddress)
    case unknown
  }

  private let reader: ObjectReader
  private var memory: MemoryMap { reader.memory }
  private let words: CopiedMemory
  private let stacks: ThreadStacks
  /// The word that glibc writes into freed memory that it caches for a thread; 0 if it writes none.
  private let mark: UInt
  /// Nil if the chunks of the heaps are listed, with what is free in them.
  private let fastBins: FastBins?
  /// The first word of a task's slab of memory for frames; 0 if it is not known.
  private let slabMark = kvos_task_slab_mark()

  init(reader: ObjectReader, words: CopiedMemory, stacks: ThreadStacks) {
    self.reader = reader
    self.words = words
    self.stacks = stacks
    mark = ChunkList.freeMark()
    let isListed = reader.targets.chunks?.isComplete == true
    fastBins = isListed ? nil : FastBins(memory: reader.memory) { words.word(at: $0) }
  }

  func contains(_ address: UInt) -> Bool {
    guard let region = memory.region(of: address) else { return true }
    if let start = stacks.frames(in: region) { return address < start }
    if memory.isSanitized, kvos_is_poisoned(address, 8) != 0 { return true }
    guard !region.isImage, !region.isStack else { return false }
    switch state(of: address, in: region) {
    case .free: return true
    case .allocation(let start) where isPastElements(address, of: start.address):
      return true
    case .allocation(let start): return isPastFrames(address, in: start.address)
    case .unknown: return false
    }
  }

  // MARK: Objects

  /// Whether an address is in the unused capacity of an array, dictionary or set, or among the
  /// bytes of a string.
  private func isPastElements(_ address: UInt, of start: UInt) -> Bool {
    guard reader.targets.isObject(start), reader.targets.isStillThere(start),
      let object = UnsafeRawPointer(bitPattern: start), let plan = reader.plan(of: start)
    else { return false }
    switch plan.pointee.kind {
    case .array:
      guard let layout = plan.pointee.element else { return false }
      let count = object.load(fromByteOffset: 16, as: UInt.self)
      let mask = UInt(layout.pointee.alignmentMask)
      return address - start >= (32 + mask) & ~mask + count * UInt(layout.pointee.stride)
    case .dictionary, .set:
      guard let key = plan.pointee.element else { return false }
      let isDictionary = plan.pointee.kind == .dictionary
      let strides = [
        key.pointee.stride, isDictionary ? plan.pointee.value?.pointee.stride ?? 0 : 0,
      ]
      return isInEmptyBucket(address, of: object, isDictionary, strides: strides)
    case .fields:
      guard address - start >= plan.pointee.byteCount, let metadata = plan.pointee.metadata,
        let descriptor = TypeMetadata(metadata).nominal?.descriptor
      else { return false }
      return descriptor.name == "__StringStorage" && descriptor.module == "Swift"
    default: return false
    }
  }

  /// Whether an address is in an empty bucket of a dictionary or set.
  private func isInEmptyBucket(
    _ address: UInt,
    of object: UnsafeRawPointer,
    _ isDictionary: Bool,
    strides: [Int]
  ) -> Bool {
    let scale = object.load(fromByteOffset: 32, as: Int8.self)
    guard scale >= 0, scale < 40 else { return false }
    let bucketCount = UInt(1) << UInt(scale)
    let bits = UInt(bitPattern: object) + (isDictionary ? 64 : 56)
    for (number, stride) in strides.enumerated() where stride > 0 {
      let start = object.load(fromByteOffset: 48 + number * 8, as: UInt.self)
      let bucket = (address &- start) / UInt(stride)
      guard bucket < bucketCount,
        let taken = words.word(at: bits + bucket / 64 * 8)
      else { continue }
      return taken >> (bucket % 64) & 1 == 0
    }
    return false
  }

  // MARK: Tasks

  /// Whether an address in an allocation is after the end of a task's frames.
  ///
  /// A slab is an allocation, or the first slab of a task, which is part of the task. In other
  /// memory, words that look like a slab are left over from a freed one.
  private func isPastFrames(_ address: UInt, in start: UInt) -> Bool {
    guard slabMark != 0 else { return false }
    let aligned = address & ~15
    guard aligned > Self.slabLimit * 16,
      let slab = words.address(
        of: slabMark,
        from: aligned - 32,
        downTo: aligned - Self.slabLimit * 16
      ), slab == start || isTask(start),
      let counts = words.word(at: slab + 16)
    else { return false }
    let (capacity, used) = (counts & 0xffff_ffff, counts >> 32)
    let offset = address - slab - UInt(KVOS_TASK_SLAB_START)
    return offset < capacity && used <= capacity && offset >= used
  }

  private func isTask(_ start: UInt) -> Bool {
    reader.targets.isObject(start) && reader.targets.isStillThere(start)
      && reader.plan(of: start)?.pointee.kind == .task
  }

  // MARK: The allocator's memory

  private func state(of address: UInt, in region: MemoryMap.Region) -> State {
    var (allocated, byteCount): (UInt, UInt) = (0, 0)
    switch kvos_sanitizer_allocation(address, &allocated, &byteCount) {
    case 1: return .allocation(HiddenAddress(allocated))
    case 0: return .unknown
    default: break
    }
    switch reader.targets.chunks?.chunk(containing: address) {
    case .inUse(let start, _): return .allocation(HiddenAddress(start))
    case .free: return .free
    case .unlisted, nil: break
    }
    let aligned = address & ~15
    let first = max(region.start + 16, aligned - min(aligned, (Allocation.farthest - 1) * 16))
    var next = aligned
    while let start = words.startOfChunk(reaching: address, from: next, downTo: first) {
      next = start - 16
      guard let own = chunk(at: start, in: region) else { continue }
      let end = start - GlibcChunk.headerByteCount + own.size
      // The last chunk of a heap is not allocated yet.
      if end == region.end { return .free }
      guard let following = chunk(at: end + GlibcChunk.headerByteCount, in: region)
      else { continue }
      // The next chunk says that this one is free, and repeats its size.
      if !following.isPreviousInUse {
        if words.word(at: end) == own.size { return .free }
        continue
      }
      let isFree =
        (mark != 0 && words.word(at: start + 8) == mark) || fastBins?.contains(start) == true
      return isFree ? .free : .allocation(HiddenAddress(start))
    }
    return .unknown
  }

  private func chunk(at address: UInt, in region: MemoryMap.Region) -> GlibcChunk? {
    guard let word = words.word(at: address - 8) else { return nil }
    let room = region.end &- (address - GlibcChunk.headerByteCount)
    return GlibcChunk(word: word, room: room).flatMap { $0.isPaged ? nil : $0 }
  }
}
