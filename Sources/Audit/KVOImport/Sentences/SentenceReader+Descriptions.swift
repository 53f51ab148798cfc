/// The observer that a runtime describes before `: An -observeValueForKeyPath:…`, in other words than `<Screen: 0x1>`.
extension SentenceReader {
  /// How many lines of a description are read, and how many bytes.
  private static let descriptionLimit = (lines: 30, bytes: 3_000)

  /// The object whose description ends at `end`, before the colon at `colon`: over several lines, or in the class's own
  /// words.
  ///
  /// A description begins with the object in angle brackets. What a log printed before may have objects, too: theirs are
  /// not at the start of the text that the exception or the log has before the sentence.
  ///
  /// If the sentence begins in the line after the colon (`isWrapped`), the colon may be a person's.
  func describedInLines(before end: Int, colon: Int, isWrapped: Bool) -> Operand {
    let last = text.line(at: colon)
    let front = text.lineRange(last).lowerBound
    let hasOwn = end > front
    // Each line has the time if the colon is alone after it: what is described began in a line before.
    let isDatedEachLine = !hasOwn && !text.logPrefix(ofLine: last).isEmpty
    var isNearest = true
    var depth = 0
    for line in (max(0, last - Self.descriptionLimit.lines)...last).reversed() {
      let range = text.lineRange(line)
      if line == last, !hasOwn { continue }
      let start = max(range.lowerBound, end - Self.descriptionLimit.bytes)
      guard start < min(end, range.upperBound) else { break }
      let bytes = text.bytes[start..<min(end, range.upperBound)]
      if bytes.allSatisfy(\.isBlank) || line < last && isOutside(bytes) { break }
      depth += bytes.reduce(0) { $0 + Self.closing($1) }
      if let object = describedFirst(in: bytes, isLast: line == last, before: end),
        // An element of a list is first in its line, too.
        line == last || depth <= 0
      {
        return object
      }
      if isNearest, let quote = bytes.lastIndex(of: UInt8(ascii: "'")) {
        let object = describedInWords(quote + 1..<end)
        if object.isKnown { return object }
      }
      if let quote = Self.opening(in: bytes) {
        return isNearest ? describedInWords(quote + 1..<end) : Operand()
      }
      if Self.endsInLabel(bytes) || isWrapped || start > range.lowerBound { break }
      if !text.logPrefix(ofLine: line).isEmpty, !isDatedEachLine { break }
      isNearest = false
    }
    return Operand()
  }

  /// 1 for a bracket that closes a list, -1 for one that opens it.
  private static func closing(_ byte: UInt8) -> Int {
    switch byte {
    case UInt8(ascii: ")"), UInt8(ascii: "}"): 1
    case UInt8(ascii: "("), UInt8(ascii: "{"): -1
    default: 0
    }
  }

  /// The quotation mark that opens what a label introduces.
  private static func opening(in line: ArraySlice<UInt8>) -> Int? {
    line.indices.last { index in
      "\"'".utf8.contains(line[index]) && endsInLabel(line[..<index])
    }
  }

  /// Whether the line is one of another sentence or of its stack.
  private func isOutside(_ line: ArraySlice<UInt8>) -> Bool {
    let words = line.drop(while: \.isBlank)
    return words.starts(with: "Context:".utf8)
      || FrameLine(words).frame(isInside: false)?.number != nil
  }

  /// The object that is the first of the line, or of what a label introduces in it.
  private func describedFirst(
    in line: ArraySlice<UInt8>,
    isLast: Bool,
    before end: Int
  ) -> Operand? {
    var rest = line
    let first = line.firstIndex { !Self.isMark($0) }
    while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
      rest = rest[(open + 1)...]
      let before = Self.withoutMarks(line[..<open].suffix(Self.labelReach))
      let isFirst =
        open == first && text.lineRange(text.line(at: open)).lowerBound == line.startIndex
        || Self.endsInLabel(before)
        // The process, without a time before it.
        || isLast && before.last == UInt8(ascii: "]")
      guard isFirst else { continue }
      let object = operand(open..<min(end, open + 160))
      guard object.className != nil, object.address != nil else { continue }
      return isLast || endsWithObject(line[open...]) ? object : nil
    }
    return nil
  }

  /// Whether no words follow the object: a person or a log that names one goes on about it.
  private func endsWithObject(_ line: ArraySlice<UInt8>) -> Bool {
    var depth = 0
    for position in line.indices {
      if line[position] == UInt8(ascii: "<") { depth += 1 }
      guard line[position] == UInt8(ascii: ">") else { continue }
      depth -= 1
      guard depth == 0 else { continue }
      let next = line[(position + 1)...].drop(while: \.isBlank).first
      return next.map { !$0.isNamePart } ?? true
    }
    return true
  }

  /// Whether a label of an exception's words ends `line`: `reason: '`, `NSInternalInconsistencyException: `, `Thread 1: "`.
  private static func endsInLabel(_ line: ArraySlice<UInt8>) -> Bool {
    let label = withoutMarks(line.suffix(labelReach))
    let words = withoutMarks(
      label.last == UInt8(ascii: ":") || label.last == UInt8(ascii: "=") ? label.dropLast() : label
    )
    let letters = words.suffix(9).map(\.lowercasedASCII)[...]
    return letters.ends(with: "reason") || letters.ends(with: "exception")
      || words.count < 16 && words.starts(with: "Thread ".utf8)
  }

  /// How much before an object is read for a label.
  private static let labelReach = 40

  private static func isMark(_ byte: UInt8) -> Bool {
    byte.isBlank || "\"'`*@(".utf8.contains(byte)
  }

  /// `line` without the blanks and quotation marks at its ends.
  private static func withoutMarks(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var line = line.drop(while: isMark)
    while let last = line.last, isMark(last) { line = line.dropLast() }
    return line
  }

  /// The object in a class's custom description: `Stream<>(0x15e29718 s:O)`.
  private func describedInWords(_ range: Range<Int>) -> Operand {
    let name = text.bytes[range].prefix { $0.isNamePart || $0 == UInt8(ascii: "<") || $0 == 0x3e }
    let rest = text.bytes[range][name.endIndex...].drop {
      $0.isBlank || $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: ":")
    }
    guard rest.starts(with: "0x".utf8), rest.startIndex > name.endIndex else { return Operand() }
    var object = operand(range)
    if let name = object.className, name.hasSuffix("<>") {
      object.className = String(name.dropLast(2))
    }
    return object
  }
}
