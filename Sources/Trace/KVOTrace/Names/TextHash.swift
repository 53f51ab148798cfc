/// The hash of a run of bytes, taken eight at a time, so that a scanner can compute the hash of a short run while it
/// searches for its end.
///
/// Seeded, because logs are untrusted input: an author who knows the hash could fill one slot of a table. It
/// is not the same in another process and never leaves this one.
@frozen
@usableFromInline
package struct TextHash: Sendable {
  @usableFromInline var state: UInt64

  /// The seed of this process.
  package static let processSeed = ProcessSeed.number(1)

  /// Runs up to this length are hashed word by word, longer ones in blocks as well.
  @inlinable @inline(__always)
  package static var shortByteLimit: Int { 64 }

  /// Starts a run of up to ``shortByteLimit`` bytes.
  @inlinable @inline(__always)
  package init(seed: UInt64) { state = seed }

  /// Adds the next eight bytes of the run, as a little-endian word.
  @inlinable @inline(__always)
  package mutating func combine(word: UInt64) {
    state = Self.fold(state ^ word, 0x9e37_79b9_7f4a_7c15)
  }

  /// Ends the run.
  ///
  /// - Parameters:
  ///   - last: the bytes after the whole words, up to seven, padded with zeros.
  ///   - byteCount: the length of the whole run, which distinguishes a zero byte from none.
  /// - Returns: the hash, all of whose bits are equally good.
  @inlinable @inline(__always)
  package consuming func finish(last: UInt64, byteCount: Int) -> UInt64 {
    combine(word: last)
    return Self.fold(state ^ UInt64(truncatingIfNeeded: byteCount), 0xd6e8_feb8_6659_fd93)
  }

  /// The hash of `bytes` in one call.
  ///
  /// Complexity: O(length).
  package static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    var hash = TextHash(seed: seed)
    let run = ByteRun(bytes)
    var index = 0
    if bytes.count > shortByteLimit {
      index = run.wholeWordCount & ~7
      hash.state = ofBlocks(run, wordCount: index, seed: seed)
    }
    while index < run.wholeWordCount {
      hash.combine(word: run.word(index))
      index += 1
    }
    return hash.finish(last: run.last, byteCount: bytes.count)
  }

  /// The hash of blocks of eight words: four independent chains, which the processor runs in parallel.
  private static func ofBlocks(_ run: ByteRun, wordCount: Int, seed: UInt64) -> UInt64 {
    // Kept secret like the seed: a word that is equal to one of them would cancel its chain.
    let salts = (
      fold(seed, 0xa076_1d64_78bd_642f), fold(seed, 0xe703_7ed1_a0b4_28db),
      fold(seed, 0x8ebc_6af0_9c88_c6e3), fold(seed, 0x5899_65cc_7537_4cc3)
    )
    var chains = (seed, seed, seed, seed)
    for index in stride(from: 0, to: wordCount, by: 8) {
      chains.0 = fold(chains.0 ^ run.word(index), run.word(index + 1) ^ salts.0)
      chains.1 = fold(chains.1 ^ run.word(index + 2), run.word(index + 3) ^ salts.1)
      chains.2 = fold(chains.2 ^ run.word(index + 4), run.word(index + 5) ^ salts.2)
      chains.3 = fold(chains.3 ^ run.word(index + 6), run.word(index + 7) ^ salts.3)
    }
    return fold(chains.0 ^ salts.1, chains.1 ^ salts.2)
      ^ fold(chains.2 ^ salts.3, chains.3 ^ salts.0)
  }

  /// Both halves of the product: every bit of the result depends on every bit of both.
  @inlinable @inline(__always)
  static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }
}
