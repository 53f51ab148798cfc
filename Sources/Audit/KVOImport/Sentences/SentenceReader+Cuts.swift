/// Truncated sentences: in titles, tables and logs that keep a limited number of characters.
extension SentenceReader {
  /// Whether a phrase is at a position of the skeleton, whole or cut.
  enum Continuation {
    case whole
    /// The text stops inside it.
    case cut
    case none
  }

  /// Whether the text stops at `offset` of the skeleton: it ends, or a line end, dots or a quotation mark follow.
  func isCut(at offset: Int) -> Bool {
    guard offset < text.skeleton.count else { return true }
    let between = text.bytes[end(offset)..<max(end(offset), position(offset))]
    return between.contains(0x0a) || FrameLine.first("...", in: between) != nil
      || FrameLine.first("…", in: between) != nil || between.contains(UInt8(ascii: "`"))
  }

  private func isDotted(at offset: Int) -> Bool {
    let next = text.bytes[end(offset)...].prefix(4)
    return FrameLine.first("...", in: next) != nil || FrameLine.first("…", in: next) != nil
  }

  /// Whether `phrase` is at `offset`, or as much of it as there is of the text, `least` letters at least.
  func continuation(of phrase: StaticString, at offset: Int, least: Int) -> Continuation {
    let count = phrase.utf8CodeUnitCount
    var length = 0
    while length < count, offset + length < text.skeleton.count,
      text.skeleton[offset + length] == phrase.utf8Start[length]
    {
      length += 1
    }
    if length == count { return .whole }
    return length >= least && isCut(at: offset + length) ? .cut : .none
  }

  /// How many letters of the front of `phrase` are before the cut at `offset`; nil: fewer than `least`.
  func lengthCut(of phrase: StaticString, before offset: Int, least: Int) -> Int? {
    let count = phrase.utf8CodeUnitCount
    var length = min(count - 1, offset)
    while length >= least {
      var index = 0
      while index < length,
        text.skeleton[offset - 1 - index] == phrase.utf8Start[length - 1 - index]
      {
        index += 1
      }
      if index == length { return length }
      length -= 1
    }
    return nil
  }

  /// The phrases that identify a sentence after its first object, and the minimum length of each.
  private static let phrases: [(head: SentenceHead, phrase: StaticString, least: Int)] = [
    (.deallocated, "deallocatedwhilekeyvalueobserverswerestillregisteredwithit", 16),
    (.deallocatedGNUstep, "deallocatedwithobserversstillregistered", 15),
    (.notCompliant, "wassenttoanobjectthatisnotkvccompliantforthe", 4),
    (.observeValue, "anobservevalueforkeypathofobjectchangecontext", 6),
    (.notObservable, "thisclassisnotobservable", 12),
    (.doesNotRecognize, "doesnotrecognizeremoveobserverforkeypathcontext", 30),
  ]

  /// The heads of sentences that are cut inside their head, in order of occurrence.
  ///
  /// Complexity: O(length).
  static func cutHeads(in text: CleanText) -> [SentenceHead.Match] {
    let reader = SentenceReader(text, heads: [])
    var found: [SentenceHead.Match] = []
    for line in text.lineStarts.indices {
      let range = text.lineRange(line)
      guard !range.isEmpty else { continue }
      for offset in reader.cuts(in: range) {
        if let match = reader.cutHead(before: offset) { found.append(match) }
      }
    }
    return found
  }

  /// Where a line is cut: at its end, and at dots in it.
  private func cuts(in range: Range<Int>) -> [Int] {
    var offsets = [text.skeletonOffset(at: range.upperBound)]
    var rest = text.bytes[range]
    while let dots = FrameLine.first("...", in: rest) ?? FrameLine.first("…", in: rest) {
      offsets.append(text.skeletonOffset(at: dots))
      rest = rest[(dots + 3)...]
      if offsets.count > 8 { break }
    }
    return offsets
  }

  private func cutHead(before offset: Int) -> SentenceHead.Match? {
    for (head, phrase, least) in Self.phrases {
      guard let length = lengthCut(of: phrase, before: offset, least: least) else { continue }
      // The head of the whole sentence begins after the words that only lead to it.
      let lead = head == .observeValue ? 2 : head == .notCompliant ? min(7, length) : 0
      return SentenceHead.Match(head: head, offsets: offset - length + lead..<offset, isCut: true)
    }
    return cutDeallocation(before: offset)
  }

  /// `An instance 0x1 of class Meter was deall`, at the end of the text or before dots: no other runtime message begins
  /// like this, but a line may end there in another sentence.
  private func cutDeallocation(before offset: Int) -> SentenceHead.Match? {
    guard offset == text.skeleton.count || isDotted(at: offset) else { return nil }
    let lead = max(0, offset - 300)..<offset
    guard let start = lastWords("aninstance", in: lead),
      let named = text.skeleton.first("ofclass", in: start..<offset),
      named - start < 40, Operand.address(in: text.bytes[end(start)..<position(named)]) != nil
    else { return nil }
    let bytes = text.bytes[end(named + 7)...].prefix(400)
    let name = bytes.drop(while: \.isBlank).prefix { !$0.isBlank && $0 != 0x0a }
    guard !name.isEmpty, name.endIndex < text.bytes.count else { return nil }
    let tail = text.skeletonOffset(at: name.endIndex)
    let length = offset - tail
    let phrase: StaticString = "wasdeallocatedwhile"
    guard length >= 0, length < phrase.utf8CodeUnitCount,
      (0..<length).allSatisfy({ text.skeleton[tail + $0] == phrase.utf8Start[$0] })
    else { return nil }
    return SentenceHead.Match(
      head: .deallocated,
      offsets: (length >= 3 ? tail + 3 : tail)..<offset,
      isCut: true
    )
  }
}
