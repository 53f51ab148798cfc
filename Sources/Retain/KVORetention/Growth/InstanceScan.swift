internal import CKVORetention
internal import Glibc

/// Finds the live instances of some classes in the memory of this process, whether they are
/// reachable or not.
///
/// An address counts as that of an instance if all of these are true, checked in this order:
/// 1. The word at the address, a multiple of 16, is the address of the class's metadata, or of a
///    subclass's.
/// 2. The next word has the reference counts of a living object that is not being destroyed. Freed
///    memory has other words there, or the flag for that.
/// 3. The allocator's word before the address says that the memory has room for an instance.
/// 4. AddressSanitizer, if it is active, does not say otherwise.
///
/// Memory is read from copies, piece by piece, so that a concurrent unmapping causes no fault.
/// Copies of objects must not be counted: the scan skips its own copy, clears it at the end, and no
/// other scan runs at the same time. The copy is at 8 bytes after a multiple of 16, so that other
/// code that searches for objects finds none in it.
struct InstanceScan {
  static let pieceByteCount = 1 << 20

  /// The size of an instance of each class to find, by the complement of its metadata: a table with
  /// the word itself could look like an object.
  private let classes: [UInt: UInt]
  private let memory: MemoryMap
  private let memoryCopy: MemoryCopy
  private let check: MetadataCheck

  init(of classes: [any AnyObject.Type], memory: MemoryMap, copy: MemoryCopy) {
    self.init(
      sizes: classes.map {
        (UInt(bitPattern: TypeMetadata($0).pointer), Self.instanceSize(of: $0))
      },
      memory: memory,
      copy: copy
    )
  }

  /// A scan for objects with some metadata.
  ///
  /// - Parameters:
  ///   - sizes: the metadata of the objects, and the size that they have at least.
  ///   - memory: the memory that can be read.
  ///   - copy: copies it.
  init(sizes: [(metadata: UInt, byteCount: UInt)], memory: MemoryMap, copy: MemoryCopy) {
    classes = Dictionary(
      sizes.map { (~$0.metadata, $0.byteCount) },
      uniquingKeysWith: { first, _ in first }
    )
    self.memory = memory
    memoryCopy = copy
    check = MetadataCheck(memory: memory)
  }

  /// The addresses of the instances, by the complement of the metadata.
  ///
  /// - Complexity: O(bytes) of the process's writable memory.
  func instances() -> [UInt: [UInt]] {
    var instances: [UInt: [UInt]] = [:]
    var known = KnownWords(sizes: classes)
    withUnsafeTemporaryAllocation(byteCount: 8 + Self.pieceByteCount, alignment: 16) { piece in
      guard let copy = piece.baseAddress.map({ $0 + 8 }) else { return }
      for region in memory.regions
      where region.isWritable && !region.isImage && !region.isReservation {
        let whole = region.start..<region.end
        for range in Self.ranges(of: whole, without: UInt(bitPattern: copy)) {
          scan(range, copy, &known, &instances)
        }
      }
      memset(copy, 0, Self.pieceByteCount)
    }
    return instances
  }

  /// The parts of a region before and after the copy.
  ///
  /// A heap may have grown for the copy after the regions were listed: then its region ends inside
  /// the copy.
  static func ranges(of region: Range<UInt>, without copy: UInt) -> [Range<UInt>] {
    let start = copy - 8
    // The first address that is examined is the second of a range.
    let end = copy + 8 + UInt(pieceByteCount) - 16
    guard start < region.upperBound, end > region.lowerBound else { return [region] }
    return [
      region.lowerBound..<max(start, region.lowerBound),
      min(end, region.upperBound)..<region.upperBound,
    ].filter { !$0.isEmpty }
  }

  private func scan(
    _ range: Range<UInt>,
    _ copy: UnsafeMutableRawPointer,
    _ known: inout KnownWords,
    _ instances: inout [UInt: [UInt]]
  ) {
    var start = range.lowerBound
    while start < range.upperBound {
      let count = min(Int(range.upperBound - start), Self.pieceByteCount)
      let copied = memoryCopy.copy(start, to: copy, count)
      // The word before the first address is in the previous piece.
      var offset = kvos_next_object(copy, copied, 16)
      while offset < copied {
        let word = copy.load(fromByteOffset: offset, as: UInt.self)
        if let size = size(of: word, &known), size > 0 {
          let address = start + UInt(offset)
          let preceding = copy.load(fromByteOffset: offset - 8, as: UInt.self)
          if isAllocated(address, preceding, size) { instances[~word, default: []].append(address) }
        }
        offset = kvos_next_object(copy, copied, offset + 16)
      }
      start = Self.next(after: start, copied, of: count)
    }
  }

  /// The start of the next piece if `copied` of the `count` bytes at `start` could be copied.
  private static func next(after start: UInt, _ copied: Int, of count: Int) -> UInt {
    // Its first address is the last of this piece.
    if copied == count { return start + UInt(count == pieceByteCount ? count - 16 : count) }
    // Memory was unmapped during the scan.
    return copied == 0 ? start + UInt(count) : MemoryMap.nextPage(start + UInt(copied))
  }

  /// The size of instances of the class with this metadata, 0 if the class is not searched for, nil
  /// if the word is not a class.
  private func size(of metadata: UInt, _ known: inout KnownWords) -> UInt? {
    if let size = known.sizes[~metadata] { return size }
    guard !known.isRefused(metadata) else { return nil }
    guard let record = classRecord(at: metadata) else {
      known.refuse(metadata)
      return nil
    }
    let size = isMeant(record) ? UInt(record.instanceSize) : 0
    known.sizes[~metadata] = size
    return size
  }

  /// A cache of the results for words, because each check costs a system call.
  ///
  /// It stores complements, so that none of its words looks like one that is searched for.
  private struct KnownWords {
    private static let capacity = 1 << 14

    /// The size of an instance, by the complement of the metadata; 0 for other classes.
    var sizes: [UInt: UInt]
    /// The complements of words that are not metadata.
    ///
    /// There are many: a new one replaces the previous one in its slot.
    private var refused = [UInt](repeating: 0, count: capacity)

    init(sizes: [UInt: UInt]) { self.sizes = sizes }

    func isRefused(_ word: UInt) -> Bool { refused[Self.slot(of: word)] == ~word }

    mutating func refuse(_ word: UInt) { refused[Self.slot(of: word)] = ~word }

    private static func slot(of word: UInt) -> Int {
      Int(truncatingIfNeeded: word >> 3) & (capacity - 1)
    }
  }

  /// The class record at an address, or nil if the memory does not look like one.
  ///
  /// The word may be anything, even the address of a copy of a class on another thread's stack. So
  /// a separate copy is checked, which cannot change afterwards.
  private func classRecord(at address: UInt) -> KVOSClassMetadata? {
    guard address > 4096, address & 7 == 0, memory.isMapped(address, 8) else { return nil }
    var record = KVOSClassMetadata()
    let count = MemoryLayout<KVOSClassMetadata>.size
    guard memoryCopy.copy(address, to: &record, count) == count else { return nil }
    return check.isClass(record) ? record : nil
  }

  private func isMeant(_ record: KVOSClassMetadata) -> Bool {
    var superclass = UInt(bitPattern: record.superclass)
    for _ in 0..<256 {
      if classes[~superclass] != nil { return true }
      guard let next = classRecord(at: superclass) else { return false }
      superclass = UInt(bitPattern: next.superclass)
    }
    return false
  }

  private static func instanceSize(of type: any AnyObject.Type) -> UInt {
    UInt(TypeMetadata(type).record(KVOSClassMetadata.self).pointee.instanceSize)
  }

  private func isAllocated(_ address: UInt, _ precedingWord: UInt, _ size: UInt) -> Bool {
    guard let pointer = UnsafeRawPointer(bitPattern: address) else { return false }
    let room = kvos_allocation_size_by_word(pointer, precedingWord)
    return room >= size && memory.isReadable(address, 16)
  }
}
