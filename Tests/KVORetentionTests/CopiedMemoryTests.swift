import CKVORetention
import Glibc
import Testing

@testable import KVORetention

@Suite("Words of copied memory")
struct CopiedMemoryTests {
  private static let page = 4096
  private static let pageCount = 6
  private static let sizes: [UInt] = [
    0, 8, 16, 17, 32, 33, 34, 41, 49, 64, 4096, 4097, 8192, 24576, 1 << 20, .max,
  ]

  /// Calls `body` with pages of random words, of which the third cannot be read.
  private func withPages(_ body: (UInt) -> Void) throws {
    let mapped = mmap(
      nil,
      Self.pageCount * Self.page,
      PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS,
      -1,
      0
    )
    let memory = try #require(mapped != MAP_FAILED ? mapped : nil)
    defer { munmap(memory, Self.pageCount * Self.page) }
    var random = FixedRandom(state: 12)
    let words = memory.assumingMemoryBound(to: UInt.self)
    for index in 0..<(Self.pageCount * Self.page / 8) {
      words[index] = Self.sizes.randomElement(using: &random) ?? 0
    }
    mprotect(memory + 2 * Self.page, Self.page, PROT_NONE)
    body(UInt(bitPattern: memory))
  }

  @Test("a look back finds what a look at each word finds, over pages that cannot be read")
  func lookBack() throws {
    try withPages { base in
      let words = CopiedMemory(effort: .max)
      guard words.isAvailable else { return }
      for offset in stride(from: 16 * 3, to: UInt(Self.pageCount * Self.page), by: 16 * 7 + 8) {
        let address = base + offset
        let start = address & ~15
        for first in [base + 16, start - 16, start - min(offset & ~15 - 16, 4096), start] {
          let starts = stride(from: Int(start), through: Int(first), by: -16).map { UInt($0) }
          let chunk = starts.first { start in
            guard let word = words.word(at: start - 8) else { return false }
            return word & (KVOS_CHUNK_UNUSED_FLAG | KVOS_CHUNK_PAGED) == 0
              && kvos_chunk_size(word) >= KVOS_CHUNK_SMALLEST
              && address - start < kvos_chunk_byte_count(word)
          }
          #expect(words.startOfChunk(reaching: address, from: start, downTo: first) == chunk)
          let equal = starts.first { words.word(at: $0) == 49 }
          #expect(words.address(of: 49, from: start, downTo: first) == equal)
        }
      }
    }
  }

  @Test("a look back counts for as many words as it takes steps, and ends with them")
  func effort() throws {
    try withPages { base in
      let words = CopiedMemory(effort: 1000)
      guard words.isAvailable else { return }
      #expect(words.address(of: 1, from: base + 3200, downTo: base) == nil)
      // A copied page counts for 64.
      #expect(words.effortLeft == 1000 - 64 - 201)
      #expect(words.address(of: 1, from: base + 5 * 4096 - 16, downTo: base) == nil)
      #expect(words.effortLeft <= 0)
      #expect(words.startOfChunk(reaching: base + 32, from: base + 32, downTo: base + 16) == nil)
    }
  }
}
