/// What an unknown tool puts before each line of a text, learned from the frames of the stacks in it.
///
/// Two frames whose numbers follow each other show it: whatever is before both numbers, apart from digits and the width
/// of blanks, is before the other lines, too. So does a line that states an exception, if the next begins like it. Known
/// forms are removed by ``LogPrefix``, which needs no stack.
struct LineLeader {
  /// The words before a line: a digit stands for a number of any length, a blank for any number of blanks.
  private let shape: [UInt8]

  /// How many leaders a text may have, as the logs of several tools have.
  private static let countLimit = 4
  private static let byteLimit = 160
  /// How far into a line the address of a frame is searched for.
  private static let reach = 400

  /// The leaders of the lines of `source`.
  ///
  /// - Complexity: O(length).
  static func all(in source: ArraySlice<UInt8>) -> [LineLeader] {
    var found: [[UInt8]] = []
    var previous: (shape: [UInt8], number: Int)?
    var start = source.startIndex
    while start < source.endIndex, found.count < countLimit {
      let end = source[start...].firstIndex(of: 0x0a) ?? source.endIndex
      let line = source[start..<end]
      start = end + 1
      if let shape = shape(aboveWrapped: line, source[min(start, source.endIndex)...]),
        !found.contains(shape)
      {
        found.append(shape)
      }
      guard let frame = frame(line) else { continue }
      let leader = withoutComment(line[..<frame.start])
      let shape = shape(leader)
      if let previous, previous.number + 1 == frame.number, previous.shape == shape,
        !found.contains(shape), isLeader(leader), !isKnown(line, frame.start)
      {
        found.append(shape)
      }
      previous = (shape, frame.number)
    }
    // The longest first: one may begin another.
    return found.sorted { $0.count > $1.count }.map { LineLeader(shape: $0) }
  }

  /// `line` without the leader; nil: it does not begin with it.
  ///
  /// - Complexity: O(length of the leader).
  func rest(of line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var rest = line.drop(while: \.isBlank)
    for (offset, expected) in shape.enumerated() {
      switch expected {
      case UInt8(ascii: "0"):
        let digits = rest.prefix(while: \.isASCIIDigit)
        guard !digits.isEmpty else { return nil }
        rest = rest[digits.endIndex...]
      case 0x20:
        // The blank at the end of an empty line may be missing.
        let isEnd = offset == shape.count - 1 && (rest.first.map { $0 < 0x20 } ?? true)
        guard isEnd || rest.first?.isBlank == true else { return nil }
        rest = rest.drop(while: \.isBlank)
      default:
        guard rest.first == expected else { return nil }
        rest = rest.dropFirst()
      }
    }
    return rest
  }

  private static func shape(_ leader: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    for byte in leader.drop(while: \.isBlank) {
      let sign = byte.isASCIIDigit ? UInt8(ascii: "0") : byte.isBlank ? 0x20 : byte
      if sign == result.last, sign == 0x20 || sign == UInt8(ascii: "0") { continue }
      result.append(sign)
    }
    // After a bracket or a colon, the blank may be the indentation of the frame.
    if result.last == 0x20, let sign = result.dropLast().last,
      !sign.isASCIILetter, !sign.isASCIIDigit, sign < 0x80
    {
      result.removeLast()
    }
    return result
  }

  /// What a runtime puts before the statement of an exception.
  private static let mark = "*** "

  /// The leader of a line that states an exception, if the next line has it, too: the statement may be wrapped there.
  private static func shape(
    aboveWrapped line: ArraySlice<UInt8>,
    _ rest: ArraySlice<UInt8>
  ) -> [UInt8]? {
    guard let statement = FrameLine.first(CrashStatement.uncaught, in: line.prefix(byteLimit + 50)),
      line[..<statement].ends(with: mark)
    else { return nil }
    let front = statement - mark.utf8.count
    guard front > line.startIndex else { return nil }
    let leader = withoutComment(line[..<front])
    let next = rest.prefix(reach).prefix { $0 != 0x0a }
    let shape = shape(leader)
    guard isLeader(leader), !isKnown(line, front), LineLeader(shape: shape).rest(of: next) != nil
    else { return nil }
    return shape
  }

  /// `words` up to the mark of a comment in source code that a tool shows, as one that searches does: the mark remains in
  /// the text.
  private static func withoutComment(_ words: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let front = trimmedEnd(words)
    let sign = front.last == UInt8(ascii: "#") ? front.endIndex - 1 : nil
    guard let mark = FrameLine.first("//", in: words) ?? FrameLine.first("/*", in: words) ?? sign,
      mark > words.startIndex, words[mark - 1].isBlank || words[mark - 1] == UInt8(ascii: ":")
    else { return words }
    return words[..<mark]
  }

  /// Whether the words before a frame may be those of a tool: not the marks of a comment or a quotation, a command, nor
  /// code with the frame in a literal.
  private static func isLeader(_ words: ArraySlice<UInt8>) -> Bool {
    let words = words.drop { $0.isBlank || $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "|") }
    guard let first = words.first, words.count <= byteLimit,
      words.contains(where: { $0.isASCIILetter || $0.isASCIIDigit || $0 >= 0x80 }),
      // Prose and commands are words in lower case alone.
      !words.allSatisfy({ $0.isBlank || $0.isASCIILetter && $0 == $0.lowercasedASCII })
    else { return false }
    let isCommand = words.starts(with: "##[".utf8)
    return (isCommand || !"/*#;-".utf8.contains(first))
      && !"\"'`".utf8.contains { mark in words.count { $0 == mark } % 2 == 1 }
  }

  /// Whether ``LogPrefix`` removes what is before the frame at `start`.
  private static func isKnown(_ line: ArraySlice<UInt8>, _ start: Int) -> Bool {
    LogPrefix.rest(of: line).map { $0.drop(while: \.isBlank).startIndex == start } ?? false
  }

  /// The number of the frame in `line`, and where it begins: `1  App  0x10a2 …`, `frame #1: 0x10a2 …`.
  private static func frame(_ line: ArraySlice<UInt8>) -> (start: Int, number: Int)? {
    guard
      let address = FrameLine.first(" 0x", in: line.prefix(reach))
        ?? FrameLine.first("\t0x", in: line.prefix(reach)),
      line[(address + 3)...].prefix(3).allSatisfy(\.isHexDigit)
    else { return nil }
    let front = trimmedEnd(line[..<address])
    var word = front.suffix(while: { !$0.isBlank })
    if word.last == UInt8(ascii: ":") { word = word.dropLast() }
    if word.first == UInt8(ascii: "#") {
      let digits = word.dropFirst()
      var start = word.startIndex
      for mark in ["frame ", "* "] where line[..<start].ends(with: mark) {
        start -= mark.utf8.count
      }
      return number(digits).map { (start, $0) }
    }
    let digits = trimmedEnd(front[..<word.startIndex]).suffix(while: \.isASCIIDigit)
    guard word.startIndex > digits.endIndex, word.first.map({ !$0.isASCIIDigit }) ?? false else {
      return nil
    }
    return number(digits).map { (digits.startIndex, $0) }
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    digits.count <= 3 ? Int(String(decoding: digits, as: UTF8.self)) : nil
  }

  private static func trimmedEnd(_ words: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    words[..<words.suffix(while: \.isBlank).startIndex]
  }
}

extension ArraySlice<UInt8> {
  /// The longest end of which each byte satisfies `predicate`.
  fileprivate func suffix(while predicate: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    self[(lastIndex { !predicate($0) }.map { $0 + 1 } ?? startIndex)...]
  }
}
