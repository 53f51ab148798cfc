/// The words of a text, and what is between them.
///
/// A word is letters, digits, `_`, `$` and all that is not ASCII: whatever it is, it may be a name.
struct WordRuns<Text: StringProtocol> {
  private let text: Text

  init(_ text: Text) { self.text = text }

  var words: [Text.SubSequence] {
    var words: [Text.SubSequence] = []
    forEach { part, isWord in if isWord { words.append(part) } }
    return words
  }

  /// Calls `body` with each part of the text, in order.
  ///
  /// Complexity: O(length).
  func forEach(_ body: (_ part: Text.SubSequence, _ isWord: Bool) -> Void) {
    let scalars = text.unicodeScalars
    var start = scalars.startIndex
    while start < scalars.endIndex {
      let isWord = Self.isPart(scalars[start])
      let end = scalars[start...].firstIndex { Self.isPart($0) != isWord } ?? scalars.endIndex
      body(text[start..<end], isWord)
      start = end
    }
  }

  private static func isPart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "$": true
    default: !scalar.isASCII
    }
  }
}
