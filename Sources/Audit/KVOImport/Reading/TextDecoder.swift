/// Turns the bytes of an input into UTF-8, whatever encoding they are in.
///
/// UTF-16 and UTF-32 are known by their marks or by the zeros between their letters. Anything else passes unchanged: the searched words
/// are ASCII, and are the same in every other encoding of logs. The first bytes wait until there are enough to decide,
/// so that the pieces of an input do not matter.
struct TextDecoder {
  private enum Encoding {
    case undecided
    case asItIs
    case utf16(isBigEndian: Bool)
    case utf32(isBigEndian: Bool)
  }

  /// How many bytes determine the encoding.
  private static let headByteCount = 512

  private var encoding = Encoding.undecided
  private var head: [UInt8] = []
  /// The unit that is incomplete at the end of the last piece, and how many bytes of it there are.
  private var unit: UInt32 = 0
  private var unitByteCount = 0
  /// The first half of a character that takes two units, at the end of the last piece.
  private var lead: UInt16?
  /// Why the input is not text, or nil.
  private(set) var refusal: String?
  /// Why the input may not be text, if nothing is found in it.
  private(set) var doubt: String?

  /// The name of the encoding, if it is another than UTF-8; with its byte order, which a text without a mark does not
  /// say.
  var encodingName: String? {
    switch encoding {
    case .undecided, .asItIs: nil
    case .utf16(let isBigEndian): isBigEndian ? "UTF-16BE" : "UTF-16LE"
    case .utf32(let isBigEndian): isBigEndian ? "UTF-32BE" : "UTF-32LE"
    }
  }

  /// The next piece as UTF-8.
  mutating func decode(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard refusal == nil else { return [] }
    switch encoding {
    case .asItIs: return bytes
    case .utf16(let isBigEndian): return utf16(bytes, isBigEndian: isBigEndian)
    case .utf32(let isBigEndian): return utf32(bytes, isBigEndian: isBigEndian)
    case .undecided:
      head.append(contentsOf: bytes)
      return head.count < Self.headByteCount ? [] : begin()
    }
  }

  /// The rest at the end.
  mutating func finish() -> ArraySlice<UInt8> {
    if case .undecided = encoding { return begin() }
    return []
  }

  /// Determines the encoding, and decodes the pending bytes.
  private mutating func begin() -> ArraySlice<UInt8> {
    let bytes = head
    head = []
    encoding = Self.encoding(of: bytes.prefix(Self.headByteCount))
    if case .asItIs = encoding {
      if let tool = Self.unpackingTools.first(where: { bytes.starts(with: $0.mark) })?.tool {
        refusal = "packed; unpack it first: \(tool)"
      } else {
        let head = bytes.prefix(Self.headByteCount)
        if Self.isBinary(head) { refusal = Self.noText }
        if Self.mayBeBinary(head) { doubt = Self.noText }
      }
    }
    return decode(bytes[...])
  }

  private static func encoding(of head: ArraySlice<UInt8>) -> Encoding {
    // The mark of UTF-32 begins like that of UTF-16, whose text has no zero character.
    if head.starts(with: [0xff, 0xfe, 0, 0]) { return .utf32(isBigEndian: false) }
    if head.starts(with: [0, 0, 0xfe, 0xff]) { return .utf32(isBigEndian: true) }
    if head.starts(with: [0xff, 0xfe]) { return .utf16(isBigEndian: false) }
    if head.starts(with: [0xfe, 0xff]) { return .utf16(isBigEndian: true) }
    // What another program appended does not decide about the words before it.
    let front = head.prefix(asciiByteCount)
    guard head.count >= 8, front.count < asciiByteCount || !front.allSatisfy(isASCIIText) else {
      return .asItIs
    }
    // The zeros at each position in four bytes.
    var zeros = [0, 0, 0, 0]
    for (index, byte) in head.enumerated() where byte == 0 { zeros[index % 4] += 1 }
    let (units, pairs) = (head.count / 4, head.count / 2)
    // No character needs the first byte of four, and few the second.
    if zeros[3] == units, zeros[2] * 4 > units * 3, zeros[0] == 0 {
      return .utf32(isBigEndian: false)
    }
    if zeros[0] >= units, zeros[1] * 4 > units * 3, zeros[3] == 0 {
      return .utf32(isBigEndian: true)
    }
    let (even, odd) = (zeros[0] + zeros[2], zeros[1] + zeros[3])
    if odd * 4 > pairs * 3, even == 0 { return .utf16(isBigEndian: false) }
    if even * 4 > pairs * 3, odd == 0 { return .utf16(isBigEndian: true) }
    return .asItIs
  }

  /// So many bytes are not text in UTF-16 if each is a character of ASCII.
  private static let asciiByteCount = 16

  private static func isASCIIText(_ byte: UInt8) -> Bool {
    (0x20..<0x7f).contains(byte) || (0x09...0x0d).contains(byte)
  }

  /// The magic numbers of compressed files, and the tools that unpack them.
  private static let unpackingTools: [(mark: [UInt8], tool: String)] = [
    ([0x1f, 0x8b], "gunzip -c"), ([0xfd, 0x37, 0x7a, 0x58, 0x5a], "xz -dc"),
    ([0x28, 0xb5, 0x2f, 0xfd], "zstd -dc"), ([0x42, 0x5a, 0x68], "bunzip2 -c"),
    ([0x50, 0x4b, 0x03, 0x04], "unzip -p"),
  ]

  private static let noText =
    "neither text nor a usage log: it has bytes that no text has; name the crash report or console text "
    + "inside it, unpacked"

  /// Whether it contains zeros, which no text has.
  private static func isBinary(_ head: ArraySlice<UInt8>) -> Bool {
    head.count(where: { $0 == 0 }) * 16 > head.count
  }

  /// Whether it has more control characters than text has, except for whitespace and color sequences.
  private static func mayBeBinary(_ head: ArraySlice<UInt8>) -> Bool {
    head.count { $0 < 0x20 && !(0x08...0x0d).contains($0) && $0 != 0x1b } * 16 > head.count
  }

  private mutating func utf16(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> ArraySlice<UInt8> {
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count / 2 + 2)
    if let lead { units.append(lead) }
    lead = nil
    gather(2, bytes, isBigEndian: isBigEndian) { units.append(UInt16(truncatingIfNeeded: $0)) }
    if let last = units.last, UTF16.isLeadSurrogate(last) { lead = units.removeLast() }
    return Array(String(decoding: units, as: UTF16.self).utf8)[...]
  }

  private mutating func utf32(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> ArraySlice<UInt8> {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count / 4 + 4)
    gather(4, bytes, isBigEndian: isBigEndian) {
      text.append(contentsOf: String(Unicode.Scalar($0) ?? "\u{fffd}").utf8)
    }
    return text[...]
  }

  /// Calls `take` with each whole unit of `byteCount` bytes; those of an incomplete one wait for the next piece.
  private mutating func gather(
    _ byteCount: Int,
    _ bytes: ArraySlice<UInt8>,
    isBigEndian: Bool,
    _ take: (UInt32) -> Void
  ) {
    for byte in bytes {
      unit = isBigEndian ? unit << 8 | UInt32(byte) : unit | UInt32(byte) << (8 * unitByteCount)
      unitByteCount += 1
      guard unitByteCount == byteCount else { continue }
      take(unit)
      (unit, unitByteCount) = (0, 0)
    }
  }
}
