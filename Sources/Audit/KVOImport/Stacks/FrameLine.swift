/// Reads one line of a stack, in any common format.
///
/// Crash reports, lldb, gdb, Crashlytics and their copies in issue trackers have little in common: a number, an image,
/// an address and a function, some of them, in this or another order.
struct FrameLine {
  private let bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    // A longer line is not a frame, regardless of its start.
    self.bytes = bytes.prefix(4_000)
  }

  /// The frame, or nil if the line is something else.
  ///
  /// - Parameter isInside: whether the line before was a frame, so that weaker evidence is enough.
  /// - Returns: the frame, or nil.
  func frame(isInside: Bool) -> StackTrace.Frame? {
    var rest = bytes.drop(while: \.isBlank)
    guard let first = rest.first else { return nil }
    if first == UInt8(ascii: "f"), rest.starts(with: "frame #".utf8) {
      return lldb(rest.dropFirst(7))
    }
    if first == UInt8(ascii: "#") { return gdb(rest.dropFirst()) }
    if let mono = mono(rest) { return mono }
    if first.isASCIIDigit {
      let digits = rest.prefix(while: \.isASCIIDigit)
      rest = rest.dropFirst(digits.count)
      if let script = ScriptFrame.frame(rest), rest.first?.isBlank == true, script.isManaged {
        return script
      }
      guard digits.count < 4, let next = rest.first,
        next.isBlank || next == UInt8(ascii: ".") || next == UInt8(ascii: ":")
          || next == UInt8(ascii: ")") || next == UInt8(ascii: "|")
      else { return nil }
      let body = rest.drop {
        $0.isBlank || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ":")
          || $0 == UInt8(ascii: ")") || $0 == UInt8(ascii: "|")
      }
      // A debugger's line that an editor numbered.
      if body.starts(with: "frame #".utf8) { return lldb(body.dropFirst(7)) }
      var frame = swiftBacktrace(body) ?? breakpad(body) ?? numbered(body)
      frame?.number = Int(String(decoding: digits, as: UTF8.self))
      return frame
    }
    if isMethod(rest) { return bare(rest) }
    if isInside, let named = namedAfterwards(rest) { return named }
    if Self.isFileName(rest) { return nil }
    if let script = ScriptFrame.frame(rest) { return script }
    if let hockey = semicolons(rest) { return hockey }
    if let path = inImagePath(rest) { return path }
    return isInside || isKnownFunction(rest) ? oneWord(rest) : nil
  }

  // MARK: - Forms

  /// `CoreFoundation   0x000000010efa11e6 __exceptionPreprocess + 294`, with or without address.
  private func numbered(_ body: ArraySlice<UInt8>) -> StackTrace.Frame? {
    if let hex = hexadecimal(in: body) {
      let image = Self.trimmed(body[..<hex.range.lowerBound])
      let tail = Self.trimmed(body[hex.range.upperBound...])
      // A word in the middle of prose is not an image.
      guard image.count <= 80 else { return nil }
      var frame = function(tail)
      frame.address = hex.value
      frame.image = image.isEmpty ? frame.image : String(decoding: image, as: UTF8.self)
      if Self.isOffset(tail, in: image) { frame.symbol = nil }
      if frame.symbol == nil, frame.image == nil { return nil }
      return frame
    }
    let image = body.prefix { !$0.isBlank && $0 != UInt8(ascii: "|") }
    var tail = Self.trimmed(body.dropFirst(image.count))
    // Some exports write addresses in decimal.
    let decimal = tail.prefix(while: \.isASCIIDigit)
    if decimal.count >= 7, decimal.endIndex < tail.endIndex, tail[decimal.endIndex].isBlank {
      tail = Self.trimmed(tail.dropFirst(decimal.count))
    }
    if looksLikeFunction(tail), !isMethod(body) {
      var frame = function(tail)
      frame.image = String(decoding: image, as: UTF8.self)
      return frame
    }
    return looksLikeFunction(body) ? function(body) : nil
  }

  /// `0: 0x01c998b9 libobjc.A.dylib`objc_msgSend + 16 at File.m:3`.
  private func lldb(_ rest: ArraySlice<UInt8>) -> StackTrace.Frame? {
    let digits = rest.prefix(while: \.isASCIIDigit)
    guard !digits.isEmpty, digits.count < 5 else { return nil }
    var body = Self.trimmed(
      rest.dropFirst(digits.count).drop { $0 == UInt8(ascii: ":") || $0.isBlank }
    )
    var frame = StackTrace.Frame()
    if let hex = hexadecimal(in: body), hex.range.lowerBound == body.startIndex {
      frame.address = hex.value
      body = Self.trimmed(body[hex.range.upperBound...])
    }
    let tick = body.firstIndex(of: UInt8(ascii: "`"))
    let image = tick.map { Self.trimmed(body[..<$0]) }
    let named = function(tick.map { body[($0 + 1)...] } ?? body)
    frame.image = image.map { String(decoding: $0, as: UTF8.self) }
    frame.symbol = named.symbol
    frame.file = named.file
    frame.line = named.line
    frame.number = Int(String(decoding: digits, as: UTF8.self))
    return frame.symbol == nil && frame.address == nil ? nil : frame
  }

  /// `0  0x00007fff in objc_msgSend () from /usr/lib/libobjc.A.dylib`.
  private func gdb(_ rest: ArraySlice<UInt8>) -> StackTrace.Frame? {
    let digits = rest.prefix(while: \.isASCIIDigit)
    guard !digits.isEmpty, digits.count < 5 else { return nil }
    var body = Self.trimmed(rest.dropFirst(digits.count))
    guard let first = body.first, first != UInt8(ascii: ")") else { return nil }
    // Xcode has no address to name when a thread is only listed.
    if body.starts(with: "(null) in ".utf8) { body = body.dropFirst(10) }
    var address: UInt64?
    if let hex = hexadecimal(in: body), hex.range.lowerBound == body.startIndex {
      address = hex.value
      body = Self.trimmed(body[hex.range.upperBound...])
      if body.starts(with: "in ".utf8) { body = body.dropFirst(3) }
      if var frame = sanitizer(body) {
        frame.address = address
        frame.number = Int(String(decoding: digits, as: UTF8.self))
        return frame
      }
    } else if let hex = hexadecimal(in: body), !body.starts(with: "-[".utf8) {
      // Crash reporters also number with a hash: `#0 Foundation 0x1a2b function`.
      var frame = numbered(body)
      if hex.range.lowerBound - body.startIndex < 80, frame?.image?.contains("(") != true {
        frame?.number = Int(String(decoding: digits, as: UTF8.self))
        return frame
      }
    } else if !looksLikeFunction(body), !body.contains(UInt8(ascii: "(")) {
      return nil
    }
    var frame = function(body)
    frame.address = address
    frame.number = Int(String(decoding: digits, as: UTF8.self))
    return frame.symbol == nil && address == nil ? nil : frame
  }

  /// `-[Screen dealloc] + 70 at Screen.m:54` without a number.
  private func bare(_ rest: ArraySlice<UInt8>) -> StackTrace.Frame? {
    guard let close = rest.firstIndex(of: UInt8(ascii: "]")), close - rest.startIndex < 400 else {
      return nil
    }
    // In a sentence a colon or a word follows, not an offset or the end.
    let tail = Self.trimmed(rest[(close + 1)...])
    guard
      tail.isEmpty || tail.first == UInt8(ascii: "+") || tail.first == UInt8(ascii: "(")
        || tail.starts(with: "at ".utf8) || tail.first == UInt8(ascii: "|")
    else { return nil }
    return function(rest)
  }

  /// `Screen;dealloc;Screen.m;54`, as HockeyApp lists them.
  private func semicolons(_ rest: ArraySlice<UInt8>) -> StackTrace.Frame? {
    guard rest.count < 300 else { return nil }
    let parts = rest.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    guard parts.count == 4, let line = Int(String(decoding: parts[3], as: UTF8.self)),
      parts[2].contains(UInt8(ascii: "."))
    else { return nil }
    let type = String(decoding: parts[0], as: UTF8.self)
    let method = String(decoding: parts[1], as: UTF8.self)
    return StackTrace.Frame(
      symbol: type == "-" || type.isEmpty ? method : "-[\(type) \(method)]",
      file: String(decoding: parts[2], as: UTF8.self),
      line: line
    )
  }

  /// `Frameworks/Foundation.framework/Foundation -[NSObject …]`, as some trackers list them.
  private func inImagePath(_ rest: ArraySlice<UInt8>) -> StackTrace.Frame? {
    let path = rest.prefix { !$0.isBlank }
    guard path.contains(UInt8(ascii: "/")), path.count < 300 else { return nil }
    let tail = Self.trimmed(rest.dropFirst(path.count))
    guard looksLikeFunction(tail) else { return nil }
    var frame = function(tail)
    let name = String(decoding: path, as: UTF8.self)
    let parts = name.split(separator: ":")
    if parts.count >= 2, let line = Int(parts[1]) {
      frame.file = String(parts[0])
      frame.line = line
    } else {
      frame.image = name
    }
    return frame
  }

  /// A line that is the name of a function and nothing else.
  private func oneWord(_ rest: ArraySlice<UInt8>) -> StackTrace.Frame? {
    let word = Self.trimmed(rest)
    guard word.count > 3, word.count < 120, !word.contains(where: \.isBlank),
      word.allSatisfy({ $0.isNamePart || $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: ")") }),
      word.contains(UInt8(ascii: "_")) || isKnownFunction(word) || word.last == UInt8(ascii: ")")
    else { return nil }
    return StackTrace.Frame(symbol: String(decoding: word, as: UTF8.self))
  }

  // MARK: - Parts

  /// `-[Screen dealloc] + 70 (Screen.m:54)` and its variants.
  func function(_ text: ArraySlice<UInt8>) -> StackTrace.Frame {
    var frame = StackTrace.Frame()
    var name = Self.trimmed(text)
    // The end of a row of a table.
    if name.last == UInt8(ascii: "|") { name = Self.trimmed(name.dropLast()) }
    // A symbolicated name after the raw name is better than the raw one.
    if let arrow = Self.first("-> ", in: name) {
      let better = Self.trimmed(name[(arrow + 3)...])
      // A function of Swift has the same arrow before its return type.
      if isMethod(better) || Self.first(" (in ", in: better) != nil { name = better }
    }
    name = Self.withoutGluedLocation(name, into: &frame)
    if let separator = Self.first(" at ", in: name) {
      separator.readLocation(of: name, skipping: 4, into: &frame)
      name = name[..<separator]
    }
    if let from = Self.first(" from ", in: name) {
      let path = Self.trimmed(name[(from + 6)...])
      if path.contains(UInt8(ascii: "/")) || path.contains(UInt8(ascii: ".")) {
        frame.image = String(decoding: path, as: UTF8.self)
        name = name[..<from]
      }
    }
    while name.last == UInt8(ascii: ")"), let open = name.lastIndex(of: UInt8(ascii: "(")),
      open > name.startIndex, name[open - 1].isBlank
    {
      let inside = name[(open + 1)...].dropLast()
      if inside.starts(with: "in ".utf8) {
        frame.image = String(decoding: Self.trimmed(inside.dropFirst(3)), as: UTF8.self)
      } else if inside.contains(UInt8(ascii: ":")) {
        open.readLocation(of: name.dropLast(), skipping: 1, into: &frame)
      }
      name = Self.trimmed(name[..<open])
    }
    // The file of a frame that was wrapped inside its name.
    if let open = name.lastIndex(of: UInt8(ascii: "(")), open > name.startIndex,
      name[open - 1].isBlank, !name[open...].contains(UInt8(ascii: ")")),
      Self.lastOffset(in: Self.trimmed(name[..<open])) != nil
    {
      name = Self.trimmed(name[..<open])
    }
    name = Self.withoutArguments(name)
    if let plus = Self.lastOffset(in: name) { name = name[..<plus] }
    name = Self.trimmed(name)
    let spelled = String(decoding: name, as: UTF8.self)
    let isNothing = spelled.isEmpty || spelled.hasPrefix("0x") || Self.isMissing(spelled)
    frame.symbol = isNothing ? nil : Self.repaired(Demangler.demangled(spelled))
    return frame
  }

  /// Whether the line is the name of a source file, as at the top of one.
  private static func isFileName(_ line: ArraySlice<UInt8>) -> Bool {
    let word = trimmed(line)
    guard word.count < 120, !word.contains(where: \.isBlank) else { return false }
    return [".m", ".h", ".mm", ".swift", ".c", ".cpp", ".cs", ".js"].contains {
      word.ends(with: $0)
    }
  }

  /// Markdown interprets the underscores before a name as bold.
  private static func repaired(_ name: String) -> String {
    let plain = name.hasPrefix("**") ? "__" + name.dropFirst(2) : name
    // A function of Swift may return `()`.
    return plain.hasSuffix(" ()") && !plain.hasSuffix("-> ()") ? String(plain.dropLast(3)) : plain
  }

  /// Where ` + 123` at the end begins.
  static func lastOffset(in name: ArraySlice<UInt8>) -> Int? {
    var end = name.endIndex
    while end > name.startIndex, name[end - 1].isASCIIDigit { end -= 1 }
    guard end < name.endIndex, end - 3 > name.startIndex, name[end - 1].isBlank,
      name[end - 2] == UInt8(ascii: "+"), name[end - 3].isBlank
    else { return nil }
    return end - 3
  }

  func hexadecimal(in body: ArraySlice<UInt8>) -> (value: UInt64, range: Range<Int>)? {
    var position = body.startIndex
    while let zero = body[position...].firstIndex(of: UInt8(ascii: "0")) {
      position = zero + 1
      guard position < body.endIndex, body[position] | 0x20 == UInt8(ascii: "x"),
        zero == body.startIndex || body[zero - 1].isBlank || body[zero - 1] == UInt8(ascii: "[")
          || body[zero - 1] == UInt8(ascii: "|")
      else { continue }
      let digits = body[(position + 1)...].prefix(while: \.isHexDigit)
      guard !digits.isEmpty, digits.count <= 16,
        let value = UInt64(String(decoding: digits, as: UTF8.self), radix: 16)
      else { continue }
      var end = digits.endIndex
      while end < body.endIndex, body[end] == UInt8(ascii: "]") || body[end] == UInt8(ascii: "|") {
        end += 1
      }
      return (value, zero..<end)
    }
    return nil
  }

  func isMethod(_ text: ArraySlice<UInt8>) -> Bool {
    text.starts(with: "-[".utf8) || text.starts(with: "+[".utf8)
  }

  private static let known = [
    "NSKeyValue", "_NSSet", "objc_", "_objc_", "__exceptionPreprocess", "___forwarding___", "NSKVO",
    "_NSKeyValue", "NSKVONotifying", "_CF_forwarding", "__CFRunLoop", "CFRunLoop",
    "UIApplicationMain", "KVO_IS_RETAINING", "_KVO_IS_RETAINING",
  ]

  private func isKnownFunction(_ text: ArraySlice<UInt8>) -> Bool {
    Self.known.contains { text.starts(with: $0.utf8) }
  }

  /// Whether it can only be a function, not words of prose.
  func looksLikeFunction(_ text: ArraySlice<UInt8>) -> Bool {
    guard let first = text.first else { return false }
    if isMethod(text) || isKnownFunction(text) { return true }
    if text.starts(with: "<redacted>".utf8) || text.starts(with: "(Missing)".utf8) { return true }
    if first == UInt8(ascii: "_") || first == UInt8(ascii: "$") || first == UInt8(ascii: "@")
      || text.starts(with: "**exception".utf8)
    {
      return true
    }
    if Self.lastOffset(in: text) != nil { return true }
    if text.starts(with: "closure #".utf8) || text.starts(with: "main".utf8) && text.count == 4 {
      return true
    }
    let word = text.prefix { !$0.isBlank }
    // `(API level 10)` is a remark; the names of C++ and Swift that begin so go on after it.
    if first == UInt8(ascii: "("), Self.first("):", in: text) == nil { return false }
    return word.contains(UInt8(ascii: "(")) && word.contains(where: \.isASCIILetter)
      && (text.last == UInt8(ascii: ")") || text.contains(UInt8(ascii: ":")))
  }

  static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var text = text.drop { $0.isBlank || $0 == UInt8(ascii: "|") }
    while let last = text.last, last.isBlank { text = text.dropLast() }
    return text
  }

  static func first(_ word: StaticString, in text: ArraySlice<UInt8>) -> Int? {
    let length = word.utf8CodeUnitCount
    guard text.count >= length else { return nil }
    let start = word.utf8Start
    for position in text.startIndex...(text.endIndex - length)
    where text[position] == start[0] {
      if (1..<length).allSatisfy({ text[position + $0] == start[$0] }) { return position }
    }
    return nil
  }

  /// Where `word` is for the last time.
  static func last(_ word: StaticString, in text: ArraySlice<UInt8>) -> Int? {
    var last: Int?
    var rest = text
    while let found = first(word, in: rest) {
      last = found
      rest = text[(found + 1)...]
    }
    return last
  }
}
