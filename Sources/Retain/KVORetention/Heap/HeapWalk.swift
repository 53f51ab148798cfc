internal import CKVORetention
internal import KVOHeap

/// Reads the heaps of the process once: all allocations, their references, and the roots that lead
/// to them.
///
/// Allocations that only the frames of the search lead to are its own, and are omitted.
struct HeapWalk: ~Copyable {
  private let reader: ObjectReader
  private let entry: KVOSEntry
  private let ownStack: Range<UInt>
  private let roots: HeapRoots
  private var heap: HeapCopy
  private var words: OwnedWords
  private var gaps: HeapSnapshot.Gaps = []
  private var found: [HeapSnapshot.Root] = []

  /// Copies the heaps.
  ///
  /// `ownStack` is the stack of the calling thread, which the search created; `entry` describes the
  /// program's call of the search.
  init(
    store: PlanStore,
    _ memoryCopy: MemoryCopy,
    entry: KVOSEntry,
    ownStack: Range<UInt>,
    until deadline: ContinuousClock.Instant
  ) {
    self.entry = entry
    self.ownStack = ownStack
    let memory = MemoryMap()
    roots = HeapRoots(
      memory: memory,
      memoryCopy: memoryCopy,
      stacks: ThreadStacks(memory: memory, entry: entry),
      ownStack: ownStack,
      callerStack: memory.region(of: entry.stack)?.start,
      deadline: deadline
    )
    var kinds = ObjectWords(memory: memory, copy: memoryCopy)
    heap = HeapCopy(of: memory, memoryCopy) { kinds.object($0, $1) }
    let regions = (memory.regions + [heap.region]).sorted { $0.start < $1.start }
    reader = ObjectReader(store: store, memory: MemoryMap(regions: regions))
    words = OwnedWords(reader: reader)
  }

  /// The snapshot of everything that was read, without the data about the process.
  ///
  /// - Complexity: O(bytes) of the process's writable memory.
  consuming func snapshot() -> HeapSnapshot {
    var walk = self
    if walk.heap.hasUnlisted { walk.gaps.insert(.changingHeap) }
    walk.heap.markChanged(walk.roots.memoryCopy)
    walk.reach()
    walk.reachOwn()
    return walk.described()
  }

  // MARK: Roots

  private mutating func reach() {
    let waiting = GrowingList<UInt32>(apart: heap.granuleCount + 1)
    var count = 0
    // The kinds of roots that lead to each allocation, as bits.
    let kinds = GrowingList<UInt8>(apart: heap.granuleCount + 1)
    var found: [HeapSnapshot.Root] = []
    func take(_ word: HeapRoots.Word, _ heap: borrowing HeapCopy) {
      guard let granule = heap.allocation(containing: word.word) else { return }
      let kind: UInt8 = 1 << word.kind.rawValue
      guard kinds.start[granule] & kind == 0 else { return }
      kinds.start[granule] |= kind
      found.append(
        HeapSnapshot.Root(kind: word.kind, address: UInt64(word.address), object: granule)
      )
      Self.enter(word.word, .isReached, heap, waiting, &count)
    }
    gaps.formUnion(roots.forEachWord(into: heap, take))
    for number in 0..<Int(entry.registerCount) {
      let word = Self.register(number, of: entry)
      take(HeapRoots.Word(word: word, address: 0, kind: .register), heap)
    }
    self.found = found
    follow(.isReached, waiting, &count)
  }

  /// Marks the allocations to which only the search's own thread leads.
  @inline(never)
  private mutating func reachOwn() {
    let waiting = GrowingList<UInt32>(apart: heap.granuleCount + 1)
    var count = 0
    var here = KVOSEntry()
    guard kvos_note_entry(&here) != 0, ownStack.contains(here.stack) else { return }
    _ = roots.read(here.stack & ~7..<ownStack.upperBound, .stack, into: heap) { word, heap in
      Self.enter(word.word, .isOwn, heap, waiting, &count)
    }
    for number in 0..<Int(here.registerCount) {
      Self.enter(Self.register(number, of: here), .isOwn, heap, waiting, &count)
    }
    follow(.isOwn, waiting, &count)
  }

  private static func register(_ number: Int, of entry: KVOSEntry) -> UInt {
    withUnsafeBytes(of: entry.registers) { $0.bindMemory(to: UInt.self)[number] }
  }

  /// Marks the allocation to which a word leads, and adds it to the list of those to follow.
  private static func enter(
    _ word: UInt,
    _ mark: HeapCopy.State,
    _ heap: borrowing HeapCopy,
    _ waiting: borrowing GrowingList<UInt32>,
    _ count: inout Int
  ) {
    guard let granule = heap.allocation(containing: word),
      heap.state(granule).isDisjoint(with: [mark, .isReached]),
      mark != .isOwn || !heap.state(granule).contains(.isOfProgram)
    else { return }
    heap.insert(mark, at: granule)
    waiting.start[count] = UInt32(granule)
    count += 1
  }

  private mutating func follow(
    _ mark: HeapCopy.State,
    _ waiting: borrowing GrowingList<UInt32>,
    _ count: inout Int
  ) {
    while count > 0 {
      count -= 1
      words.collect(Int(waiting.start[count]), of: heap)
      for number in 0..<words.words.count {
        Self.enter(words.words[number] & ~OwnedWords.raw, mark, heap, waiting, &count)
      }
    }
  }

  // MARK: Objects

  private mutating func described() -> HeapSnapshot {
    var snapshot = HeapSnapshot(processID: 0, processName: "", time: 0, gaps: gaps)
    var classes = HeapClassNames(reader: reader)
    // The index of each allocation plus one.
    let numbers = GrowingList<UInt32>(apart: heap.granuleCount + 1)
    var granules: [Int] = []
    var next = heap.nextStart(from: 0)
    while let granule = next {
      next = heap.nextStart(from: granule + 1)
      guard heap.state(granule).isDisjoint(with: [.isFree, .isOwn]), heap.byteCount(granule) > 0
      else { continue }
      granules.append(granule)
      numbers.start[granule] = UInt32(granules.count)
    }
    for granule in granules {
      let first = snapshot.edges.count
      addEdges(of: granule, numbers, to: &snapshot)
      let isObject = heap.state(granule).contains(.isObject)
      snapshot.objects.append(
        HeapSnapshot.Object(
          address: UInt64(heap.address(granule)),
          byteCount: UInt64(heap.byteCount(granule)),
          classIndex: classes.index(
            ofMetadata: isObject ? heap.copy(granule).load(as: UInt.self) : nil
          ),
          edges: first..<snapshot.edges.count,
          ownerCount: ownerCount(of: granule)
        )
      )
    }
    snapshot.classes = classes.classes
    snapshot.roots = found.compactMap { root in
      let number = Int(numbers.start[root.object])
      return number == 0
        ? nil : HeapSnapshot.Root(kind: root.kind, address: root.address, object: number - 1)
    }
    return snapshot
  }

  /// How many owners an object counts; 0 if that is not known.
  private func ownerCount(of granule: Int) -> UInt32 {
    let state = heap.state(granule)
    guard state.contains(.isObject), !state.contains(.isChanged) else { return 0 }
    let counts = heap.copy(granule).load(fromByteOffset: 8, as: UInt64.self)
    guard counts >> 62 == 3 else { return kvos_owner_count(counts) }
    // Source of the layout: stdlib/public/SwiftShims/swift/shims/RefCount.h of swiftlang/swift.
    guard let table = heap.allocation(containing: UInt((counts << 2) >> 2) << 3),
      kvos_is_side_table(counts, heap.address(table)) != 0, heap.byteCount(table) >= 32,
      !heap.state(table).contains(.isChanged)
    else { return 0 }
    return kvos_owner_count(heap.copy(table).load(fromByteOffset: 16, as: UInt64.self))
  }

  private mutating func addEdges(
    of granule: Int,
    _ numbers: borrowing GrowingList<UInt32>,
    to snapshot: inout HeapSnapshot
  ) {
    words.collect(granule, of: heap)
    var suspected: Set<Int> = []
    for number in 0..<words.words.count {
      let word = words.words[number]
      guard let target = heap.allocation(containing: word & ~OwnedWords.raw),
        numbers.start[target] > 0
      else { continue }
      let isProven =
        word & OwnedWords.raw == 0 && heap.state(target).contains(.isObject)
        && heap.address(target) == word
      // Memory without a description often contains its own address, and the same address several
      // times.
      if !isProven, target == granule || !suspected.insert(target).inserted { continue }
      snapshot.edges.append(
        HeapSnapshot.Edge(
          target: Int(numbers.start[target]) - 1,
          label: words.labels.texts[Int(words.wordLabels[number])],
          isProven: isProven
        )
      )
    }
  }
}

/// The classes of a snapshot.
private struct HeapClassNames {
  private(set) var classes: [HeapSnapshot.Class] = []
  private let reader: ObjectReader
  /// The class index by the complement of the metadata; memory that is not an object has the key 0.
  private var known: [UInt: Int] = [:]
  private var indices: [HeapSnapshot.Class: Int] = [:]

  init(reader: ObjectReader) { self.reader = reader }

  mutating func index(ofMetadata metadata: UInt?) -> Int {
    let key = metadata.map { ~$0 } ?? 0
    if let index = known[key] { return index }
    let type =
      metadata.map(type)
      ?? HeapSnapshot.Class(name: "allocation", module: "", kind: .allocation)
    let index = indices[type] ?? classes.count
    if index == classes.count { classes.append(type) }
    indices[type] = index
    known[key] = index
    return index
  }

  private func type(_ address: UInt) -> HeapSnapshot.Class {
    func other(_ name: String) -> HeapSnapshot.Class {
      HeapSnapshot.Class(name: name, module: "", kind: .other)
    }
    guard let plan = reader.plan(metadata: address) else { return other("object") }
    switch plan.pointee.kind {
    case .task: return other("Task")
    case .block: return other("block")
    default: break
    }
    guard let metadata = plan.pointee.metadata else { return other("object") }
    let type = TypeMetadata(metadata)
    switch type.kind {
    case .class?:
      return HeapSnapshot.Class(
        name: type.name,
        module: type.nominal?.descriptor.module ?? "",
        kind: .instance
      )
    case .context?: return HeapSnapshot.Class(name: "closure", module: "", kind: .closure)
    default: return other("box")
    }
  }
}

/// Recognizes the two words with which an object begins.
private struct ObjectWords {
  private let check: MetadataCheck
  private let memoryCopy: MemoryCopy
  /// The result by the complement of the first word.
  private var known: [UInt: HeapCopy.State] = [:]
  /// Modules of which the search itself creates objects.
  private static let ownModules = LibraryReferences.modules.union([
    "KVOHeap", "KVORetainRegistry", "KVORetention", "KVOTrace",
  ])

  init(memory: MemoryMap, copy: MemoryCopy) {
    memoryCopy = copy
    check = MetadataCheck(memory: memory, words: CopiedMemory(effort: .max))
  }

  mutating func object(_ first: UInt, _ second: UInt) -> HeapCopy.State {
    guard first >= 4096, first & 7 == 0, first >> 47 == 0, kvos_is_living(UInt64(second)) != 0,
      !isDestroyed(second)
    else {
      return []
    }
    if let answer = known[~first] { return answer }
    var answer: HeapCopy.State = []
    if let metadata = check.heapMetadata(at: first) {
      answer.insert(.isObject)
      let descriptor = metadata.nominal?.descriptor
      if descriptor?.name == "__StringStorage", descriptor?.module == "Swift" {
        answer.insert(.isString)
      }
      if let module = descriptor?.module, !Self.ownModules.contains(module) {
        answer.insert(.isOfProgram)
      }
    }
    known[~first] = answer
    return answer
  }

  /// Whether an object with a side table was destroyed: unowned references keep its memory.
  ///
  /// Source of the layout: stdlib/public/SwiftShims/swift/shims/RefCount.h of swiftlang/swift.
  private func isDestroyed(_ counts: UInt) -> Bool {
    guard counts >> 62 == 3 else { return false }
    var sideCounts: UInt64 = 0
    let table = (counts & ~(3 << 62)) << 3
    return memoryCopy.copy(table &+ 16, to: &sideCounts, 8) == 8 && sideCounts >> 32 & 1 != 0
  }
}
