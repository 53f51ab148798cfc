internal import CKVORetention

/// Opaque bytes, read as words that may be references.
struct OpaqueBytes {
  private let start: UnsafeRawPointer
  private let wordCount: Int

  init(_ start: UnsafeRawPointer, byteCount: Int) {
    // A noncopyable value may begin with a four-byte number: words are aligned to their size.
    let skipped = -Int(bitPattern: start) & 7
    self.start = start + skipped
    wordCount = max(byteCount - skipped, 0) / 8
  }

  /// The bytes of an object after its fields, to the end of its allocation.
  ///
  /// For a key path, the arguments of its subscripts. Nil if the end is not known.
  static func tail(
    of object: UnsafeRawPointer,
    _ plan: HeapPlan,
    memory: MemoryMap
  ) -> [OpaqueBytes]? {
    let address = UInt(bitPattern: object)
    guard memory.isMapped(address - 16, 32), !memory.isInImage(address, 16) else { return nil }
    let end = address + kvos_allocation_size(object)
    let tail = (address + plan.byteCount + 7) & ~7
    guard tail < end, memory.isReadable(address, end - address),
      let start = UnsafeRawPointer(bitPattern: tail)
    else { return nil }
    if plan.kind == .task {
      let end = min(endOfFrames(from: tail, to: end), end)
      return [OpaqueBytes(start, byteCount: Int(end - tail))]
    }
    guard plan.tail == .keyPathArguments else {
      return [OpaqueBytes(start, byteCount: Int(end - tail))]
    }
    let componentsStart = UInt(KeyPathArguments.start)
    guard end - address >= componentsStart else { return nil }
    let header = object.load(fromByteOffset: Int(KVOS_KEY_PATH_HEADER), as: UInt32.self)
    // A key path stores its size; the rest of the allocation is left over from earlier ones.
    let byteCount = min(UInt(header & KVOS_KEY_PATH_SIZE), end - address - componentsStart)
    return KeyPathArguments.ranges(in: object, byteCount: Int(byteCount))
      .map { OpaqueBytes(object + $0.lowerBound, byteCount: $0.count) }
  }

  /// The end of a task's last frame in its first slab of memory for frames, which follows its
  /// fields.
  ///
  /// The memory after it was left by frames that no longer exist.
  private static func endOfFrames(from tail: UInt, to end: UInt) -> UInt {
    let mark = kvos_task_slab_mark()
    let size = UInt(MemoryLayout<KVOSTaskSlab>.size)
    var address = (tail + 15) & ~15
    while mark != 0, address + size <= end, let start = UnsafeRawPointer(bitPattern: address) {
      let slab = start.load(as: KVOSTaskSlab.self)
      if slab.mark == mark, slab.usedByteCount <= slab.capacity {
        return address + UInt(KVOS_TASK_SLAB_START) + UInt(slab.usedByteCount)
      }
      address += 16
    }
    return end
  }

  /// Calls `body` with each address that a word may refer to, until it returns false.
  ///
  /// Enums use bits that references leave free, so each word is passed with these bits and without.
  func forEachCandidate(_ body: (UInt) -> Bool) {
    for index in 0..<wordCount {
      let word = start.load(fromByteOffset: index * 8, as: UInt.self)
      guard Self.forEachCandidate(of: word, body) else { return }
    }
  }

  /// The same for one word; false if `body` returned false.
  @discardableResult
  static func forEachCandidate(of word: UInt, _ body: (UInt) -> Bool) -> Bool {
    guard body(word) else { return false }
    let plain = word & 0x00ff_ffff_ffff_fff8
    return plain == word || body(plain)
  }

  func contains(_ address: UInt) -> Bool {
    var isThere = false
    forEachCandidate { candidate in
      isThere = candidate == address
      return !isThere
    }
    return isThere
  }
}
