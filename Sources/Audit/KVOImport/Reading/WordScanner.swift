import CKVOScan

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Searches for the few letters that every KVO word has, 64 bytes at a time.
///
/// `bserv` (observer, Observation), `yVal` (NSKeyValue), `KVO`, `yPath`, `dKey` (UndefinedKey) and
/// `dNotify` are in every sentence and every function by which a fault can be recognized, even if the
/// sentence is wrapped. Their pairs `bs`, `yV`, `VO`, `yP`, `dK`, `dN` are rare in other text: `CKVOScan` looks for
/// these, and only if it finds one is the word read.
///
/// The letters before it decide then, because other text has such words, too: an observed change of state, the
/// path of a directory, `cachedKey`. Only letters count, so that a line end or a leader between them does not.
///
/// Unsafe: it reads the array's memory by its address. Every read lies inside the array, by the conditions
/// of the loops and of `CKVOScan`. It never writes and keeps no address.
enum WordScanner {
  /// The position of the next possible word in `bytes`.
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
    guard let text = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
    var position = start
    while position < end {
      position = kvos_scan_pair(text, position, end, bytes.count)
      if position < end, isWord(bytes, position) { return position }
      position += 1
    }
    return nil
  }

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

  /// How far back the deciding letters are read.
  private static let reach = 160

  /// Whether the letters of `word`, in lower case, are before `position`, with only non-letters between.
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

  /// What is before an observer in a sentence of a runtime.
  private static let leads: [StaticString] = [
    "removean", "remove", "updatefor", "keyvalue", "allocatedwith", "allocatedwhile",
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

  /// Where `word` begins next in `bytes`, from `start` on and before `end`.
  ///
  /// - Complexity: O(length).
  static func first(_ word: StaticString, in bytes: [UInt8], from start: Int, to end: Int) -> Int? {
    bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return nil }
      let end = min(end, bytes.count)
      var position = start
      while position < end,
        let found = memchr(base + position, Int32(word.utf8Start[0]), end - position)
      {
        let index = UnsafeRawPointer(found) - base
        if has(word, bytes, index) { return index }
        position = index + 1
      }
      return nil
    }
  }

  /// Whether `word` begins at the index `at` of `bytes`, which may lie outside of them.
  static func has(_ word: StaticString, _ bytes: UnsafeRawBufferPointer, _ at: Int) -> Bool {
    let count = word.utf8CodeUnitCount
    guard at >= 0, at + count <= bytes.count else { return false }
    for index in 0..<count where bytes[at + index] != word.utf8Start[index] { return false }
    return true
  }
}

/// Counts line ends, sixteen bytes at a time.
enum LineCounter {
  static func count(in bytes: ArraySlice<UInt8>) -> Int {
    bytes.withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { kvos_scan_line_ends($0, bytes.count) } ?? 0
    }
  }
}
