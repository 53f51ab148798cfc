/// Cuts an endless text into the passages that may concern KVO, and drops the rest.
///
/// A passage is the text around KVO words, up to a bound on either side, or a whole crash report. Memory is bounded by
/// the longest passage.
struct PassageSplitter {
  struct Passage {
    var bytes: ArraySlice<UInt8>
    /// The 1-based line of the input that it begins with.
    var firstLine: Int
    /// Whether it begins like a crash report.
    var isReport: Bool
  }

  /// How much before and after the words belongs to them: a crash report's head comes before, its
  /// stacks after.
  private static let reach = 96 << 10
  /// The longest passage; longer ones are cut there.
  private static let limit = 4 << 20
  /// Shorter texts are examined as a whole, regardless of their words.
  private static let shortByteCount = 64 << 10
  /// How much is collected before it is examined.
  private static let step = 1 << 20

  private var buffer: [UInt8] = []
  /// How much of `buffer` is looked through for words.
  private var scannedCount = 0
  /// Where the passage that is being gathered begins, and its last word.
  private var open: (start: Int, lastWord: Int)?
  /// The line of the input that `buffer` begins with.
  private var line: Int

  /// Whether the text begins like a crash report, regardless of its words; nil: not read yet.
  private(set) var isReport: Bool?

  /// Makes a splitter of a text whose first line is that of the input's with this number.
  init(firstLine: Int = 1) { line = firstLine }

  mutating func append(_ bytes: ArraySlice<UInt8>, _ body: (Passage) -> Void) {
    buffer.append(contentsOf: bytes)
    if buffer.count - scannedCount >= Self.step { scan(isEnd: false, body) }
  }

  mutating func finish(_ body: (Passage) -> Void) {
    isReport = isReport ?? ReportHead.opensReport(buffer[...])
    // A title or a cell of a table may be cut before the first of the words.
    if line == 1, scannedCount == 0, buffer.count <= Self.shortByteCount,
      WordScanner.next(in: buffer, from: 0, to: buffer.count) == nil
    {
      if !buffer.isEmpty {
        body(Passage(bytes: buffer[...], firstLine: 1, isReport: ReportHead.isReport(buffer[...])))
      }
      buffer = []
    }
    scan(isEnd: true, body)
  }

  private mutating func scan(isEnd: Bool, _ body: (Passage) -> Void) {
    isReport = isReport ?? ReportHead.opensReport(buffer[...])
    // A word may cross the end of the available text.
    let end = isEnd ? buffer.count : max(scannedCount, buffer.count - 16)
    var position = scannedCount
    while let word = WordScanner.next(in: buffer, from: position, to: end) {
      position = word + 1
      if let current = open, word - current.lastWord <= Self.reach,
        word - current.start < Self.limit
      {
        open = (current.start, word)
        // Words are close together in a stack: the next is looked for after this line.
        continue
      }
      if let current = open { give(current, until: word, body) }
      open = (max(0, word - Self.reach), word)
    }
    lookForStatements(end: end, isEnd: isEnd, body)
    scannedCount = end
    if let current = open, isEnd || end - current.lastWord > Self.reach {
      give(current, until: buffer.count, body)
      open = nil
    }
    dropSpent(isEnd: isEnd)
  }

  // MARK: - Crashes without a word of KVO

  /// How much around a statement shows whether a program or its source code makes it.
  private static let statementReach = 4 << 10
  /// More statements than that are not examined.
  private static let statementLimit = 16
  /// Where the search for the next statement begins.
  private var statementStart = 0
  private var statementCount = 0

  /// Gives the text around a statement that a process crashed, if no passage has it.
  private mutating func lookForStatements(end: Int, isEnd: Bool, _ body: (Passage) -> Void) {
    while statementCount < Self.statementLimit,
      let found = CrashStatement.next(in: buffer, from: statementStart, to: end)
    {
      guard isEnd || found + Self.statementReach <= end else {
        statementStart = found
        return
      }
      statementStart = found + 1
      let range =
        lineStart(
          max(0, found - Self.statementReach)
        )..<lineEnd(min(buffer.count, found + Self.statementReach))
      // A word of KVO that is so close makes it a part of a passage.
      guard WordScanner.next(in: buffer, from: range.lowerBound, to: range.upperBound) == nil else {
        continue
      }
      statementCount += 1
      body(
        Passage(
          bytes: buffer[range],
          firstLine: line + LineCounter.count(in: buffer[..<range.lowerBound]),
          isReport: false
        )
      )
    }
    statementStart = max(statementStart, end - CrashStatement.maximumByteCount)
  }

  private var givenEnd = 0

  private mutating func give(
    _ passage: (start: Int, lastWord: Int),
    until next: Int,
    _ body: (Passage) -> Void
  ) {
    let end = lineEnd(min(next, passage.lastWord + Self.reach, buffer.count))
    var start = lineStart(max(passage.start, givenEnd))
    // Each report in it is a separate document.
    for cut in ReportHead.starts(in: buffer[start..<end]) where cut > start {
      deliver(start..<cut, body)
      start = cut
    }
    deliver(start..<end, body)
    givenEnd = end
  }

  private func deliver(_ range: Range<Int>, _ body: (Passage) -> Void) {
    guard !range.isEmpty,
      WordScanner.next(in: buffer, from: range.lowerBound, to: range.upperBound) != nil
    else { return }
    body(
      Passage(
        bytes: buffer[range],
        firstLine: line + LineCounter.count(in: buffer[..<range.lowerBound]),
        isReport: ReportHead.isReport(buffer[range])
      )
    )
  }

  private func lineStart(_ position: Int) -> Int {
    var start = position
    while start > 0, position - start < 4_096, buffer[start - 1] != 0x0a { start -= 1 }
    return start
  }

  private func lineEnd(_ position: Int) -> Int {
    var end = position
    while end < buffer.count, end - position < 4_096, buffer[end] != 0x0a { end += 1 }
    return end
  }

  /// Drops text that can no longer be part of a passage.
  private mutating func dropSpent(isEnd: Bool) {
    let keep = isEnd ? buffer.count : open?.start ?? max(0, scannedCount - Self.reach)
    guard keep > 0 else { return }
    line += LineCounter.count(in: buffer[..<keep])
    buffer.removeSubrange(..<keep)
    scannedCount -= keep
    givenEnd = max(0, givenEnd - keep)
    statementStart = max(0, statementStart - keep)
    if let current = open { open = (current.start - keep, current.lastWord - keep) }
  }
}
