/// Looks for the few letters that every word of observing has, eight bytes at a time.
///
/// `bserv` (observer, Observation), `yVal` (NSKeyValue), `KVO`, `yPath`, `dKey` (UndefinedKey) and
/// `dNotify` are in every sentence and every function that a fault can be told by, also where the
/// sentence is wrapped. Their pairs `bs`, `yV`, `VO`, `yP`, `dK`, `dN` are rare in other text: eight
/// bytes are compared with the pairs, shifted by one, and looked at closer only if one is among them. The vector
/// types of the standard library compare lane by lane without optimisation for this target, and are slower.
///
/// The letters before it decide then, because other text has such words, too: an observed change of state, the
/// path of a directory, `cachedKey`. Only letters count, so that a line end or a leader between them does not.
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

  /// Not zero if one of the pairs begins in the eight bytes at `offset`; rarely also without one.
  ///
  /// Two second letters that differ in two bits are compared without these, as four letters.
  @inline(__always)
  private static func pairs(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    let first = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    let second = bytes.loadUnaligned(fromByteOffset: offset + 1, as: UInt64.self)
    let folds = ones &* 0x20
    let bs = ((first | folds) ^ ones &* 0x62) | ((second | folds) ^ ones &* 0x73)
    let vo = (first ^ ones &* 0x56) | (second ^ ones &* 0x4f)
    // V and P, and K and N.
    let y = (first ^ ones &* 0x79) | ((second & (ones &* 0xf9)) ^ ones &* 0x50)
    let d = (first ^ ones &* 0x64) | ((second & (ones &* 0xfa)) ^ ones &* 0x4a)
    return (zero(bs) | zero(vo) | zero(y) | zero(d)) & highs
  }

  /// The high bit of every byte of `word` that is zero, and of some above one.
  @inline(__always)
  private static func zero(_ word: UInt64) -> UInt64 { (word &- ones) & ~word }

  /// Whether one of the words begins at `position`, or at the byte before it.
  private static func isWord(_ bytes: UnsafeRawBufferPointer, _ position: Int) -> Bool {
    switch bytes[position] {
    case UInt8(ascii: "b"): has("bserv", bytes, position) && isObserver(bytes, position)
    case UInt8(ascii: "B"): has("BSERV", bytes, position) && isObserver(bytes, position)
    case UInt8(ascii: "y"):
      (has("yVal", bytes, position) || has("yPath", bytes, position))
        && follows("ke", bytes, position)
    case UInt8(ascii: "V"): has("KVO", bytes, position - 1) && isName(bytes, position - 1)
    case UInt8(ascii: "d"):
      has("dKey", bytes, position) && follows("define", bytes, position)
        || has("dNotify", bytes, position) && follows("an", bytes, position)
    default: false
    }
  }

  /// Whether `KVO` is a word or the front or end of a name, and not three letters of encoded data.
  private static func isName(_ bytes: UnsafeRawBufferPointer, _ position: Int) -> Bool {
    func isData(_ index: Int) -> Bool {
      guard index >= 0, index < bytes.count else { return false }
      let byte = bytes[index]
      return byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "+")
        || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "=")
    }
    return !isData(position + 3) || position > 0 && bytes[position - 1] == UInt8(ascii: "S")
      || position > 0 && bytes[position - 1] == UInt8(ascii: "_")
  }

  /// How far back the letters are read that decide.
  private static let reach = 160

  /// Whether the letters of `word`, in lower case, stand before `position`, with nothing but other signs between.
  private static func follows(
    _ word: StaticString,
    _ bytes: UnsafeRawBufferPointer,
    _ position: Int
  ) -> Bool {
    var at = position - 1
    let first = max(0, position - reach)
    var left = word.utf8CodeUnitCount
    while left > 0 {
      guard at >= first else { return false }
      let byte = bytes[at]
      at -= 1
      guard byte.isASCIILetter else { continue }
      left -= 1
      if byte | 0x20 != word.utf8Start[left] { return false }
    }
    return true
  }

  /// What stands before an observer in a sentence of a runtime.
  private static let leads: [StaticString] = [
    "removean", "remove", "updatefor", "keyvalue", "allocatedwith",
  ]

  /// Whether a sentence leads to the observer at `position`; its other words have letters of their own.
  ///
  /// Some letters more may lie between, those of a tag around the name.
  private static func isObserver(_ bytes: UnsafeRawBufferPointer, _ position: Int) -> Bool {
    var at = position
    let first = max(0, position - reach)
    var letters = 0
    while at > first, letters < 10 {
      at -= 1
      guard bytes[at].isASCIILetter else { continue }
      letters += 1
      if leads.contains(where: { follows($0, bytes, at + 1) }) { return true }
    }
    return false
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
      let ones: UInt64 = 0x0101_0101_0101_0101
      let sevens = ones &* 0x7f
      var count = 0
      var offset = 0
      while offset + 8 <= bytes.count {
        // As many words as a byte can count the other bytes of.
        let end = min(bytes.count - 8, offset + 8 * 254)
        var others: UInt64 = 0
        var words = 0
        while offset <= end {
          let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) ^ ones &* 0x0a
          others &+= ((((word & sevens) &+ sevens) | word) >> 7) & ones
          words += 1
          offset += 8
        }
        count += words * 8
        for shift in stride(from: 0, to: 64, by: 8) { count -= Int(others >> shift & 0xff) }
      }
      while offset < bytes.count {
        if bytes[offset] == 0x0a { count += 1 }
        offset += 1
      }
      return count
    }
  }
}
