internal import CKVORetention

/// Collects the words in allocations that may own something, from a copy of the heap.
///
/// For an object that the compiler describes, these are its strong references and the words in its
/// opaque bytes; for any other allocation, all words.
struct OwnedWords: ~Copyable, ReferenceVisitor {
  /// Marks a word in opaque bytes.
  static let raw: UInt = 1

  /// The references, and words with the bit ``raw``.
  private(set) var words = GrowingList<UInt>(apart: 4096)
  /// The label of each word, as an index of the texts of ``labels``.
  private(set) var wordLabels = GrowingList<UInt32>(apart: 4096)
  private(set) var labels: ReferenceLabels
  private let reader: ObjectReader
  private let slabMark = kvos_task_slab_mark()
  /// Whether metadata fully describes what objects own, by the complement of their metadata.
  private var described: [UInt: Bool] = [:]

  /// - Parameter reader: a reader that may read the copy.
  init(reader: ObjectReader) {
    self.reader = reader
    labels = ReferenceLabels(store: reader.store)
  }

  /// Collects the words of an allocation.
  mutating func collect(_ granule: Int, of heap: borrowing HeapCopy) {
    words.count = 0
    wordLabels.count = 0
    let copy = heap.copy(granule)
    let byteCount = Int(heap.byteCount(granule))
    guard heap.state(granule).contains(.isObject), byteCount >= 16,
      let shared = reader.plan(metadata: copy.load(as: UInt.self)), !isDecidedElsewhere(shared),
      let plan = reader.resolved(shared, of: UnsafeRawPointer(copy)), isDescribed(plan),
      plan.pointee.byteCount <= byteCount
    else {
      if !isSideTable(copy, byteCount, at: heap.address(granule), heap) {
        takeFrames(copy, byteCount: byteCount)
      }
      return
    }
    switch plan.pointee.kind {
    case .dictionary, .set: readTable(copy, plan, byteCount, at: heap.address(granule))
    default: reader.read(UnsafeRawPointer(copy), plan, &self)
    }
    takePointers(copy, byteCount: byteCount, heap)
    if plan.pointee.tail != nil {
      let start = Int(plan.pointee.byteCount + 7) & ~7
      take(copy + min(start, byteCount), byteCount: max(byteCount - start, 0))
    }
  }

  /// Reads a hash table in the copy.
  ///
  /// Its pointers to keys and values lead into the original, and are adjusted temporarily.
  private mutating func readTable(
    _ copy: UnsafeMutableRawPointer,
    _ plan: UnsafePointer<HeapPlan>,
    _ byteCount: Int,
    at address: UInt
  ) {
    let isDictionary = plan.pointee.kind == .dictionary
    guard byteCount >= 64 else { return }
    let offsets = isDictionary ? [48, 56] : [48]
    let pointers = offsets.map { copy.load(fromByteOffset: $0, as: UInt.self) }
    // The storage of an empty collection is static.
    guard pointers.allSatisfy({ $0 == 0 || $0 &- address < UInt(byteCount) }) else {
      return take(copy, byteCount: byteCount)
    }
    let distance = UInt(bitPattern: copy) &- address
    for (offset, pointer) in zip(offsets, pointers) where pointer != 0 {
      copy.storeBytes(of: pointer &+ distance, toByteOffset: offset, as: UInt.self)
    }
    reader.read(UnsafeRawPointer(copy), plan, &self)
    for (offset, pointer) in zip(offsets, pointers) {
      copy.storeBytes(of: pointer, toByteOffset: offset, as: UInt.self)
    }
  }

  /// Whether objects that a closure captured say how its context is to be read.
  ///
  /// They are not in the copy of the context, and other threads may have freed them.
  private func isDecidedElsewhere(_ plan: UnsafePointer<HeapPlan>) -> Bool {
    guard plan.pointee.kind == .genericContext, let metadata = plan.pointee.metadata else {
      return false
    }
    let builder = ContextPlanBuilder(store: reader.store, metadata: TypeMetadata(metadata))
    return !builder.isDecidedByBindings
  }

  /// Whether an object's plan covers everything that the object owns.
  ///
  /// For classes of libraries the plan omits some references, and some classes of this package are
  /// read in other ways.
  private mutating func isDescribed(_ plan: UnsafePointer<HeapPlan>) -> Bool {
    switch plan.pointee.kind {
    case .fields, .array, .dictionary, .set, .errorBox: break
    case .genericContext, .asked, .block, .task, .opaque: return false
    }
    guard !plan.pointee.isKnown, let metadata = plan.pointee.metadata else { return false }
    let key = ~UInt(bitPattern: metadata)
    if let known = described[key] { return known }
    let module = TypeMetadata(metadata).nominal?.descriptor.module
    let answer =
      module.map {
        $0 == "Swift" || !(LibraryReferences.modules.contains($0) || $0 == "KVORetention")
      }
      ?? true
    described[key] = answer
    return answer
  }

  /// Whether an allocation is a side table, to which weak references to an object lead.
  private func isSideTable(
    _ copy: UnsafeMutableRawPointer,
    _ byteCount: Int,
    at address: UInt,
    _ heap: borrowing HeapCopy
  ) -> Bool {
    guard byteCount >= 16,
      let object = heap.allocation(containing: copy.load(as: UInt.self)),
      heap.state(object).contains(.isObject)
    else { return false }
    let counts = heap.copy(object).load(fromByteOffset: 8, as: UInt64.self)
    return kvos_is_side_table(counts, address) != 0 || isOfFreedObject(copy, byteCount)
  }

  /// Whether an allocation is what weak references to an object led to that was deallocated: its memory may be that of
  /// another object now.
  ///
  /// Source of the layout and of the counts: stdlib/public/SwiftShims/swift/shims/RefCount.h of swiftlang/swift.
  private func isOfFreedObject(_ copy: UnsafeMutableRawPointer, _ byteCount: Int) -> Bool {
    guard byteCount == 40, copy.load(fromByteOffset: 16, as: UInt64.self) == 1 << 32 | 1 else {
      return false
    }
    let weakCount = copy.load(fromByteOffset: 24, as: UInt32.self)
    return weakCount > 0 && weakCount < 1 << 24
  }

  /// Takes all words except those after the last frame in a task's slab of memory for frames.
  ///
  /// The allocation may be a slab or contain one.
  private mutating func takeFrames(_ bytes: UnsafeMutableRawPointer, byteCount: Int) {
    var (start, offset) = (0, 0)
    let size = MemoryLayout<KVOSTaskSlab>.size
    while slabMark != 0, offset + size <= byteCount {
      let slab = bytes.load(fromByteOffset: offset, as: KVOSTaskSlab.self)
      let frames = offset + Int(KVOS_TASK_SLAB_START)
      if slab.mark == slabMark, slab.usedByteCount <= slab.capacity,
        frames + Int(slab.capacity) <= byteCount
      {
        take(bytes + start, byteCount: frames + Int(slab.usedByteCount) - start)
        start = frames + Int(slab.capacity)
        offset = (start + 15) & ~15
      } else {
        offset += 16
      }
    }
    take(bytes + start, byteCount: byteCount - start)
  }

  private mutating func take(_ bytes: UnsafeMutableRawPointer, byteCount: Int) {
    guard byteCount >= 8 else { return }
    OpaqueBytes(UnsafeRawPointer(bytes), byteCount: byteCount).forEachCandidate { word in
      append(word & ~7 | Self.raw, 0)
      return true
    }
  }

  /// Takes words of a described object that lead to strings, or to allocations that are not
  /// objects.
  ///
  /// Metadata does not describe pointers to values without references, but the memory may have been
  /// bound to other types.
  private mutating func takePointers(
    _ bytes: UnsafeMutableRawPointer,
    byteCount: Int,
    _ heap: borrowing HeapCopy
  ) {
    let (low, high) = (heap.bounds.lowerBound, heap.bounds.upperBound)
    let count = byteCount & ~7
    var offset = kvos_next_address(bytes, count, 16, low, high)
    while offset < count {
      let word = bytes.load(fromByteOffset: offset, as: UInt.self) & 0x00ff_ffff_ffff_fff8
      if let target = heap.allocation(containing: word),
        heap.state(target).contains(.isString) || !heap.state(target).contains(.isObject)
      {
        append(word | Self.raw, 0)
      }
      offset = kvos_next_address(bytes, count, offset + 8, low, high)
    }
  }

  @inline(__always)
  private mutating func append(_ word: UInt, _ label: UInt32) {
    guard word >= 4096 else { return }
    words.append(word)
    wordLabels.append(label)
  }

  // MARK: References

  mutating func reference(_ word: UInt, in slot: UnsafePointer<Slot>) {
    if ReferenceCollector.mayRefer(word) { append(word, labels.label(of: slot)) }
  }

  mutating func closure(context: UInt, code: UInt, in slot: UnsafePointer<Slot>) {
    reference(context, in: slot)
  }

  mutating func kept(_ address: UInt) {
    if ReferenceCollector.mayRefer(address) { append(address, 0) }
  }

  mutating func opaque(
    _ bytes: UnsafeRawPointer,
    byteCount: Int,
    in slot: UnsafePointer<Slot>
  ) {
    take(UnsafeMutableRawPointer(mutating: bytes), byteCount: byteCount)
  }

  mutating func enter(_ slot: UnsafePointer<Slot>) { labels.enter(slot) }
  mutating func enter(element: ElementPosition) { labels.enter(element: element) }
  mutating func leave() { labels.leave() }
}
