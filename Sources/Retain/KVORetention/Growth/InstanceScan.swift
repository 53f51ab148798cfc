internal import CKVORetention
internal import Glibc

/// Finds the live instances of some classes in the memory of this process, whatever leads to them.
///
/// An instance is taken for one where, in this order:
/// 1. a word at a multiple of 16 is the address of the class's metadata, or of a subclass's;
/// 2. the next word counts references as a living object's does, and is not that of one which is being
///    destroyed: memory that was given back has other words there, or that sign;
/// 3. the allocator's word in front says that the memory has room for an instance;
/// 4. AddressSanitizer, where it is there, does not say otherwise.
///
/// Memory is read as a copy, piece by piece, so that what other threads unmap meanwhile ends nothing.
/// Copies of objects are none: the scan leaves its own copy out, clears it in the end, and no other scan of
/// this room runs meanwhile. It lies 8 bytes beside a multiple of 16, so that who looks for objects from
/// elsewhere finds none in it.
struct InstanceScan {
  static let pieceByteCount = 1 << 20
  /// Mappings beyond that are reservations, such as the sanitizers' own: ThreadSanitizer has three of nearly
  /// 32 GiB, which would be read for minutes.
  private static let regionLimit: UInt = 1 << 34

  /// The size of an instance of each class that is meant, by the complement of its metadata: a table that
  /// has the word itself may look like an object.
  private let classes: [UInt: UInt]
  private let memory: MemoryMap
  private let memoryCopy: MemoryCopy
  private let check: MetadataCheck

  init(of classes: [any AnyObject.Type], memory: MemoryMap, copy: MemoryCopy) {
    self.classes = Dictionary(
      classes.map { (~UInt(bitPattern: TypeMetadata($0).pointer), Self.instanceSize(of: $0)) },
      uniquingKeysWith: { first, _ in first }
    )
    self.memory = memory
    memoryCopy = copy
    check = MetadataCheck(memory: memory)
  }

  /// The addresses of the instances, by the complement of the metadata of each.
  ///
  /// - Complexity: O(bytes) of the process's writable memory.
  func instances() -> [UInt: [UInt]] {
    var instances: [UInt: [UInt]] = [:]
    var known = KnownWords(sizes: classes)
    withUnsafeTemporaryAllocation(byteCount: 8 + Self.pieceByteCount, alignment: 16) { piece in
      guard let copy = piece.baseAddress.map({ $0 + 8 }) else { return }
      for region in memory.regions
      where region.isWritable && !region.isImage && region.end - region.start < Self.regionLimit {
        let whole = region.start..<region.end
        for range in Self.ranges(of: whole, without: UInt(bitPattern: copy)) {
          scan(range, copy, &known, &instances)
        }
      }
      memset(copy, 0, Self.pieceByteCount)
    }
    return instances
  }

  /// What there is of a region in front of the copy and behind it.
  ///
  /// A heap may have grown for the copy after the regions were asked for: then its region ends inside.
  static func ranges(of region: Range<UInt>, without copy: UInt) -> [Range<UInt>] {
    let start = copy - 8
    // The first address that is looked at is the second of a range.
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
      // The word in front of the first address is in the piece before.
      var offset = kvos_next_object(copy, copied, 16)
      while offset < copied {
        let word = copy.load(fromByteOffset: offset, as: UInt.self)
        if let size = size(of: word, &known), size > 0 {
          let address = start + UInt(offset)
          let front = copy.load(fromByteOffset: offset - 8, as: UInt.self)
          if isAllocated(address, front, size) { instances[~word, default: []].append(address) }
        }
        offset = kvos_next_object(copy, copied, offset + 16)
      }
      start = Self.next(behind: start, copied, of: count)
    }
  }

  /// Where to go on when `copied` of the `count` bytes from `start` on could be copied.
  private static func next(behind start: UInt, _ copied: Int, of count: Int) -> UInt {
    // So that its first address is the last of this one.
    if copied == count { return start + UInt(count == pieceByteCount ? count - 16 : count) }
    // Something was unmapped meanwhile. What lies behind its first page may be there.
    return copied == 0 ? start + UInt(count) : (start + UInt(copied) + 4096) & ~4095
  }

  /// The size of instances of the class with this metadata, 0 where it is none of those that are meant,
  /// nil where it is no class.
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

  /// What words were found to be: to ask again costs a call of the kernel.
  ///
  /// Keeps complements, so that no word of its own looks like what is being looked for.
  private struct KnownWords {
    private static let capacity = 1 << 14

    /// The size of an instance, by the complement of the metadata; 0 for what is none of the classes.
    var sizes: [UInt: UInt]
    /// The complements of words that are no metadata.
    ///
    /// Those are many: a new one replaces the one that was there.
    private var refused = [UInt](repeating: 0, count: capacity)

    init(sizes: [UInt: UInt]) { self.sizes = sizes }

    func isRefused(_ word: UInt) -> Bool { refused[Self.slot(of: word)] == ~word }

    mutating func refuse(_ word: UInt) { refused[Self.slot(of: word)] = ~word }

    private static func slot(of word: UInt) -> Int {
      Int(truncatingIfNeeded: word >> 3) & (capacity - 1)
    }
  }

  /// What a word leads to, if that looks like a class.
  ///
  /// The word may be anything, also the address of a class's copy on the stack of whoever reads one: it
  /// is judged by a copy of its own, which stays as it was judged.
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

  private func isAllocated(_ address: UInt, _ wordInFront: UInt, _ size: UInt) -> Bool {
    guard let pointer = UnsafeRawPointer(bitPattern: address) else { return false }
    let room = kvos_allocation_size_by_word(pointer, wordInFront)
    return room >= size && memory.isReadable(address, 16)
  }
}
