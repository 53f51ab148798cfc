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

  /// The form used in logs.
  package var text: String { function.map { "\(location) \($0)" } ?? location }
}

extension TraceNames {
  /// The call site that `id` names; nil if the log has none.
  package func site(_ id: StringID) -> SourceSite? { id == .none ? nil : SourceSite(self[id]) }
}
