/// A call site as it is written in logs: `Screen.swift:12`, or with its function, `Screen.swift:12 viewDidDisappear()`.
package struct SourceSite: Hashable, Sendable {
  /// File and line: `Screen.swift:12`.
  package var location: String
  /// The function as the compiler names it, without its type; nil: not said.
  package var function: String?

  package init(location: String, function: String? = nil) {
    self.location = location
    self.function = function
  }

  /// Parses a log's text.
  ///
  /// The function begins after the first blank that follows a line number; a file name may have blanks.
  /// Text without a line number is the location as it is.
  ///
  /// Complexity: O(length).
  package init(_ text: String) {
    var hasColon = false
    var digitCount = 0
    for (index, byte) in zip(text.utf8.indices, text.utf8) {
      if byte == UInt8(ascii: " "), digitCount > 0 {
        let function = text[text.utf8.index(after: index)...]
        if !function.isEmpty {
          self.init(location: String(text[..<index]), function: String(function))
          return
        }
      }
      let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      digitCount = hasColon && isDigit ? digitCount + 1 : 0
      hasColon = byte == UInt8(ascii: ":") || digitCount > 0
    }
    self.init(location: text)
  }

  /// The file, with its folders if they are stated: the location without the line.
  package var file: Substring { Self.fileAndLine(of: location[...])?.file ?? location[...] }
  /// The line, 1-based; nil: it is not stated.
  package var line: Int? {
    let line = Self.fileAndLine(of: location[...])?.line ?? 0
    return line > 0 ? Int(line) : nil
  }

  /// The parts of `Screen.swift:12`, or of `Screen.swift:12:5`, whose column is dropped; nil: no line is stated.
  ///
  /// A file name may have colons. The line 0 means that it is not known, as in debug information.
  ///
  /// Complexity: O(length of the line).
  package static func fileAndLine(of location: Substring) -> (file: Substring, line: UInt32)? {
    guard let (front, number) = splitNumber(location) else { return nil }
    return splitNumber(front) ?? (front, number)
  }

  /// `Screen.swift` and 12 of `Screen.swift:12`; nil if there is no number at the end, or nothing before it.
  private static func splitNumber(_ text: Substring) -> (file: Substring, line: UInt32)? {
    guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")), colon > text.startIndex,
      text[text.index(after: colon)...].utf8.first.map({ (0x30...0x39).contains($0) }) == true,
      let number = UInt32(text[text.index(after: colon)...])
    else { return nil }
    return (text[..<colon], number)
  }

  /// The form used in logs.
  package var text: String { function.map { "\(location) \($0)" } ?? location }
}

extension TraceNames {
  /// The call site that `id` names; nil if the log has none.
  package func site(_ id: StringID) -> SourceSite? { id == .none ? nil : SourceSite(self[id]) }
}
