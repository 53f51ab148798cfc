/// A call in the source as a log has it: `Screen.swift:12`, or with its function,
/// `Screen.swift:12 viewDidDisappear()`.
package struct SourceSite: Hashable, Sendable {
  /// File and line: `Screen.swift:12`.
  package var place: String
  /// The function as the compiler names it, without its type; nil: not said.
  package var function: String?

  package init(place: String, function: String? = nil) {
    self.place = place
    self.function = function
  }

  /// Takes a log's text apart.
  ///
  /// The function begins after the first blank that follows a line number; a file name may have blanks.
  /// Text without a line number is the place as it is.
  ///
  /// Complexity: O(length).
  package init(_ text: String) {
    var hasColon = false
    var digitCount = 0
    for (index, byte) in zip(text.utf8.indices, text.utf8) {
      if byte == UInt8(ascii: " "), digitCount > 0 {
        let function = text[text.utf8.index(after: index)...]
        if !function.isEmpty {
          self.init(place: String(text[..<index]), function: String(function))
          return
        }
      }
      let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      digitCount = hasColon && isDigit ? digitCount + 1 : 0
      hasColon = byte == UInt8(ascii: ":") || digitCount > 0
    }
    self.init(place: text)
  }

  /// The form that logs have.
  package var text: String { function.map { "\(place) \($0)" } ?? place }
}

extension TraceNames {
  /// The call site that `id` names; nil where the log says none.
  package func site(_ id: StringID) -> SourceSite? { id == .none ? nil : SourceSite(self[id]) }
}
