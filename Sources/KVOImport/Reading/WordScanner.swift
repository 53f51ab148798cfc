/// Looks for the few letters that every word of observing has, eight bytes at a time.
///
/// `bserv` (observer, Observation), `yVal` (NSKeyValue), `KVO`, `yPath`, `dKey` (UndefinedKey) and
/// `dNotify` are in every sentence and every function that a fault can be told by, also where the
/// sentence is wrapped. Their pairs `bs`, `yV`, `VO`, `yP`, `dK`, `dN` are rare in other text: a word of
/// eight bytes is compared with the pairs, shifted by one, and looked at closer only where one is in it.
///
/// Unsafe: it reads the array's memory by its address. Every read lies inside the array, by the conditions
/// of the loops. It never writes and keeps no address.
enum WordScanner {
  /// Where the next word may stand in `bytes`.
  ///
  /// Complexity: O(length).
  static func next(in bytes: [UInt8], from start: Int, to end: Int) -> Int? {
    bytes.withUnsafeBytes { next(in: $0, from: start, to: min(end, bytes.count)) }
  }

  /// Whether `bytes` have such a word.
  static func hasWord(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.withUnsafeBytes { next(in: $0, from: 0, to: $0.count) != nil }
  }

  private static func next(in bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int? {
    var position = start
    while position < end {
      while position + 17 <= bytes.count, position + 16 <= end,
        pairs(bytes, position) | pairs(bytes, position + 8) == 0
      {
        position += 16
      }
      // A pair is near, or the end: byte by byte over what was compared.
      let stop = min(end, position + 16)
      while position < stop {
        if isWord(bytes, position) { return position }
        position += 1
      }
    }
    return nil
  }

  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080

  /// Not zero where one of the pairs begins in the eight bytes at `offset`; rarely also without one.
  @inline(__always)
  private static func pairs(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    let first = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    let second = bytes.loadUnaligned(fromByteOffset: offset + 1, as: UInt64.self)
    let folds = ones &* 0x20
    let bs = ((first | folds) ^ ones &* 0x62) | ((second | folds) ^ ones &* 0x73)
    let vo = (first ^ ones &* 0x56) | (second ^ ones &* 0x4f)
    let y = first ^ ones &* 0x79
    let yv = y | (second ^ ones &* 0x56)
    let yp = y | (second ^ ones &* 0x50)
    let d = first ^ ones &* 0x64
    let dk = d | (second ^ ones &* 0x4b)
    let dn = d | (second ^ ones &* 0x4e)
    return (zero(bs) | zero(vo) | zero(yv) | zero(yp) | zero(dk) | zero(dn)) & highs
  }

  /// The high bit of every byte of `word` that is zero, and of some above one.
  @inline(__always)
  private static func zero(_ word: UInt64) -> UInt64 { (word &- ones) & ~word }

  /// Whether one of the words begins at `position`, or at the byte before it.
  private static func isWord(_ bytes: UnsafeRawBufferPointer, _ position: Int) -> Bool {
    switch bytes[position] {
    case UInt8(ascii: "b"): has("bserv", bytes, position)
    case UInt8(ascii: "B"): has("BSERV", bytes, position)
    case UInt8(ascii: "y"): has("yVal", bytes, position) || has("yPath", bytes, position)
    case UInt8(ascii: "V"): has("KVO", bytes, position - 1)
    case UInt8(ascii: "d"): has("dKey", bytes, position) || has("dNotify", bytes, position)
    default: false
    }
  }

  private static func has(_ word: StaticString, _ bytes: UnsafeRawBufferPointer, _ at: Int) -> Bool
  {
    let count = word.utf8CodeUnitCount
    guard at >= 0, at + count <= bytes.count else { return false }
    for index in 0..<count where bytes[at + index] != word.utf8Start[index] { return false }
    return true
  }
}

/// Counts line ends, eight bytes at a time.
///
/// Unsafe as above, and for the same reason sound.
enum LineCounter {
  static func count(in bytes: ArraySlice<UInt8>) -> Int {
    bytes.withUnsafeBytes { bytes in
      var count = 0
      var offset = 0
      let sevens: UInt64 = 0x7f7f_7f7f_7f7f_7f7f
      while offset + 8 <= bytes.count {
        let word =
          bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) ^ 0x0a0a_0a0a_0a0a_0a0a
        // The high bit of every byte that is zero, and of no other.
        count += (~(((word & sevens) &+ sevens) | word | sevens)).nonzeroBitCount
        offset += 8
      }
      while offset < bytes.count {
        if bytes[offset] == 0x0a { count += 1 }
        offset += 1
      }
      return count
    }
  }
}
