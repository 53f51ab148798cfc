/// The name of a function, and what is in its place or after it.
extension FrameLine {
  /// What reports print if an address has no function.
  static let missing = ["<redacted>", "(Missing)", "???", "(null)", "<unknown>"]

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
}
