/// The file and line after the name of a function.
extension FrameLine {
  private static let extensions = [".m", ".mm", ".swift", ".c", ".cc", ".cpp", ".h"]

  /// `name` without a location that follows it without a blank, as in `-[Screen dealloc]Screen.m:54`,
  /// `Screen.stop()(Screen.swift:54)` and `-[Screen dealloc] + 70Screen.m:54`, or after blanks alone, as in
  /// `Screen.stop()   Screen.swift:54`; the location is added to `frame`.
  static func withoutGluedLocation(
    _ name: ArraySlice<UInt8>,
    into frame: inout StackTrace.Frame
  ) -> ArraySlice<UInt8> {
    let isEnclosed = name.last == UInt8(ascii: ")")
    let location = isEnclosed ? name.dropLast() : name
    guard let colon = location.lastIndex(of: UInt8(ascii: ":")) else { return name }
    let digits = location[(colon + 1)...]
    guard (1...6).contains(digits.count), digits.allSatisfy(\.isASCIIDigit) else { return name }
    var file = location[..<colon].suffix(120)
    file = file[(file.lastIndex { !isInFileName($0) }.map { $0 + 1 } ?? file.startIndex)...]
    guard extensions.contains(where: { file.ends(with: $0) }) else { return name }
    var front = location[..<file.startIndex]
    if isEnclosed {
      guard front.last == UInt8(ascii: "(") else { return name }
      front = front.dropLast()
    } else if front.suffix(2).elementsEqual("+ ".utf8) {
      // The offset is part of it.
      let offset = file.prefix(while: \.isASCIIDigit)
      guard !offset.isEmpty else { return name }
      file = file.dropFirst(offset.count)
      front = location[..<offset.endIndex]
    }
    if !isEnclosed, front.last?.isBlank == true {
      front = trimmed(front)
      guard !front.isEmpty, !front.ends(with: " at") else { return name }
    } else {
      guard let last = front.last, "])".utf8.contains(last) || last.isASCIIDigit else {
        return name
      }
    }
    frame.file = String(decoding: file, as: UTF8.self)
    frame.line = Int(String(decoding: digits, as: UTF8.self)) ?? 0
    return front
  }

  private static func isInFileName(_ byte: UInt8) -> Bool {
    byte.isNamePart || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
  }
}

extension Int {
  /// Reads `File.m:54` after this position of `text`, and a debugger's additions to it.
  func readLocation(
    of text: ArraySlice<UInt8>,
    skipping count: Int,
    into frame: inout StackTrace.Frame
  ) {
    let location = FrameLine.trimmed(text[(self + count)...])
    let parts = String(decoding: location, as: UTF8.self).split(separator: ":")
    guard parts.count >= 2, let line = Int(parts[1].prefix { $0.isNumber }) else { return }
    frame.file = String(parts[0])
    frame.line = line
  }
}
