import CKVORetention
import Dispatch
import Glibc
import TestSupport
import Testing

@testable import KVORetention

@Suite("Chunks of the heap", .serialized)
struct HeapChunkTests {
  private final class Cursor {
    var position: UnsafeMutableRawPointer?
  }

  @Test("memory with words like the headers of chunks is read whole")
  func remains() throws {
    guard kvos_is_glibc_heap() != 0 else { return }
    let cursor = Cursor()
    // An odd number of words fills an allocation of glibc: no word at its end is what was there before.
    let block = UnsafeMutablePointer<UInt>.allocate(capacity: 513)
    block.initialize(repeating: 0, count: 513)
    defer { block.deallocate() }
    // As what was allocated earlier in the same memory leaves them: three chunks of 256 bytes, one after the other.
    for index in [129, 161, 193] { block[index] = 256 | KVOS_CHUNK_PREVIOUS_IN_USE }
    cursor.position = UnsafeMutableRawPointer(block + 140)
    let benign = RetainSearch().findCycles(from: cursor)
    #expect(benign.verdict == .noneFound, "\(benign)")
    block[0] = UInt(bitPattern: Unmanaged.passRetained(cursor).toOpaque())
    let answer = RetainSearch().findCycles(from: cursor)
    #expect(answer.verdict == .inconclusive, "\(answer)")
    Unmanaged.passUnretained(cursor).release()
  }

  /// In a copy of the process, which has one thread.
  @Test(
    "every allocation is found from each of its addresses, and what was freed is free",
    arguments: 1...5
  )
  func random(seed: UInt64) throws {
    guard kvos_is_glibc_heap() != 0 else { return }
    let counts = try SnapshotProcess.answer(within: .seconds(50), decode: { $0 }) {
      SnapshotProcess.begin { Self.counts(seed) }
    }
    try #require(counts.count == 2)
    #expect(counts[0] == 0)
    // The list of mappings takes some of the memory again.
    #expect(counts[1] <= 5)
  }

  /// The number of allocations that are not found, or with other bounds, and what percentage of those that were freed
  /// last is in use; empty if the chunks are not listed.
  private static func counts(_ seed: UInt64) -> [UInt8] {
    var random = FixedRandom(state: seed &* 0x9E37_79B9_7F4A_7C15)
    var blocks = [UnsafeMutableRawPointer?](repeating: nil, count: 3_000)
    for _ in 0..<20_000 {
      let index = Int.random(in: 0..<blocks.count, using: &random)
      free(blocks[index])
      let byteCount = Int.random(in: 0...(index % 20 == 0 ? 30_000 : 300), using: &random)
      blocks[index] = malloc(byteCount)
    }
    var freed: [UInt] = []
    freed.reserveCapacity(blocks.count)
    for index in stride(from: 0, to: blocks.count, by: 3) {
      if let block = blocks[index] { freed.append(UInt(bitPattern: block)) }
      free(blocks[index])
      blocks[index] = nil
    }
    guard let chunks = HeapChunks(in: MemoryMap()), chunks.isComplete else { return [] }
    var wrongCount = 0
    for case let block? in blocks {
      let (start, byteCount) = (UInt(bitPattern: block), kvos_allocation_size(block))
      let address = start + UInt.random(in: 0..<byteCount, using: &random)
      if case .inUse(start, byteCount) = chunks.chunk(containing: address) { continue }
      wrongCount += 1
    }
    let usedCount = freed.count {
      if case .inUse = chunks.chunk(containing: $0) { true } else { false }
    }
    return [UInt8(min(wrongCount, 255)), UInt8(usedCount * 100 / freed.count)]
  }

  /// What the thread of the search freed itself may be merged before its chunks are listed.
  @Test("what another thread freed is free, and what it uses is in use")
  func otherThread() throws {
    guard kvos_is_glibc_heap() != 0 else { return }
    let (wasFreed, wasAsked) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    nonisolated(unsafe) var blocks: [UnsafeMutableRawPointer?] = []
    nonisolated(unsafe) var counts: Result<[UInt8], any Error>?
    onThreads(count: 2) { index in
      if index == 0 {
        blocks = (0..<2_000).map { _ in malloc(40) }
        for index in stride(from: 0, to: blocks.count, by: 2) { free(blocks[index]) }
        wasFreed.signal()
        // Its memory stays its own as long as it runs.
        wasAsked.wait()
        for index in stride(from: 1, to: blocks.count, by: 2) { free(blocks[index]) }
      } else {
        wasFreed.wait()
        counts = Result {
          try SnapshotProcess.answer(within: .seconds(50), decode: { $0 }) {
            SnapshotProcess.begin { Self.usedPercentages(of: blocks) }
          }
        }
        wasAsked.signal()
      }
    }
    #expect(try counts?.get() == [0, 100])
  }

  /// What percentage of the blocks with even indices is in use, and of the others; empty if the chunks are not listed.
  private static func usedPercentages(of blocks: [UnsafeMutableRawPointer?]) -> [UInt8] {
    guard let chunks = HeapChunks(in: MemoryMap()), chunks.isComplete else { return [] }
    return [0, 1].map { first in
      let indices = stride(from: first, to: blocks.count, by: 2)
      let usedCount = indices.count { index in
        let chunk = chunks.chunk(containing: UInt(bitPattern: blocks[index]))
        return if case .inUse = chunk { true } else { false }
      }
      return UInt8(usedCount * 200 / blocks.count)
    }
  }
}
