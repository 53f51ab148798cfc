internal import CKVORetention

/// Bytes that are not understood, taken as words that may be references.
struct OpaqueBytes {
  private let start: UnsafeRawPointer
  private let wordCount: Int

  init(_ start: UnsafeRawPointer, byteCount: Int) {
    // Noncopyable values may begin with a number of four bytes: words lie at multiples of their size.
    let skipped = -Int(bitPattern: start) & 7
    self.start = start + skipped
    wordCount = max(byteCount - skipped, 0) / 8
  }

  /// The bytes of an object behind its fields.
  ///
  /// As far as its allocation goes; of a key path the arguments of its subscripts. Nil where it is not known how far
  /// that is.
  static func behindFields(
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
    // A key path says how large it is; the rest has what earlier allocations left.
    let byteCount = min(UInt(header & KVOS_KEY_PATH_SIZE), end - address - componentsStart)
    return KeyPathArguments.ranges(in: object, byteCount: Int(byteCount))
      .map { OpaqueBytes(object + $0.lowerBound, byteCount: $0.count) }
  }

  /// Where the last frame of a task ends, of the first memory that it takes them from, which is behind its fields.
  ///
  /// What is behind was left by frames that are gone.
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

  /// Calls `body` with what each word may refer to, until it returns false.
  ///
  /// Enums use bits that references leave free: a word counts with them and without.
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
