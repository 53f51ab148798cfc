/// A passage of text without the damage that mail, web pages and source comments do to it.
///
/// Entities and escapes are resolved, HTML tags and comment and quotation markers are removed, quotation marks are
/// straight. Line breaks are preserved. Next to the text there is its skeleton: only the letters and digits, in lower
/// case. In it a sentence is one run of bytes however it was wrapped, quoted or set in bold, and `origins` leads back
/// into the text.
struct CleanText {
  /// UTF-8, with `\n` at the end of each line.
  private(set) var bytes: [UInt8] = []
  /// Letters and digits of ASCII in lower case.
  private(set) var skeleton: [UInt8] = []
  /// For each byte of the skeleton where it is in `bytes`.
  private(set) var origins: [Int32] = []
  /// Where each line of `bytes` begins, ascending.
  private(set) var lineStarts: [Int32] = [0]
  /// The 1-based number of each line in the input; escaped line ends do not count.
  private(set) var lineNumbers: [Int]
  /// For each line whether it began with a C comment marker, or inside such a comment.
  private(set) var isComment: [Bool] = [false]
  /// The lines that end with a backslash, ascending.
  private var continuedLines: [Int32] = []
  /// What logs put before the lines, one after another; `bytes` have none of it.
  private var prefixes: [UInt8] = []
  /// For each line where its part of `prefixes` begins.
  private var prefixStarts: [Int32] = [0]

  /// Cleans `raw`, which begins with line `firstLine` of its input, and whose lines have `leaders`; nil: it shows which.
  ///
  /// Complexity: O(length).
  init(_ raw: ArraySlice<UInt8>, firstLine: Int = 1, leaders: [LineLeader]? = nil) {
    lineNumbers = [firstLine]
    bytes.reserveCapacity(raw.count)
    skeleton.reserveCapacity(raw.count)
    origins.reserveCapacity(raw.count)
    var cleaner = TextCleaner(
      source: raw,
      line: firstLine,
      leaders: leaders ?? LineLeader.all(in: raw)
    )
    cleaner.clean(into: &self)
  }

  // MARK: - What a cleaner adds

  mutating func append(_ byte: UInt8) { bytes.append(byte) }

  mutating func appendLetter(_ byte: UInt8) {
    skeleton.append(byte.lowercasedASCII)
    origins.append(Int32(truncatingIfNeeded: bytes.count))
    bytes.append(byte)
  }

  mutating func endLine(next line: Int) {
    bytes.append(UInt8(ascii: "\n"))
    lineStarts.append(Int32(truncatingIfNeeded: bytes.count))
    lineNumbers.append(line)
    isComment.append(false)
    prefixStarts.append(Int32(truncatingIfNeeded: prefixes.count))
  }

  /// Keeps what a log put before the line that has just begun: sentences continue without it.
  mutating func appendLogPrefix(_ prefix: ArraySlice<UInt8>) { prefixes.append(contentsOf: prefix) }

  /// Says that the line that has just begun is a comment.
  mutating func markComment() { isComment[isComment.count - 1] = true }

  /// Says that the line being added ends with a backslash.
  mutating func markContinued() {
    continuedLines.append(Int32(truncatingIfNeeded: lineStarts.count - 1))
  }

  // MARK: - Asking

  /// Whether a line ends with a backslash, which is not in `bytes`.
  ///
  /// Complexity: O(lines that do).
  func isContinued(line: Int) -> Bool { continuedLines.contains(Int32(truncatingIfNeeded: line)) }

  /// The index of the line that holds the byte at `position`.
  ///
  /// Complexity: O(log lines).
  func line(at position: Int) -> Int {
    var low = 0
    var high = lineStarts.count
    while low < high {
      let middle = (low + high) / 2
      if Int(lineStarts[middle]) <= position { low = middle + 1 } else { high = middle }
    }
    return max(0, low - 1)
  }

  /// The number in the input of the line that holds the byte at `position`.
  func number(at position: Int) -> Int { lineNumbers[line(at: position)] }

  /// The bytes of a line, without its end.
  func lineRange(_ line: Int) -> Range<Int> {
    let start = Int(lineStarts[line])
    let end = line + 1 < lineStarts.count ? Int(lineStarts[line + 1]) - 1 : bytes.count
    return start..<max(start, end)
  }

  /// The time, process and level that a log put before a line; empty: none.
  func logPrefix(ofLine line: Int) -> ArraySlice<UInt8> {
    let end = line + 1 < prefixStarts.count ? Int(prefixStarts[line + 1]) : prefixes.count
    return prefixes[Int(prefixStarts[line])..<end]
  }

  /// Where the byte of the skeleton at `offset` is in the text; the end after the last.
  func position(ofSkeleton offset: Int) -> Int {
    offset < origins.count ? Int(origins[offset]) : bytes.count
  }

  /// Where in the skeleton the first byte at or after `position` of the text is.
  ///
  /// Complexity: O(log length).
  func skeletonOffset(at position: Int) -> Int {
    var low = 0
    var high = origins.count
    while low < high {
      let middle = (low + high) / 2
      if Int(origins[middle]) < position { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Whether `words` are anywhere in the text.
  ///
  /// Complexity: O(length).
  func has(_ words: StaticString) -> Bool { FrameLine.first(words, in: bytes[...]) != nil }

  /// The whole text.
  var string: String { String(decoding: bytes, as: UTF8.self) }

  /// The text of `range`, in one line.
  func string(_ range: Range<Int>) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(range.count)
    for position in range {
      let byte = bytes[position]
      let isBlank = byte == 0x20 || byte == 0x09 || byte == 0x0a
      if isBlank {
        if result.last != 0x20, !result.isEmpty { result.append(0x20) }
      } else {
        result.append(byte)
      }
    }
    if result.last == 0x20 { result.removeLast() }
    return String(decoding: result, as: UTF8.self)
  }
}

extension UInt8 {
  var isASCIIDigit: Bool { self >= 0x30 && self <= 0x39 }
  var isASCIILetter: Bool { (self | 0x20) >= 0x61 && (self | 0x20) <= 0x7a }
  var isHexDigit: Bool { isASCIIDigit || ((self | 0x20) >= 0x61 && (self | 0x20) <= 0x66) }
  var isBlank: Bool { self == 0x20 || self == 0x09 }
  /// Whether it may be in a name of C, or in the qualified name of a Swift type.
  var isNamePart: Bool {
    isASCIILetter || isASCIIDigit || self == UInt8(ascii: "_") || self == UInt8(ascii: "$")
      || self == UInt8(ascii: ".") || self >= 0x80
  }
  var lowercasedASCII: UInt8 { self >= 0x41 && self <= 0x5a ? self | 0x20 : self }
}
