/// A hash that cannot be computed, or used to guess names, without the key: SipHash-2-4.
///
/// Source: <https://www.aumasson.jp/siphash/siphash.pdf>. The standard library hashes with a relative of
/// it, under keys that differ from run to run.
struct SipHash: Sendable {
  private let key: (low: UInt64, high: UInt64)

  init(key: (low: UInt64, high: UInt64)) { self.key = key }

  /// The hash of `bytes`.
  ///
  /// Complexity: O(bytes).
  func callAsFunction(_ bytes: some Collection<UInt8>) -> UInt64 {
    var state = State(
      v0: key.low ^ 0x736f_6d65_7073_6575,
      v1: key.high ^ 0x646f_7261_6e64_6f6d,
      v2: key.low ^ 0x6c79_6765_6e65_7261,
      v3: key.high ^ 0x7465_6462_7974_6573
    )
    var word: UInt64 = 0
    var count = 0
    for byte in bytes {
      word |= UInt64(byte) << UInt64(count % 8 * 8)
      count += 1
      if count % 8 == 0 {
        state.take(word)
        word = 0
      }
    }
    state.take(word | UInt64(truncatingIfNeeded: count) << 56)
    state.v2 ^= 0xff
    for _ in 0..<4 { state.mix() }
    return state.v0 ^ state.v1 ^ state.v2 ^ state.v3
  }

  private struct State {
    var v0: UInt64
    var v1: UInt64
    var v2: UInt64
    var v3: UInt64

    mutating func take(_ word: UInt64) {
      v3 ^= word
      mix()
      mix()
      v0 ^= word
    }

    mutating func mix() {
      v0 &+= v1
      v1 = Self.rotated(v1, 13) ^ v0
      v0 = Self.rotated(v0, 32)
      v2 &+= v3
      v3 = Self.rotated(v3, 16) ^ v2
      v0 &+= v3
      v3 = Self.rotated(v3, 21) ^ v0
      v2 &+= v1
      v1 = Self.rotated(v1, 17) ^ v2
      v2 = Self.rotated(v2, 32)
    }

    private static func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 {
      word << count | word >> (64 - count)
    }
  }
}
