internal import CKVORetention

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
struct InstanceScan {
  private static let pieceByteCount = 1 << 20
  /// Mappings beyond that are reservations, such as AddressSanitizer's own.
  private static let regionLimit: UInt = 1 << 36

  private let classes: Set<UInt>
  private let memory: MemoryMap
  private let check: MetadataCheck

  init(of classes: [any AnyObject.Type], memory: MemoryMap) {
    self.classes = Set(classes.map { UInt(bitPattern: TypeMetadata($0).pointer) })
    self.memory = memory
    check = MetadataCheck(memory: memory)
  }

  /// The addresses of the instances, by the metadata of each.
  ///
  /// - Complexity: O(bytes) of the process's writable memory.
  func instances() -> [UInt: [UInt]] {
    var instances: [UInt: [UInt]] = [:]
    // The size of an instance by metadata; 0 for what is none of the classes.
    var sizes = Dictionary(uniqueKeysWithValues: classes.map { ($0, instanceSize(at: $0)) })
    withUnsafeTemporaryAllocation(byteCount: Self.pieceByteCount, alignment: 16) { piece in
      guard let copy = piece.baseAddress else { return }
      for region in memory.regions
      where region.isWritable && !region.isImage && region.end - region.start < Self.regionLimit {
        var start = region.start
        while start < region.end {
          let count = min(Int(region.end - start), Self.pieceByteCount)
          let copied = kvos_copy_memory(start, copy, count)
          // The word in front of the first place is in the piece before.
          var offset = kvos_next_object(copy, copied, 16)
          while offset < copied {
            let word = copy.load(fromByteOffset: offset, as: UInt.self)
            if let size = size(of: word, &sizes), size > 0 {
              let address = start + UInt(offset)
              let front = copy.load(fromByteOffset: offset - 8, as: UInt.self)
              if isAllocated(address, front, size) { instances[word, default: []].append(address) }
            }
            offset = kvos_next_object(copy, copied, offset + 16)
          }
          // So that its first place is the last of this one.
          start += UInt(count == Self.pieceByteCount ? count - 16 : count)
        }
      }
    }
    return instances
  }

  /// The size of instances of the class with this metadata; 0 where it is none of those that are meant.
  private func size(of metadata: UInt, _ sizes: inout [UInt: UInt]) -> UInt? {
    if let size = sizes[metadata] { return size }
    // Not remembered: words that are no metadata are many.
    guard mayBeClass(metadata), check.heapMetadata(at: metadata) != nil else { return nil }
    let size = isMeant(metadata) ? instanceSize(at: metadata) : 0
    sizes[metadata] = size
    return size
  }

  /// Whether a word leads to what looks like a class, which nobody unmaps: the word may be anything, so
  /// that this is asked of a copy, too.
  private func mayBeClass(_ address: UInt) -> Bool {
    guard address > 4096, address & 7 == 0, memory.isMapped(address, 8) else { return false }
    var record = KVOSClassMetadata()
    let count = MemoryLayout<KVOSClassMetadata>.size
    guard kvos_copy_memory(address, &record, count) == count, let descriptor = record.descriptor
    else { return false }
    return memory.isInImage(
      UInt(bitPattern: descriptor),
      UInt(MemoryLayout<KVOSClassDescriptor>.size)
    )
  }

  private func isMeant(_ metadata: UInt) -> Bool {
    var next = UnsafeRawPointer(bitPattern: metadata)
    for _ in 0..<256 {
      guard let pointer = next, TypeMetadata(pointer).kind == .class else { return false }
      if classes.contains(UInt(bitPattern: pointer)) { return true }
      next = TypeMetadata(pointer).record(KVOSClassMetadata.self).pointee.superclass
    }
    return false
  }

  private func instanceSize(at metadata: UInt) -> UInt {
    guard let pointer = UnsafeRawPointer(bitPattern: metadata) else { return 0 }
    return UInt(TypeMetadata(pointer).record(KVOSClassMetadata.self).pointee.instanceSize)
  }

  private func isAllocated(_ address: UInt, _ wordInFront: UInt, _ size: UInt) -> Bool {
    guard let pointer = UnsafeRawPointer(bitPattern: address) else { return false }
    let room = kvos_allocation_size_by_word(pointer, wordInFront)
    return room >= size && memory.isReadable(address, 16)
  }
}
