/// Sentences that end before their end: in titles, tables and logs that keep so many characters.
extension SentenceReader {
  /// How a phrase stands at a place of the skeleton.
  enum Continuation {
    case whole
    /// The text stops inside it.
    case cut
    case none
  }

  /// Whether the text stops at `place` of the skeleton: it ends, or a line end, dots or a mark of
  /// quotation follow.
  func isCut(at place: Int) -> Bool {
    guard place < text.skeleton.count else { return true }
    let between = text.bytes[end(place)..<max(end(place), position(place))]
    return between.contains(0x0a) || FrameLine.first("...", in: between) != nil
      || FrameLine.first("…", in: between) != nil || between.contains(UInt8(ascii: "`"))
  }

  private func isDotted(at place: Int) -> Bool {
    let next = text.bytes[end(place)...].prefix(4)
    return FrameLine.first("...", in: next) != nil || FrameLine.first("…", in: next) != nil
  }

  /// Whether `phrase` stands at `place`, or as much of it as there is of the text, `least` letters at least.
  func continuation(of phrase: StaticString, at place: Int, least: Int) -> Continuation {
    let count = phrase.utf8CodeUnitCount
    var length = 0
    while length < count, place + length < text.skeleton.count,
      text.skeleton[place + length] == phrase.utf8Start[length]
    {
      length += 1
    }
    if length == count { return .whole }
    return length >= least && isCut(at: place + length) ? .cut : .none
  }

  /// How many letters of the front of `phrase` stand before the cut at `place`; nil: fewer than `least`.
  func lengthCut(of phrase: StaticString, before place: Int, least: Int) -> Int? {
    let count = phrase.utf8CodeUnitCount
    var length = min(count - 1, place)
    while length >= least {
      var index = 0
      while index < length,
        text.skeleton[place - 1 - index] == phrase.utf8Start[length - 1 - index]
      {
        index += 1
      }
      if index == length { return length }
      length -= 1
    }
    return nil
  }

  /// The phrases by which a sentence is known behind its first object, and how much of one is enough.
  private static let phrases: [(head: SentenceHead, phrase: StaticString, least: Int)] = [
    (.deallocated, "deallocatedwhilekeyvalueobserverswerestillregisteredwithit", 16),
    (.deallocatedGNUstep, "deallocatedwithobserversstillregistered", 15),
    (.notCompliant, "wassenttoanobjectthatisnotkvccompliantforthe", 4),
    (.observeValue, "anobservevalueforkeypathofobjectchangecontext", 6),
    (.notObservable, "thisclassisnotobservable", 12),
    (.doesNotRecognize, "doesnotrecognizeremoveobserverforkeypathcontext", 30),
  ]

  /// The heads of sentences that are cut inside their head, in the order in which they stand.
  ///
  /// Complexity: O(length).
  static func cutHeads(in text: CleanText) -> [SentenceHead.Match] {
    let reader = SentenceReader(text, heads: [])
    var found: [SentenceHead.Match] = []
    for line in text.lineStarts.indices {
      let range = text.lineRange(line)
      guard !range.isEmpty else { continue }
      for place in reader.cuts(in: range) {
        if let match = reader.cutHead(before: place) { found.append(match) }
      }
    }
    return found
  }

  /// Where a line is cut: at its end, and at dots in it.
  private func cuts(in range: Range<Int>) -> [Int] {
    var places = [text.skeletonPlace(at: range.upperBound)]
    var rest = text.bytes[range]
    while let dots = FrameLine.first("...", in: rest) ?? FrameLine.first("…", in: rest) {
      places.append(text.skeletonPlace(at: dots))
      rest = rest[(dots + 3)...]
      if places.count > 8 { break }
    }
    return places
  }

  private func cutHead(before place: Int) -> SentenceHead.Match? {
    for (head, phrase, least) in Self.phrases {
      guard let length = lengthCut(of: phrase, before: place, least: least) else { continue }
      // The head of the whole sentence begins behind the words that only lead to it.
      let lead = head == .observeValue ? 2 : head == .notCompliant ? min(7, length) : 0
      return SentenceHead.Match(head: head, places: place - length + lead..<place, isCut: true)
    }
    return cutDeallocation(before: place)
  }

  /// `An instance 0x1 of class Meter was deall`, at the end of the text or before dots: nothing else that
  /// a runtime says begins so, but a line may end there and the sentence be another.
  private func cutDeallocation(before place: Int) -> SentenceHead.Match? {
    guard place == text.skeleton.count || isDotted(at: place) else { return nil }
    let lead = max(0, place - 300)..<place
    guard let start = text.skeleton.last("aninstance", in: lead),
      let named = text.skeleton.first("ofclass", in: start..<place),
      named - start < 40, Operand.address(in: text.bytes[end(start)..<position(named)]) != nil
    else { return nil }
    let bytes = text.bytes[end(named + 7)...].prefix(400)
    let name = bytes.drop(while: \.isBlank).prefix { !$0.isBlank && $0 != 0x0a }
    guard !name.isEmpty, name.endIndex < text.bytes.count else { return nil }
    let tail = text.skeletonPlace(at: name.endIndex)
    let length = place - tail
    let phrase: StaticString = "wasdeallocatedwhile"
    guard length >= 0, length < phrase.utf8CodeUnitCount,
      (0..<length).allSatisfy({ text.skeleton[tail + $0] == phrase.utf8Start[$0] })
    else { return nil }
    return SentenceHead.Match(
      head: .deallocated,
      places: (length >= 3 ? tail + 3 : tail)..<place,
      isCut: true
    )
  }
}
