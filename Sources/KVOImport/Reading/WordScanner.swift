/// Looks for the few letters that every word of observing has, 16 bytes at a time.
///
/// `bserv` (observer, Observation), `yVal` (NSKeyValue), `KVO`, `yPath`, `dKey` (UndefinedKey) and
/// `dNotify` are in every sentence and every function that a fault can be told by, also where the
/// sentence is wrapped. Their first two letters are rare in other text.
///
/// Unsafe: it reads the array's memory by its address. Every read lies inside the array, by the
/// condition of the loop. It never writes and keeps no address.
enum WordScanner {
  /// Where the next word may stand in `bytes`.
  ///
  /// Complexity: O(length).
  static func next(in bytes: [UInt8], from start: Int, to end: Int) -> Int? {
    bytes.withUnsafeBytes { bytes in
      var position = start
      let safe = min(end, bytes.count - 17)
      while position < safe {
        let first = bytes.loadUnaligned(fromByteOffset: position, as: SIMD16<UInt8>.self)
        let second = bytes.loadUnaligned(fromByteOffset: position + 1, as: SIMD16<UInt8>.self)
        let found = mask(first, second)
        if any(found) {
          for offset in 0..<16 where found[offset] && position + offset < end {
            if isWord(bytes, position + offset) { return position + offset }
          }
        }
        position += 16
      }
      while position + 1 < min(end, bytes.count) {
        if isWord(bytes, position) { return position }
        position += 1
      }
      return nil
    }
  }

  @inline(__always)
  private static func mask(
    _ first: SIMD16<UInt8>,
    _ second: SIMD16<UInt8>
  ) -> SIMDMask<SIMD16<Int8>> {
    let folded = first | SIMD16(repeating: 0x20)
    let b =
      (folded .== UInt8(ascii: "b")) .& ((second | SIMD16(repeating: 0x20)) .== UInt8(ascii: "s"))
    let v = (second .== UInt8(ascii: "V")) .& (first .== UInt8(ascii: "y"))
    let o = (first .== UInt8(ascii: "V")) .& (second .== UInt8(ascii: "O"))
    let p = (first .== UInt8(ascii: "y")) .& (second .== UInt8(ascii: "P"))
    let d =
      (first .== UInt8(ascii: "d"))
      .& ((second .== UInt8(ascii: "K")) .| (second .== UInt8(ascii: "N")))
    return b .| v .| o .| p .| d
  }

  /// Whether one of the words begins at `position`, or at the byte before it.
  private static func isWord(_ bytes: UnsafeRawBufferPointer, _ position: Int) -> Bool {
    func has(_ word: StaticString, _ at: Int) -> Bool {
      let count = word.utf8CodeUnitCount
      guard at >= 0, at + count <= bytes.count else { return false }
      for index in 0..<count where bytes[at + index] != word.utf8Start[index] { return false }
      return true
    }
    switch bytes[position] {
    case UInt8(ascii: "b"): return has("bserv", position)
    case UInt8(ascii: "B"): return has("BSERV", position)
    case UInt8(ascii: "y"): return has("yVal", position) || has("yPath", position)
    case UInt8(ascii: "V"): return has("KVO", position - 1)
    case UInt8(ascii: "d"): return has("dKey", position) || has("dNotify", position)
    default: return false
    }
  }
}

/// Counts line ends.
enum LineCounter {
  static func count(in bytes: ArraySlice<UInt8>) -> Int {
    bytes.withUnsafeBufferPointer { bytes in
      var count = 0
      for byte in bytes where byte == 0x0a { count += 1 }
      return count
    }
  }
}
