import CKVORetention
import Glibc
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
    let block = UnsafeMutablePointer<UInt>.allocate(capacity: 512)
    block.initialize(repeating: 0, count: 512)
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
    "every allocation is found from each of its addresses, whatever was there before",
    arguments: 1...5
  )
  func random(seed: UInt64) throws {
    guard kvos_is_glibc_heap() != 0 else { return }
    let wrong = try SnapshotProcess.answer(within: .seconds(50), decode: { $0 }) {
      SnapshotProcess.begin { [UInt8(min(Self.countWrong(seed), 255))] }
    }
    #expect(wrong == [0])
  }

  /// The number of allocations that are not found, or with other bounds; 255 if there is no list.
  private static func countWrong(_ seed: UInt64) -> Int {
    var random = FixedRandom(state: seed &* 0x9E37_79B9_7F4A_7C15)
    var blocks = [UnsafeMutableRawPointer?](repeating: nil, count: 3_000)
    for _ in 0..<20_000 {
      let index = Int.random(in: 0..<blocks.count, using: &random)
      free(blocks[index])
      let byteCount = Int.random(in: 0...(index % 20 == 0 ? 30_000 : 300), using: &random)
      blocks[index] = malloc(byteCount)
    }
    for index in stride(from: 0, to: blocks.count, by: 3) {
      free(blocks[index])
      blocks[index] = nil
    }
    guard let chunks = HeapChunks(in: MemoryMap()) else { return 255 }
    var wrongCount = 0
    for case let block? in blocks {
      let (start, byteCount) = (UInt(bitPattern: block), kvos_allocation_size(block))
      let address = start + UInt.random(in: 0..<byteCount, using: &random)
      if case .inUse(start, byteCount) = chunks.chunk(containing: address) { continue }
      wrongCount += 1
    }
    return wrongCount
  }
}
