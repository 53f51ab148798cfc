/// Words and labels of a sentence, apart from names that have the same letters: a key path `displayOptions`, a class
/// `ChangeLog` or `PlanInstance`.
extension SentenceReader {
  /// Where the label is in `range`; if no colon follows any of these words, where they are first.
  ///
  /// - Complexity: O(length of the range).
  func label(_ words: StaticString, in range: Range<Int>) -> Int? {
    var start = range.lowerBound
    while start < range.upperBound,
      let found = text.skeleton.first(words, in: start..<range.upperBound)
    {
      if isLabel(found..<found + words.utf8CodeUnitCount) { return found }
      start = found + 1
    }
    return text.skeleton.first(words, in: range)
  }

  /// Whether the letters at `offsets` are a separate word before a colon, and not the class of an object.
  func isLabel(_ offsets: Range<Int>) -> Bool {
    let start = position(offsets.lowerBound)
    let next = text.bytes[end(offsets.upperBound)...].prefix(8).first {
      !$0.isBlank && $0 != UInt8(ascii: "*")
    }
    let previous = start == 0 ? 0x20 : text.bytes[start - 1]
    return next == UInt8(ascii: ":") && previous != UInt8(ascii: "<")
      && (!previous.isNamePart || previous == UInt8(ascii: "."))
  }

  /// Where `words`, which a blank follows, are last in `range`; if they are in names only, where these are last.
  ///
  /// - Complexity: O(length of the range).
  func lastWords(_ words: StaticString, in range: Range<Int>) -> Int? {
    var rest = range
    while let found = text.skeleton.last(words, in: rest) {
      let start = position(found)
      let next = text.bytes[end(found + words.utf8CodeUnitCount)...].first ?? 0x20
      if next <= 0x20, start == 0 || !text.bytes[start - 1].isNamePart { return found }
      rest = range.lowerBound..<found + words.utf8CodeUnitCount - 1
    }
    return text.skeleton.last(words, in: range)
  }
}
