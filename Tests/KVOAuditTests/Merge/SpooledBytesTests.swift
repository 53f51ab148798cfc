import KVOAudit
import TestSupport
import Testing

@Suite("Bytes in memory and in a temporary file") struct SpooledBytesTests {
  @Test("are those that were appended", arguments: [1, 100, 1_000, 1 << 20])
  func kept(limit: Int) throws {
    var random = SplitMix64(seed: UInt64(limit))
    let bytes = SpooledBytes(label: "them", limit: limit)
    var pieces: [(offset: Int, bytes: [UInt8])] = []
    for _ in 0..<200 {
      let piece = (0..<Int.random(in: 0...50, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      pieces.append((try bytes.append(piece), piece))
      // What was appended before may be read meanwhile.
      let known = pieces[Int.random(in: pieces.indices, using: &random)]
      #expect(try bytes.bytes(at: known.offset, count: known.bytes.count) == known.bytes)
    }
    for piece in pieces {
      #expect(try bytes.bytes(at: piece.offset, count: piece.bytes.count) == piece.bytes)
    }
    #expect(bytes.byteCount == pieces.map(\.bytes.count).reduce(0, +))
  }
}
