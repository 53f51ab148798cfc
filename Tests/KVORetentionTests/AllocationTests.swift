import Glibc
import Testing

@testable import KVORetention

/// Memory that is laid out as glibc's allocator lays out a heap: the word before each piece is its size, with the
/// bit that says that the piece before it is in use.
@Suite("Allocations on a heap")
struct AllocationTests {
  private final class Heap {
    static let byteCount = 4 * 4096
    /// What is reserved for a heap, and what it begins at a multiple of.
    private static let reserved: UInt = 64 << 20
    private let mapping: UnsafeMutableRawPointer?
    let base: UInt

    init() {
      mapping = mmap(
        nil,
        Int(2 * Self.reserved),
        PROT_NONE,
        MAP_SHARED | MAP_ANONYMOUS,
        -1,
        0
      )
      base = (UInt(bitPattern: mapping) + Self.reserved - 1) & ~(Self.reserved - 1)
      mprotect(
        UnsafeMutableRawPointer(bitPattern: base),
        Self.byteCount,
        PROT_READ | PROT_WRITE
      )
    }

    deinit { munmap(mapping, Int(2 * Self.reserved)) }

    /// Stores words, the first of them at an offset of so many bytes.
    func store(_ words: [UInt], at offset: UInt) {
      for (index, word) in words.enumerated() {
        UnsafeMutablePointer<UInt>(bitPattern: base + offset)?[index] = word
      }
    }

    /// Lays out pieces of these sizes, and returns the address of each one's memory.
    func lay(_ sizes: [UInt]) -> [UInt] {
      var address = base + 16
      return sizes.map { size in
        UnsafeMutablePointer<UInt>(bitPattern: address - 8)?.pointee = size | 1
        defer { address += size }
        return address
      }
    }

    /// What is found from `address` if so many bytes were mapped when the mappings were listed.
    func found(from address: UInt, listed: UInt) -> Allocation? {
      let region = MemoryMap.Region(
        start: base,
        end: base + listed,
        isImage: false,
        isExecutable: false,
        isWritable: true,
        isAnonymous: true
      )
      let words = CopiedMemory(effort: 10_000)
      switch Allocation.extent(of: address, in: region, stepLimit: 16, words, nil) {
      case .allocation(let found): return found
      case .free, .unknown: return nil
      }
    }
  }

  @Test("the last one before the heap's end is found")
  func last() {
    let heap = Heap()
    let starts = heap.lay([64, 4096 - 64])
    let found = heap.found(from: starts[0] + 8, listed: 4096)
    #expect(found?.start == starts[0] && found?.byteCount == 56)
  }

  @Test("it is found also if the heap has grown since its mappings were listed")
  func grown() {
    let heap = Heap()
    let starts = heap.lay([64, UInt(Heap.byteCount) - 64])
    let found = heap.found(from: starts[0] + 8, listed: 4096)
    #expect(found?.start == starts[0] && found?.byteCount == 56)
  }

  @Test("it is found also if another thread's allocation overlaps the old end")
  func straddled() {
    let heap = Heap()
    let starts = heap.lay([64, 8192, UInt(Heap.byteCount) - 64 - 8192])
    let found = heap.found(from: starts[0] + 8, listed: 4096)
    #expect(found?.start == starts[0] && found?.byteCount == 56)
  }

  @Test("a size that leads to no memory, or into a page, is none")
  func garbage() {
    let heap = Heap()
    let sizes: [UInt] = [UInt(Heap.byteCount) + (1 << 20) - 64, 8192 + 32]
    for size in sizes {
      let starts = heap.lay([64, size])
      #expect(heap.found(from: starts[0] + 8, listed: 4096) == nil)
    }
  }

  @Test("one with pages of its own is found")
  func paged() {
    let heap = Heap()
    heap.store([0, 8192 | 2], at: 4096)
    let found = heap.found(from: heap.base + 4096 + 800, listed: UInt(Heap.byteCount))
    #expect(found?.start == heap.base + 4096 + 16 && found?.byteCount == 8192 - 16)
  }

  @Test("the same words are not one after another preceding word, or inside an arena's heap")
  func notPaged() {
    let heap = Heap()
    heap.store([1, 8192 | 2], at: 4096)
    #expect(heap.found(from: heap.base + 4096 + 800, listed: UInt(Heap.byteCount)) == nil)
    heap.store([0], at: 4096)
    heap.store([heap.base + 48, 0, UInt(Heap.byteCount)], at: 0)
    #expect(heap.found(from: heap.base + 4096 + 800, listed: UInt(Heap.byteCount)) == nil)
  }
}
