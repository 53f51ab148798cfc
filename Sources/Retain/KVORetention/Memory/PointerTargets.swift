internal import CKVORetention

/// Finds the targets of words that may be pointers.
///
/// Reads copies only. An address counts as that of an object if its first word is the metadata of
/// objects and its second has the reference counts of a living object.
///
/// Used by one search, on its thread only. The results are cached for the search:
/// - `targets`: by the complement of the word, because cached data must not look like the program's
///   references.
/// - `nearWords`: the complements of words for whose allocation only a short distance was searched, in vain.
/// - `allocations`: memory that is not an object, by the complement of its start.
/// - `followed`: the complements of the starts of allocations whose words the current walk has read.
/// - `metadata`: by the complement of a word, whether it is the metadata of objects (1), of values
///   (2) or neither (0).
/// - `witnessTables`: the words that are addresses of conformance descriptors.
/// - `chunks`: the allocations of glibc's heaps.
final class PointerTargets {
  enum Target {
    /// Nothing that the word could own: no memory, memory of the allocator, static memory, a stack, a type, a side
    /// table.
    case nothing
    /// A living object.
    case object(HiddenAddress)
    /// Memory that is not an object.
    case allocation(Allocation)
    /// Memory of unknown bounds.
    case unknown
  }

  /// The maximum number of words that one search reads; this takes a fraction of a second.
  private static let effort = 1_000_000
  /// The maximum length of a chain of allocations without objects that is followed from a declared
  /// pointer.
  static let pointerDepth: UInt8 = 64
  /// The same from opaque bytes, most of which are not pointers.
  static let byteDepth: UInt8 = 3
  /// The maximum distance to search backward for the start of an allocation from such bytes, in
  /// steps of 16 bytes: 4 kilobytes.
  private static let byteSteps: UInt = 256
  /// Larger allocations are not examined.
  private static let allocationLimit: UInt = 4 << 20

  private let store: PlanStore
  private let memory: MemoryMap
  private let words = CopiedMemory(effort: PointerTargets.effort)
  private var targets: [UInt: Target] = [:]
  private var nearWords: Set<UInt> = []
  private var allocations: [UInt: (allocation: Allocation, depth: UInt8)] = [:]
  private var followed: Set<UInt> = []
  /// Whether the current walk ended a chain of allocations at the maximum length.
  private var hasCutChain = false
  /// Whether it read the words of an allocation before it met one from which a longer chain begins there.
  private var hasLongerChain = false
  private var metadata: [UInt: UInt8] = [:]
  private var witnessTables: WitnessTables
  private var latest = Allocation(start: 0, byteCount: 0)
  /// The allocations, if they are known with certainty.
  private(set) lazy var chunks = HeapChunks(in: memory)
  /// The layout of Dispatch queues; nil if it is not known.
  private let queueLayout: KVOSQueueLayout? = {
    var layout = KVOSQueueLayout()
    return kvos_note_queue_layout(&layout) != 0 ? layout : nil
  }()

  init(store: PlanStore, memory: MemoryMap) {
    self.store = store
    self.memory = memory
    witnessTables = WitnessTables(memory: memory, words: words)
  }

  /// Whether nothing can be determined, because this process may not copy its memory.
  var isBlind: Bool { !words.isAvailable }
  /// Whether the effort for one search is spent, so that results are missing.
  var isSpent: Bool { words.effortLeft <= 0 }
  /// Whether a walk must be repeated, which then knows from the start how far chains are followed.
  var needsRepetition: Bool { hasCutChain && hasLongerChain }

  /// Begins a walk, or a repetition.
  func beginWalk() {
    followed.removeAll(keepingCapacity: true)
    (hasCutChain, hasLongerChain) = (false, false)
  }

  // MARK: Words

  /// Whether a word may lead to owned memory.
  ///
  /// Reads nothing there.
  func mayLead(_ word: UInt) -> Bool { ownedRegion(of: word) != nil }

  /// The word at an address now, regardless of earlier copies; nil if it cannot be read.
  func wordNow(at address: UInt) -> UInt? { words.wordNow(at: address) }

  private func ownedRegion(of word: UInt) -> MemoryMap.Region? {
    guard word >= 4096, word < 1 << 47, let region = memory.region(of: word),
      region.isWritable, !region.isImage, !region.isStack, !region.isStatic
    else { return nil }
    return region
  }

  /// - Parameters:
  ///   - word: a word that may be a pointer.
  ///   - depth: the maximum length of a chain of allocations without objects that is followed from
  ///     there.
  /// - Returns: the target according to copies.
  func target(of word: UInt, depth: UInt8) -> Target {
    guard let region = ownedRegion(of: word) else { return .nothing }
    let isFar = depth > Self.byteDepth
    let target: Target
    if let known = targets[~word], !(isFar && nearWords.remove(~word) != nil) {
      target = known
    } else {
      target = self.target(
        of: word,
        in: region,
        stepLimit: isFar ? Allocation.farthest : Self.byteSteps
      )
      targets[~word] = target
      if case .unknown = target, !isFar { nearWords.insert(~word) }
    }
    if case .allocation(let found) = target {
      guard depth > 0 else {
        hasCutChain = true
        return .nothing
      }
      let before = allocations[~found.start]?.depth ?? 0
      if before < depth - 1, followed.contains(~found.start) { hasLongerChain = true }
      allocations[~found.start] = (found, max(depth - 1, before))
    }
    return target
  }

  private func target(
    of word: UInt,
    in region: MemoryMap.Region,
    stepLimit: UInt
  ) -> Target {
    if isObject(word) { return .object(HiddenAddress(word)) }
    if word & 7 == 0, kind(ofMetadata: word) != 0 || witnessTables.checkForTable(at: word) {
      return .nothing
    }
    if !latest.contains(word) {
      switch Allocation.extent(of: word, in: region, stepLimit: stepLimit, words, chunks) {
      case .allocation(let found): latest = found
      case .free: return .nothing
      case .unknown: return .unknown
      }
    }
    let allocation = latest
    // A pointer into an object, or to memory that does not begin with metadata.
    if isObject(allocation.start) { return .object(HiddenAddress(allocation.start)) }
    if isSideTable(allocation) { return .nothing }
    return allocation.byteCount <= Self.allocationLimit ? .allocation(allocation) : .unknown
  }

  // MARK: Allocations

  /// The allocation that begins at an address, if a word was found to lead to it, and how far the
  /// chain is followed after it.
  func allocation(at start: UInt) -> (allocation: Allocation, depth: UInt8)? { allocations[~start] }

  /// Calls `body` with each word of an allocation that may lead to owned memory.
  func forEachWord(of allocation: Allocation, _ body: (UInt) -> Void) {
    followed.insert(~allocation.start)
    var address = allocation.start
    let end = endOfFrames(inSlabAt: address) ?? address + allocation.byteCount
    let label = addressOfLabel(inQueueAt: address)
    while address + 8 <= min(end, allocation.start + allocation.byteCount), !isSpent {
      if address != label, let word = words.word(at: address) {
        OpaqueBytes.forEachCandidate(of: word) { candidate in
          if mayLead(candidate) { body(candidate) }
          return true
        }
      }
      address += 8
    }
  }

  /// The end of the last frame in a task's slab of memory for frames; nil if the address is not
  /// that of a slab.
  ///
  /// The memory after it was left by frames that no longer exist.
  private func endOfFrames(inSlabAt address: UInt) -> UInt? {
    guard isTaskSlab(address),
      // Two four-byte numbers: the capacity and the used size.
      let counts = words.word(at: address + 16)
    else { return nil }
    return address + UInt(KVOS_TASK_SLAB_START) + (counts >> 32)
  }

  /// The address of the pointer to its label in a Dispatch queue; nil if the address is not that of
  /// a queue.
  ///
  /// A label is text, and the memory after the text is left over from earlier allocations.
  private func addressOfLabel(inQueueAt address: UInt) -> UInt? {
    guard let queueLayout, let table = words.word(at: address), table & 7 == 0,
      memory.region(of: table)?.isImage == true,
      words.word(at: table) == queueLayout.dispose,
      let type = words.word(at: table + UInt(KVOS_QUEUE_TYPE)),
      type & UInt(KVOS_QUEUE_GROUP) == queueLayout.group
    else { return nil }
    return address + UInt(queueLayout.labelOffset)
  }

  /// Whether a task's slab of memory for frames is at an address.
  func isTaskSlab(_ address: UInt) -> Bool {
    let mark = kvos_task_slab_mark()
    return mark != 0 && words.word(at: address) == mark
  }

  /// Whether an allocation is a side table, to which weak references to an object lead.
  private func isSideTable(_ allocation: Allocation) -> Bool {
    guard allocation.byteCount >= 16, let object = words.word(at: allocation.start),
      object >= 4096, object & 7 == 0, object >> 47 == 0,
      let counts = words.word(at: object + 8)
    else { return false }
    return kvos_is_side_table(UInt64(counts), allocation.start) != 0
  }

  // MARK: Objects

  /// Whether a living object is at an address, according to copies of all of its bytes.
  func isObject(_ address: UInt) -> Bool {
    guard address & 7 == 0, let first = words.word(at: address),
      let second = words.word(at: address + 8)
    else { return false }
    if store.known.blockClasses.contains(first) {
      return words.isReadable(address, UInt(MemoryLayout<KVOSBlock>.size))
    }
    guard kvos_is_living(UInt64(second)) != 0, kind(ofMetadata: first) == 1 else { return false }
    // Other memory may begin with the same word: a side table leads back to its object.
    if let table = sideTable(of: UInt64(second)), words.word(at: table) != address { return false }
    return words.isReadable(address, byteCount(ofObjectWith: first))
  }

  /// The owner count of an object, or of a block that counts its owners, by a new copy of its memory; nil if it
  /// does not exist anymore, or counts not all of its owners.
  ///
  /// Another thread may free the object at any time: the runtime's functions would follow whatever is
  /// in its place. With `inWords`, the result is nil also if an owner may have no word with the address.
  func ownerCountNow(of address: UInt, inWords: Bool = false) -> Int? {
    guard let first = words.word(at: address) else { return nil }
    if store.known.blockClasses.contains(first) {
      let flags = words.withWordsNow(at: address, MemoryLayout<KVOSBlock>.size) { block in
        block[0] == first ? UnsafeRawPointer(block).load(as: KVOSBlock.self).flags : nil
      }
      guard let flags, flags & UInt32(KVOS_BLOCK_IS_COUNTED) != 0 else { return nil }
      return Int(flags & UInt32(KVOS_BLOCK_COUNT)) >> 1
    }
    guard var counts = countsNow(ofObjectAt: address, first) else { return nil }
    if let table = sideTable(of: counts) {
      // The object, an unused word, and the counts.
      let found = words.withWordsNow(at: table, 24) { $0[0] == address ? UInt64($0[2]) : nil }
      guard let found else { return nil }
      counts = found
    }
    // An object on the stack belongs to its function, which needs no word for it, because its
    // address is relative to the frame: it has an unowned count of its own. So has an object with unowned references.
    if inWords, kvos_unowned_count(counts) != 1 { return nil }
    let owners = kvos_owner_count(counts)
    return owners == 0 ? nil : Int(owners)
  }

  /// The address of the side table of an object that still exists, or nil.
  func sideTableNow(ofObjectAt address: UInt) -> UInt? {
    words.word(at: address).flatMap { countsNow(ofObjectAt: address, $0) }.flatMap(sideTable)
  }

  private func countsNow(ofObjectAt address: UInt, _ first: UInt) -> UInt64? {
    words.withWordsNow(at: address, 16) { object in
      object[0] == first && kvos_is_living(UInt64(object[1])) != 0 ? UInt64(object[1]) : nil
    }
  }

  private func sideTable(of counts: UInt64) -> UInt? {
    counts >> 62 == 3 ? UInt((counts << 2) >> 2) << 3 : nil
  }

  /// Whether a living object is at an address now, regardless of earlier copies.
  func isLivingObject(_ address: UInt) -> Bool {
    guard address & 7 == 0, address >= 4096, let first = words.wordNow(at: address),
      let second = words.wordNow(at: address + 8)
    else { return false }
    return kvos_is_living(UInt64(second)) != 0 && kind(ofMetadata: first) == 1
  }

  /// Whether the object that copies show at an address still exists, so that it may be read
  /// directly.
  func isStillThere(_ address: UInt) -> Bool {
    guard let first = words.word(at: address) else { return false }
    return words.beginsNow(address, with: first, byteCount(ofObjectWith: first))
  }

  /// The number of bytes that are read of an object with this metadata.
  private func byteCount(ofObjectWith metadata: UInt) -> UInt {
    store.knownPlan(at: metadata)?.pointee.byteCount ?? 16
  }

  /// 1 for the metadata of objects, 2 for that of values, 0 for anything else.
  private func kind(ofMetadata word: UInt) -> UInt8 {
    if store.knownPlan(at: word) != nil { return 1 }
    guard word >= 4096, word & 7 == 0, word >> 47 == 0 else { return 0 }
    if let known = metadata[~word] { return known }
    var kind: UInt8 = 0
    if words.isReadable(word - 16, UInt(MemoryLayout<KVOSClassMetadata>.size) + 16) {
      let check = MetadataCheck(memory: memory, words: words)
      if check.heapMetadata(at: word) != nil {
        kind = 1
      } else if check.valueMetadata(at: word) != nil {
        kind = 2
      }
    }
    metadata[~word] = kind
    return kind
  }
}
