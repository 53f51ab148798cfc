/// The name of a function, and what is in its place or after it.
extension FrameLine {
  /// What reports print if an address has no function.
  private static let missing = [
    "<redacted>", "(Missing)", "???", "(null)", "<unknown>", "<deduplicated_symbol>",
  ]

  /// Whether `name` is what a report or a debugger has in place of a function that it does not know.
  static func isMissing(_ name: String) -> Bool {
    missing.contains(name) || name.hasPrefix("___lldb_unnamed_symbol")
  }

  /// Whether the frame in `line` says that its function is not known: then it does not continue in the next line.
  static func namesNoFunction(_ line: ArraySlice<UInt8>) -> Bool {
    let line = trimmed(line)
    let front = lastOffset(in: line).map { trimmed(line[..<$0]) } ?? line
    return missing.contains { front.ends(with: $0) }
  }

  /// Whether `line` may be the function of the frame that the line before it began: one word, or what only a function is.
  static func mayBeFunction(_ line: ArraySlice<UInt8>) -> Bool {
    guard let first = line.first, first.isNamePart || "-+_$@~".utf8.contains(first) else {
      return false
    }
    return !line.contains(where: \.isBlank) || line.last == UInt8(ascii: ")")
      || FrameLine(line).looksLikeFunction(line)
  }

  /// `name` without the arguments that a debugger prints with their values: `Deck.close(by=3, self=0x1a2b)`.
  static func withoutArguments(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = name
    while let open = rest.firstIndex(of: UInt8(ascii: "(")) {
      rest = name[(open + 1)...]
      // The argument of a block is named `.block_descriptor`.
      let label = rest.prefix { $0.isNamePart }
      if !label.isEmpty, open > name.startIndex,
        rest.dropFirst(label.count).first == UInt8(ascii: "=")
      {
        return trimmed(name[..<open])
      }
    }
    return name
  }

  /// Whether `text` is an offset in the image of that name, as `Gauges + 4021` in Gauges: then no function is known.
  static func isOffset(_ text: ArraySlice<UInt8>, in image: ArraySlice<UInt8>) -> Bool {
    guard let offset = lastOffset(in: text) else { return false }
    let name = image.split(separator: UInt8(ascii: "/")).last ?? image
    return trimmed(text[..<offset]).elementsEqual(name) && !name.elementsEqual("main".utf8)
  }

  /// `-> -[Screen dealloc] (in App) (Screen.m:54)`: what a tool printed for the address of a frame, in place of it.
  func namedAfterwards(_ line: ArraySlice<UInt8>) -> StackTrace.Frame? {
    guard line.starts(with: "-> ".utf8) else { return nil }
    let name = Self.trimmed(line.dropFirst(3))
    guard isMethod(name) || Self.first(" (in ", in: name) != nil else { return nil }
    let frame = function(name)
    return frame.symbol == nil ? nil : frame
  }

  /// `objc_msgSend+0x16 (libobjc.A.dylib:x86_64+0x62b0)` and `-[Screen dealloc] Screen.m:54:3`, as sanitizers print them.
  func sanitizer(_ text: ArraySlice<UInt8>) -> StackTrace.Frame? {
    if text.last == UInt8(ascii: ")"), let open = text.lastIndex(of: UInt8(ascii: "(")),
      let module = Self.first("+0x", in: text[open...]), open > text.startIndex,
      text[open - 1].isBlank
    {
      let name = Self.trimmed(text[..<open])
      let plus = Self.first("+0x", in: name)
      guard let plus, name[(plus + 3)...].allSatisfy(\.isHexDigit) else { return nil }
      var frame = function(name[..<plus])
      let image = text[(open + 1)..<module].prefix { $0 != UInt8(ascii: ":") }
      frame.image = String(decoding: image, as: UTF8.self)
      return frame
    }
    guard let blank = text.lastIndex(where: \.isBlank),
      let colon = text[blank...].firstIndex(of: UInt8(ascii: ":")),
      text[colon...].dropFirst().allSatisfy({ $0.isASCIIDigit || $0 == UInt8(ascii: ":") }),
      text[blank...].contains(UInt8(ascii: ".")), !text[..<blank].ends(with: " at")
    else { return nil }
    var frame = function(text[..<blank])
    blank.readLocation(of: text, skipping: 1, into: &frame)
    return frame.symbol == nil || frame.file == nil ? nil : frame
  }
}
