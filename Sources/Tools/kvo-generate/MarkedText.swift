/// A text of which some parts are made from the schema.
enum MarkedText {
  /// What the line after a part has.
  private static let end = "End of what is generated."

  /// `text` with what `part` makes between each line that has ``SourceText/notice`` and the end mark.
  ///
  /// - Parameters:
  ///   - text: the whole file.
  ///   - part: is called with the words after the notice in its line.
  /// - Returns: the file as it should be.
  static func replacing(in text: String, _ part: ([String]) -> String) -> String {
    var result = ""
    var isInside = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.contains(end) { isInside = false }
      if isInside { continue }
      result += line + "\n"
      guard let notice = line.firstRange(of: SourceText.notice) else { continue }
      isInside = true
      result += part(
        line[notice.upperBound...].split(separator: " ").map(String.init).filter { $0 != "-->" }
      )
    }
    precondition(!isInside, "a part that is generated has no end")
    // The last line of a file has its end, too.
    return String(result.dropLast())
  }
}
