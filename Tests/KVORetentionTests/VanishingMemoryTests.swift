import Glibc
import Testing

@testable import KVORetention
@testable import RetentionProbe

/// What is read by words that may be pointers is memory of others, who may give it back at any time.
@Suite("Memory that is unmapped while it is read")
struct VanishingMemoryTests {
  /// A page with one number, which is unmapped.
  private final class Page {
    static let byteCount = 4096
    let address: UInt
    private var isThere = true

    init(_ words: [UInt], at offset: Int) {
      let page = mmap(
        nil,
        Self.byteCount,
        PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS,
        -1,
        0
      )
      address = UInt(bitPattern: page) + UInt(offset)
      for (index, word) in words.enumerated() {
        UnsafeMutablePointer<UInt>(bitPattern: address)?[index] = word
      }
    }

    func goAway() {
      if isThere { munmap(UnsafeMutableRawPointer(bitPattern: address & ~4095), Self.byteCount) }
      isThere = false
    }

    deinit { goAway() }
  }

  @Test("metadata is judged by the copies of it")
  func metadata() throws {
    // A class's metadata begins so; a struct's, a closure's context's, a box's, a function's, a tuple's.
    for kind: UInt in [0, 0x200, 0x400, 0x500, 0x302, 0x301] {
      let page = Page([kind] + Array(repeating: 16, count: 20), at: 256)
      let memory = MemoryMap()
      let words = CopiedMemory(effort: 10_000)
      let check = MetadataCheck(memory: memory, words: words)
      try #require(words.word(at: page.address) == kind)
      page.goAway()
      #expect(check.heapMetadata(at: page.address) == nil)
      #expect(check.valueMetadata(at: page.address) == nil)
    }
  }

  @Test("an object that went away is not read")
  func object() throws {
    final class Known { let number = 7 }
    let known = Known()
    let start = UInt(bitPattern: Unmanaged.passUnretained(known).toOpaque())
    let object = try #require(UnsafePointer<UInt>(bitPattern: start))
    let head: [UInt] = [object[0], object[1], 7]
    let page = Page(head, at: 512)
    PlanStore.withShared { store in
      let targets = PointerTargets(store: store, memory: MemoryMap())
      #expect(targets.isObject(page.address))
      #expect(targets.isStillThere(page.address))
      page.goAway()
      #expect(targets.isObject(page.address), "the copy still shows it")
      #expect(!targets.isStillThere(page.address))
      #expect(targets.isStillThere(start))
    }
    withExtendedLifetime(known) {}
  }

  @Test("beside other threads, memory that nobody is known to own is left to a copy of the process")
  func leftToCopy() async {
    for one in OpaqueShape.all {
      let root = one.shape.cyclic()
      let prior = SearchRun.Prior()
      let answer = PlanStore.withShared { store in
        SearchRun(
          RetainSearch(scansOpaqueMemory: true),
          prior,
          store: store,
          names: nil,
          tasks: .none,
          followsUnowned: false
        ).cycles(from: [RetainSearch.address(root)])
      }
      #expect(answer.cycles == [] && answer.suspectedCycles == [])
      #expect(answer.opaque.map(\.reason) == [one.reason])
      #expect(answer.needsCopy(isOnlyThread: false))
      #expect(!answer.needsCopy(isOnlyThread: true))
      withExtendedLifetime(root) {}
    }
    // This test is not on the main thread.
    #expect(!ThreadStacks.isOnlyThread())
  }
}
