/// The 64-bit hash function of the xxHash family, as its specification describes it
/// (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md).
///
/// It finds accidental damage; it is no protection against somebody who means harm.
package enum XXH64 {
  private static let prime1: UInt64 = 0x9e37_79b1_85eb_ca87
  private static let prime2: UInt64 = 0xc2b2_ae3d_27d4_eb4f
  private static let prime3: UInt64 = 0x1656_67b1_9e37_79f9
  private static let prime4: UInt64 = 0x85eb_ca77_c2b2_ae63
  private static let prime5: UInt64 = 0x27d4_eb2f_1656_67c5

  /// The hash of `bytes`.
  ///
  /// Complexity: O(bytes), 32 bytes a step.
  package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    var at = 0
    var hash: UInt64
    if bytes.count >= 32 {
      var lanes = (seed &+ prime1 &+ prime2, seed &+ prime2, seed, seed &- prime1)
      while at &+ 32 <= bytes.count {
        lanes.0 = round(lanes.0, word(bytes, at))
        lanes.1 = round(lanes.1, word(bytes, at &+ 8))
        lanes.2 = round(lanes.2, word(bytes, at &+ 16))
        lanes.3 = round(lanes.3, word(bytes, at &+ 24))
        at &+= 32
      }
      hash = rotate(lanes.0, 1) &+ rotate(lanes.1, 7)
      hash = hash &+ rotate(lanes.2, 12) &+ rotate(lanes.3, 18)
      hash = merge(merge(merge(merge(hash, lanes.0), lanes.1), lanes.2), lanes.3)
    } else {
      hash = seed &+ prime5
    }
    hash = hash &+ UInt64(bytes.count)
    while at &+ 8 <= bytes.count {
      hash = rotate(hash ^ round(0, word(bytes, at)), 27) &* prime1 &+ prime4
      at &+= 8
    }
    if at &+ 4 <= bytes.count {
      let half = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self))
      hash = rotate(hash ^ (UInt64(half) &* prime1), 23) &* prime2 &+ prime3
      at &+= 4
    }
    while at < bytes.count {
      hash = rotate(hash ^ (UInt64(bytes[at]) &* prime5), 11) &* prime1
      at &+= 1
    }
    hash = (hash ^ (hash >> 33)) &* prime2
    hash = (hash ^ (hash >> 29)) &* prime3
    return hash ^ (hash >> 32)
  }

  private static func word(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
  }

  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotate(lane &+ word &* prime2, 31) &* prime1
  }

  private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
    (hash ^ round(0, lane)) &* prime1 &+ prime4
  }

  private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
    value &<< count | value &>> (64 &- count)
  }
}
