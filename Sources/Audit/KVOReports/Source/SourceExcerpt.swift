/// A few lines of a source file around one of them.
struct SourceExcerpt: Hashable {
  /// How many lines are before and after the line in question.
  static let margin = 3
  /// The longest line, in Unicode scalars.
  static let lineLimit = 160

  /// The number of the first of `lines`, 1-based.
  var firstNumber: Int
  /// The number of the line in question.
  var number: Int
  var lines: [String]

  /// The lines of `text`.
  ///
  /// Complexity: O(length).
  static func lines(of text: String) -> [Substring] {
    // A mark of the byte order is not part of the first line.
    text.drop { $0 == "\u{feff}" }.split(omittingEmptySubsequences: false) {
      $0 == "\n" || $0 == "\r\n" || $0 == "\r"
    }
  }

  /// The lines around the line `number` of a file with the lines `all`; nil if it has no such line.
  init?(_ all: [Substring], around number: Int) {
    guard number > 0, number <= all.count else { return nil }
    let range = max(1, number - Self.margin)...min(all.count, number + Self.margin)
    var shown = range.map { String(all[$0 - 1]).replacing("\t", with: "  ") }
    // Indentation that all of them have takes space and says nothing.
    let depth =
      shown.filter { !$0.allSatisfy { $0 == " " } }
      .map { $0.prefix { $0 == " " }.count }.min() ?? 0
    shown = shown.map { line in
      let line = String(line.dropFirst(depth))
      guard line.unicodeScalars.count > Self.lineLimit else { return line }
      return String(line.unicodeScalars.prefix(Self.lineLimit)) + "…"
    }
    firstNumber = range.lowerBound
    self.number = number
    lines = shown
  }
}
