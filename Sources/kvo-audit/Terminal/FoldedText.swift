/// Text folded at the width of a terminal, between words.
enum FoldedText {
  /// How much farther the rest of a line is indented than its beginning.
  private static let hang = 4

  /// The lines of `text`, none wider than `columns` if it can be broken at a blank.
  ///
  /// Escape sequences take no space; every other character takes one column.
  ///
  /// Complexity: O(length).
  static func lines(of text: String, columns: Int) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
      fold($0, columns: columns)
    }
  }

  private static func fold(_ line: Substring, columns: Int) -> [String] {
    guard line.utf8.count > columns, width(of: line) > columns else { return [String(line)] }
    let depth = line.prefix { $0 == " " }.count
    let indentation = String(repeating: " ", count: depth + hang)
    // Indentation that leaves no space for words is of no use.
    guard indentation.count < columns / 2 else { return [String(line)] }
    var folded: [String] = []
    var current = String(repeating: " ", count: depth)
    var currentWidth = depth
    var isEmpty = true
    for word in line.dropFirst(depth).split(separator: " ", omittingEmptySubsequences: false) {
      let wordWidth = width(of: word)
      if !isEmpty, currentWidth + 1 + wordWidth > columns {
        folded.append(current)
        current = indentation
        currentWidth = indentation.count
        isEmpty = true
        // The blanks of a column are of no use at the start of a line.
        if word.isEmpty { continue }
      }
      if !isEmpty {
        current += " "
        currentWidth += 1
      }
      current += word
      currentWidth += wordWidth
      isEmpty = false
    }
    return folded + [current]
  }

  /// How many columns it takes.
  private static func width(of text: Substring) -> Int {
    var count = 0
    var isEscape = false
    for character in text {
      if character == "\u{1b}" { isEscape = true }
      if !isEscape { count += 1 } else if character.isLetter { isEscape = false }
    }
    return count
  }
}
