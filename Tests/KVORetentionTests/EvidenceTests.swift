import CKVORetention
import Glibc
import Testing

@testable import KVORetention
@testable import RetentionProbe

/// An object's owners are found by its count and the words that lead to it.
///
/// The probe's generated shapes compare the answers with weak references.
@Suite("Reference counts as evidence", .serialized)
struct EvidenceTests {
  private final class Parent {
    var raw: UnsafeRawPointer?
    var task: Task<Void, Never>?
  }

  private final class Child {
    let parent: Parent
    init(_ parent: Parent) { self.parent = parent }
  }

  @inline(never)
  private static func retainedChild(of parent: Parent) -> UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passRetained(Child(parent)).toOpaque())
  }

  @Test("an object that a raw pointer owns hides no cycle")
  func owned() throws {
    let parent = Parent()
    parent.raw = Self.retainedChild(of: parent)
    #expect(RetainSearch().findCycles(from: parent).verdict != .noneFound)
    Unmanaged<Child>.fromOpaque(try #require(parent.raw)).release()
  }

  @Test("an object that a variable owns, and a raw pointer does not, makes no cycle")
  func unowned() {
    let parent = Parent()
    let child = Child(parent)
    parent.raw = UnsafeRawPointer(Unmanaged.passUnretained(child).toOpaque())
    withExtendedLifetime(child) {
      #expect(RetainSearch().findCycles(from: parent).verdict != .cycles)
    }
  }

  private final class Buffer: ManagedBuffer<Int, UnsafeRawPointer?> {}

  private final class BufferOwner {
    let buffer: ManagedBuffer<Int, UnsafeRawPointer?>
    init(_ buffer: ManagedBuffer<Int, UnsafeRawPointer?>) { self.buffer = buffer }
  }

  /// An owner of a buffer in which `word` says what its first element is, from the address of the buffer.
  @inline(never)
  private static func owner(_ word: (Buffer) -> UnsafeRawPointer?) -> BufferOwner {
    let buffer = Buffer.create(minimumCapacity: 4) { _ in 0 }
    buffer.withUnsafeMutablePointerToElements { elements in
      elements.initialize(repeating: nil, count: 4)
      elements.pointee = word(unsafeDowncast(buffer, to: Buffer.self))
    }
    return BufferOwner(buffer)
  }

  @Test("a pointer into the middle of an object owns nothing, even if another one owns the object")
  func interior() {
    // Of the last ones, words may be left on the stack, which are not owners.
    let owners = (0..<16).map { _ in
      Self.owner { buffer in
        buffer.withUnsafeMutablePointerToElements { UnsafeRawPointer($0) }
      }
    }
    for owner in owners {
      let answer = RetainSearch().findCycles(from: owner)
      #expect(answer.verdict != .cycles, "\(answer)")
    }
  }

  @Test("a pointer to an object in itself is a cycle if it owns the object")
  func ownInterior() {
    let owner = Self.owner { UnsafeRawPointer(Unmanaged.passRetained($0).toOpaque()) }
    let answer = RetainSearch().findCycles(from: owner)
    #expect(answer.verdict != .noneFound, "\(answer)")
    Unmanaged.passUnretained(owner.buffer).release()
  }

  @Test("memory that somebody else has, too, makes no cycle")
  func shared() {
    // As a session of a library, which its manager frees: it holds its client, and the client knows it.
    let parent = Parent()
    let session = UnsafeMutablePointer<Child>.allocate(capacity: 1)
    session.initialize(to: Child(parent))
    let manager = UnsafeMutablePointer<UnsafeMutablePointer<Child>>.allocate(capacity: 1)
    manager.initialize(to: session)
    parent.raw = UnsafeRawPointer(session)
    #expect(RetainSearch().findCycles(from: parent).verdict == .inconclusive)
    manager.pointee.deinitialize(count: 1)
    manager.pointee.deallocate()
    manager.deallocate()
  }

  @Test("a waiting task keeps what its closure captured, until it ends")
  func waitingTask() async {
    let parent = Parent()
    let started = AsyncStream.makeStream(of: Void.self)
    nonisolated(unsafe) let held = parent
    parent.task = Task {
      started.continuation.yield()
      try? await Task.sleep(nanoseconds: 1 << 60)
      withExtendedLifetime(held) {}
    }
    for await _ in started.stream { break }
    var answer = RetainSearch().findCycles(from: parent)
    while answer.taskCycles.isEmpty {
      try? await Task.sleep(nanoseconds: 1_000_000)
      answer = RetainSearch().findCycles(from: parent)
    }
    #expect(answer.taskCycles.allSatisfy { $0.isProven && $0.isHeldByTask })
    // It ends by itself: no fault is certain.
    #expect(answer.verdict == .inconclusive && answer.cycles.isEmpty)
    parent.task?.cancel()
    await parent.task?.value
    #expect(RetainSearch().findCycles(from: parent).verdict == .noneFound)
  }

  // MARK: Words

  @Test("words that lead to an object, and into an allocation, are found")
  func words() throws {
    let byteCount = 4096
    let page = try #require(
      mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    )
    defer { munmap(page, byteCount) }
    let start = UInt(bitPattern: page)
    // Nothing is at these addresses.
    let (object, allocation): (UInt, UInt) = (0x1234_5678_9ab0, 0x2345_6789_ab00)
    let words: [UInt: UInt] = [
      16: object, 24: object | 1 << 63 | 3, 32: object + 8, 40: ~object, 48: allocation + 100,
      56: allocation + 200, 64: allocation | 5 << 56, 72: object >> 4,
    ]
    for (offset, word) in words {
      page.storeBytes(of: word, toByteOffset: Int(offset), as: UInt.self)
    }
    let search = try #require(
      WordSearch(for: [
        WordSearch.Target(address: object, byteCount: 1),
        WordSearch.Target(address: allocation, byteCount: 200),
      ])
    )
    // Of this page alone: other tests of the process may have more memory than is searched.
    let region = MemoryMap.Region(
      start: start,
      end: start + UInt(byteCount),
      isImage: false,
      isExecutable: false,
      isWritable: true
    )
    #expect(search.run(in: MemoryMap(regions: [region]), until: .now + .seconds(50)))
    let found = (0..<search.hits.count).map { search.hits[$0] }
    #expect(found.map { $0.address - start } == [16, 24, 48, 64])
    #expect(found.map(\.target) == [0, 0, 1, 1])
  }

  @Test("words in memory that no one has count for nothing, and others do")
  func unused() throws {
    // Beside other threads it is a guess whether memory is in use: a copy of the process has none. A sanitizer knows it.
    let areUnused =
      kvos_is_glibc_heap() == 0
      ? Self.areUnused()
      : try SnapshotProcess.answer(within: .seconds(50), decode: { $0 }) {
        SnapshotProcess.begin { Self.areUnused() }
      }
    #expect(areUnused == [0, 0, 1, 1, 1, 0])
  }

  /// Whether words are unused, as 1 and 0: in an allocation, an array's element, after its elements, in freed memory,
  /// and below and in the frames of this thread.
  private static func areUnused() -> [UInt8] {
    var entry = KVOSEntry()
    guard kvos_note_entry(&entry) != 0 else { return [] }
    let used = UnsafeMutablePointer<UInt>.allocate(capacity: 10)
    defer { used.deallocate() }
    var array: [UInt] = [1, 2, 3]
    array.reserveCapacity(100)
    let elements = array.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    defer { withExtendedLifetime(array) {} }
    return PlanStore.withShared { store in
      let reader = ObjectReader(store: store, memory: MemoryMap())
      let words = CopiedMemory(effort: 1_000_000)
      let unused = UnusedMemory(
        reader: reader,
        words: words,
        stacks: ThreadStacks(memory: reader.memory, entry: entry)
      )
      let freed = UInt(bitPattern: malloc(1000))
      free(UnsafeMutableRawPointer(bitPattern: freed))
      let asked = [
        UInt(bitPattern: used + 5), elements + 16, elements + 64, freed + 40, entry.stack - 4096,
        entry.stack + 64,
      ]
      return asked.map { unused.contains($0) ? 1 : 0 }
    }
  }

  /// More than a thread keeps for itself: the allocator has the others in lists, and they look as if in use.
  @Test("words in small memory that no one has count for nothing")
  func unusedSmall() throws {
    guard kvos_is_glibc_heap() != 0 else { return }
    let counts = try SnapshotProcess.answer(within: .seconds(50), decode: { $0 }) {
      SnapshotProcess.begin { Self.unusedCounts() }
    }
    try #require(counts.count == 2)
    #expect(counts[0] == 0)
    // The search itself may have taken some of the memory again.
    #expect(counts[1] >= 90)
  }

  /// What percentage of 5,000 words of allocations in use, and of 5,000 of freed ones, is in memory that no one has,
  /// rounded up.
  private static func unusedCounts() -> [UInt8] {
    var entry = KVOSEntry()
    guard kvos_note_entry(&entry) != 0 else { return [] }
    // One is in use between any two that are freed: otherwise they are merged, and given back to the system.
    let all = (0..<10_000).map { _ in UInt(bitPattern: malloc(40)) }
    let used = stride(from: 0, to: all.count, by: 2).map { all[$0] }
    let freed = stride(from: 1, to: all.count, by: 2).map { all[$0] }
    for address in freed { free(UnsafeMutableRawPointer(bitPattern: address)) }
    return PlanStore.withShared { store in
      let reader = ObjectReader(store: store, memory: MemoryMap())
      let words = CopiedMemory(effort: 10_000_000)
      let unused = UnusedMemory(
        reader: reader,
        words: words,
        stacks: ThreadStacks(memory: reader.memory, entry: entry)
      )
      return [used, freed].map { UInt8(($0.count { unused.contains($0 + 16) } + 49) / 50) }
    }
  }
}
