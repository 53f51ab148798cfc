import KVORules

/// Extracts the sentences of the runtimes from a passage.
///
/// A sentence counts if it is specific: with an object, a key path or its complete wording. Mentions of it in prose and
/// source code have none of these.
struct SentenceReader {
  let text: CleanText
  private let heads: [SentenceHead.Match]

  /// How many bytes of the skeleton a sentence may take; descriptions of views are long.
  static let reach = 6_000

  init(_ text: CleanText) {
    var heads = SentenceHead.all(in: text.skeleton)
    let cuts = Self.cutHeads(in: text)
    if !cuts.isEmpty {
      // For each letter whether a head takes it: a log may have a cut in each of its lines.
      var isTaken = Array(repeating: false, count: text.skeleton.count)
      for head in heads { for offset in head.offsets { isTaken[offset] = true } }
      var ends = Set(heads.map(\.offsets.upperBound))
      for cut in cuts {
        guard !cut.offsets.contains(where: { isTaken[$0] }),
          ends.insert(cut.offsets.upperBound).inserted
        else { continue }
        for offset in cut.offsets { isTaken[offset] = true }
        heads.append(cut)
      }
    }
    self.init(text, heads: heads.sorted { $0.offsets.lowerBound < $1.offsets.lowerBound })
  }

  init(_ text: CleanText, heads: [SentenceHead.Match]) {
    self.text = text
    self.heads = heads
  }

  /// The complaints of the passage, in the order of the text.
  ///
  /// Complexity: O(length + sentences × ``reach``).
  func complaints() -> [Complaint] {
    let context = SourceContext(text)
    return heads.indices.compactMap { index in
      guard let complaint = complaint(index), !context.isSource(at: complaint.range.lowerBound),
        !context.isSource(at: position(heads[index].offsets.lowerBound)),
        !isExample(complaint, at: heads[index].offsets.lowerBound)
      else { return nil }
      return complaint
    }
  }

  private func complaint(_ index: Int) -> Complaint? {
    let match = heads[index]
    let window = match.offsets.upperBound..<limit(after: index)
    switch match.head {
    case .cannotRemove, .cannotRemoveGNUstep, .cannotUpdate: return pathSentence(match, window)
    case .deallocated, .deallocatedGNUstep, .deallocating, .deallocatingObserved:
      return deallocation(
        match,
        window,
        list: match.offsets.upperBound..<limit(after: index, reach: Self.listReach),
        after: index == 0 ? 0 : heads[index - 1].offsets.upperBound
      )
    case .observeValue: return observation(match, window)
    case .undefinedKey: return undefinedKey(match, window)
    case .addObserver, .removeObserver: return unsupported(match, window)
    case .notCompliant: return notCompliant(match, window)
    case .classPair: return classPair(match, window)
    case .keyPathTrap: return keyPathTrap(match, window)
    case .notObservable: return notObservable(match, index)
    case .unableToFind: return unableToFind(match, window)
    case .doesNotRecognize: return missingMethod(match)
    case .setterNotice: return setterNotice(match)
    }
  }

  /// Whether the sentence is described in general: dots or signs stand for its objects, and no exception
  /// is said to have been raised.
  private func isExample(_ complaint: Complaint, at offset: Int) -> Bool {
    if isExpected(at: offset) || isItemOfFixes(at: offset) { return true }
    let objects = [complaint.observer, complaint.subject]
    let isHidden =
      complaint.keyPath.map(Operand.isMasked) ?? true
      && objects.allSatisfy { $0.address == nil && ($0.isMasked || $0.className == nil) }
      && (objects.contains(where: \.isMasked) || complaint.keyPath != nil)
      && complaint.observances.isEmpty
    let isVague = objects.contains(where: \.isExample) || isHidden
    return
      (isVague || isFix(complaint, at: offset) || isForeseen(complaint, after: offset)
      || isForetold(complaint, at: beginning(of: complaint, at: offset))
      || isItemOfChanges(at: offset))
      && !isRaised(before: offset)
  }

  /// Whether a person describes what will happen: `… not registered as an observer) will be thrown`.
  private func isForeseen(_ complaint: Complaint, after offset: Int) -> Bool {
    guard !complaint.observer.isKnown, !complaint.subject.isKnown else { return false }
    let window = offset..<min(text.skeleton.count, offset + 300)
    return (["observerwillbe", "observerwouldbe", "observerwillraise"] as [StaticString]).contains {
      text.skeleton.first($0, in: window) != nil
    }
  }

  /// Whether a test says what it waited for: `expected to raise exception with reason <…>, got no exception`.
  private func isExpected(at offset: Int) -> Bool {
    let words = text.skeleton.last("expectedtoraise", in: max(0, offset - 160)..<offset)
    return words.map { text.skeleton.first("got", in: $0..<offset) == nil } ?? false
  }

  /// Whether a list of changes says that the sentence no longer occurs: `Fix "Cannot remove an observer …"`.
  private func isFix(_ complaint: Complaint, at offset: Int) -> Bool {
    // `No more exceptions like the following: …` in a description, with an object that is made up.
    if let words = text.skeleton.last("nomore", in: max(0, offset - 160)..<offset),
      text.skeleton.first("exceptionslike", in: words..<min(offset, words + 20)) != nil
    {
      return true
    }
    guard complaint.observer.address == nil, complaint.subject.address == nil else { return false }
    let start = withoutWords(
      ["crash", "exception", "the"],
      before: beginning(of: complaint, at: offset)
    )
    return (["fix", "fixed", "fixes", "resolved", "prevents", "avoids", "avoid"] as [StaticString])
      .contains { isWord($0, before: start) }
  }

  /// Whether the line begins with the word, as an item of a list of changes does: `- Fixed a crash: Cannot remove …`, or of
  /// a function's description: `- Throws: "Cannot remove …"`.
  ///
  /// The marker of the item is not in the text.
  private func isItemOfFixes(at offset: Int) -> Bool {
    let end = position(offset)
    let start = text.lineRange(text.line(at: end)).lowerBound
    guard end - start < 120 else { return false }
    let item = text.bytes[start..<end].drop { !$0.isNamePart }
    let word = String(decoding: item.prefix { $0.isNamePart }, as: UTF8.self).lowercased()
    let isDescription =
      ["throws", "raises"].contains(word) && item.dropFirst(word.count).first == UInt8(ascii: ":")
    return (isDescription || ["fix", "fixed", "fixes", "resolved", "resolves"].contains(word))
      && text.skeleton.last("terminating", in: max(0, offset - 120)..<offset) == nil
  }

  /// Whether `word` is before `offset`, as a word of its own that is not negated.
  private func isWord(_ word: StaticString, before offset: Int) -> Bool {
    let start = offset - word.utf8CodeUnitCount
    guard text.skeleton.has(word, at: start) else { return false }
    let first = position(start)
    return (first == 0 || !text.bytes[first - 1].isNamePart)
      && !text.skeleton.has("not", at: start - 3)
  }

  /// Where the sentence begins whose distinct words are at `offset`.
  func beginning(of complaint: Complaint, at offset: Int) -> Int {
    switch complaint.kind {
    case .deallocation:
      text.skeleton.last("aninstanceofclass", in: max(0, offset - 120)..<offset) ?? offset
    case .unhandled:
      beginning(ofUnhandled: text.skeleton.has("an", at: offset - 2) ? offset - 2 : offset)
    default: offset
    }
  }

  /// `offset`, or where those of `words` begin that are before it.
  func withoutWords(_ words: [StaticString], before offset: Int) -> Int {
    var offset = offset
    while let word = words.first(where: { text.skeleton.has($0, at: offset - $0.utf8CodeUnitCount) }
    ) {
      offset -= word.utf8CodeUnitCount
    }
    return offset
  }

  /// Whether the words before `offset` are a runtime's about an exception.
  func isRaised(before offset: Int) -> Bool {
    let lead = max(0, offset - 220)..<offset
    return
      (["terminatingapp", "fatalexception", "exceptionreason", "duetouncaughtexception"]
      as [StaticString]).contains { text.skeleton.last($0, in: lead) != nil }
      || text.skeleton.last("exception", in: lead).map {
        text.skeleton.first("reason", in: $0..<min(offset, $0 + 24)) != nil
      } == true
  }

  /// Where the words of the sentence at `index` must have ended: at the next of a kind that cannot
  /// be inside another.
  private func limit(after index: Int, reach: Int = Self.reach) -> Int {
    let end = min(text.skeleton.count, heads[index].offsets.upperBound + reach)
    for next in heads[(index + 1)...] {
      if next.offsets.lowerBound >= end { break }
      switch next.head {
      // These are also functions of the stack below a sentence.
      case .addObserver, .removeObserver, .undefinedKey, .observeValue: continue
      // The heads of two sentences may overlap in a text that is cut.
      default: return max(next.offsets.lowerBound, heads[index].offsets.upperBound)
      }
    }
    return end
  }

  // MARK: - Offsets

  func position(_ offset: Int) -> Int { text.position(ofSkeleton: offset) }

  /// The position after the byte of the skeleton before `offset`.
  func end(_ offset: Int) -> Int { offset == 0 ? 0 : text.position(ofSkeleton: offset - 1) + 1 }

  /// Where in the text the letters at `offsets` stand; of none, the end of the letters before.
  func extent(of offsets: Range<Int>) -> Range<Int> {
    let stop = end(offsets.upperBound)
    return min(position(offsets.lowerBound), stop)..<stop
  }

  /// The object that `range` describes; a name that the text stops in is none.
  func operand(_ range: Range<Int>) -> Operand {
    guard !range.isEmpty else { return Operand() }
    // A bracket at the beginning of a line may have been taken for a mark of a quotation.
    let rest = text.bytes[range.upperBound...].drop { $0 <= 0x20 }
    let isClosed = rest.first == UInt8(ascii: ">") || rest.starts(with: "because".utf8)
    var operand = Operand(text.bytes[range], isClosed: isClosed)
    operand.isAddressCut = operand.address != nil && isAddressCut(range)
    // Line ends may follow the name.
    let last = text.bytes[range].lastIndex { $0 > 0x20 } ?? range.lowerBound
    let name = text.bytes[range.lowerBound...last]
    // So do the marks of Markdown before it, not those that close it.
    let marked = FrameLine.trimmed(name).drop { "`*\"' ".utf8.contains($0) }
    if operand.address == nil, text.bytes[name.endIndex...].allSatisfy({ $0 <= 0x20 }),
      marked.allSatisfy({
        $0.isNamePart || $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ":")
      })
    {
      operand.className = nil
    }
    return operand
  }

  /// Whether the line or the text stops in the address of the object in `range`, or dots stand for the rest of it.
  private func isAddressCut(_ range: Range<Int>) -> Bool {
    let bytes = text.bytes[range].prefix(400)
    guard let open = bytes.firstIndex(of: UInt8(ascii: "<")),
      let address = FrameLine.first("0x", in: bytes[open...])
    else { return false }
    let rest = text.bytes[(address + 2)...].drop(while: \.isHexDigit)
    let isDotted = rest.starts(with: "...".utf8) || rest.starts(with: "…".utf8)
    guard rest.first.map({ $0 == 0x0a }) ?? true || isDotted else { return false }
    return rest.prefix(8).first { !$0.isBlank && $0 != 0x0a } != UInt8(ascii: ">")
  }

  /// What is in quotation marks at or shortly after `position`, and where it ends.
  ///
  /// Blanks are removed: a key path has none, and a wrapped one is restored. Without quotation marks, one word that
  /// `from` follows.
  func quoted(at position: Int) -> (text: String, end: Int)? {
    var start = position
    while start < text.bytes.count, start - position < 12, isOpening(text.bytes[start]) {
      // After an empty line something else begins.
      if text.bytes[start] == 0x0a, start + 1 < text.bytes.count, text.bytes[start + 1] == 0x0a {
        return nil
      }
      // Stars in quotation marks are a masked name.
      if text.bytes[start] == UInt8(ascii: "*"), start > position, isMark(text.bytes[start - 1]) {
        break
      }
      start += 1
    }
    let opening = text.bytes[position..<start]
    let hasMark = opening.contains(where: isMark)
    // Two marks before a blank have no name between them; before a name they are one that a table doubled.
    if opening.count(where: isMark) == 2, opening.last.map(isMark) == false { return nil }
    var result: [UInt8] = []
    var end = start
    while end < text.bytes.count, end - start < 600 {
      let byte = text.bytes[end]
      if hasMark {
        if isMark(byte) { break }
      } else if byte.isBlank || byte == 0x0a || byte == UInt8(ascii: ",") {
        break
      }
      if isInName(end) { result.append(byte) }
      end += 1
    }
    // A name that the text cuts off is not a name.
    if end - start >= 600 || hasMark && end == text.bytes.count || !isWhole(start..<end) {
      return nil
    }
    if !hasMark {
      // A bare word is a key path if the sentence goes on after it, or ends with it.
      let next = text.skeletonOffset(at: end)
      let isEnd = end == text.bytes.count || text.bytes[end] == 0x0a
      while isEnd, let last = result.last, last >= 0x80 { result.removeLast() }
      guard text.skeleton.has("from", at: next) || isEnd else { return nil }
    }
    let isMask = result.allSatisfy { $0 == UInt8(ascii: "*") }
    while !isMask, let last = result.last, last == UInt8(ascii: "*") || last == UInt8(ascii: "`") {
      result.removeLast()
    }
    guard !result.isEmpty else { return nil }
    return (String(decoding: result, as: UTF8.self), end)
  }

  private func isMark(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "`")
  }

  private func isOpening(_ byte: UInt8) -> Bool {
    isMark(byte) || byte.isBlank || byte == 0x0a || byte == UInt8(ascii: "@")
      || byte == UInt8(ascii: "*") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "|")
  }

  /// Whether the byte at `position` may be one of a name that was wrapped: no blank, line end or end of a row of a table,
  /// nor a digit of the number that a line has.
  func isInName(_ position: Int) -> Bool {
    let byte = text.bytes[position]
    if byte.isBlank || byte == 0x0a || byte == UInt8(ascii: "|") { return false }
    return !byte.isASCIIDigit
      || text.position(ofSkeleton: text.skeletonOffset(at: position)) == position
  }

  /// Whether the name at `range`, if it was wrapped, continues plainly in each further line: a line that is empty, or has
  /// several words, begins something else.
  func isWhole(_ range: Range<Int>) -> Bool {
    text.bytes[range].split(separator: 0x0a, omittingEmptySubsequences: false).dropFirst()
      .allSatisfy {
        line in
        let name = line.indices.drop { !isInName($0) }
        let last = name.last(where: isInName) ?? line.startIndex
        return (!name.isEmpty || line.endIndex == range.upperBound)
          && name.prefix { $0 <= last }.allSatisfy { !text.bytes[$0].isBlank }
      }
  }

  /// A key path as a sentence names it, nil if code or dots are in its place.
  func keyPath(_ name: String?) -> String? {
    guard let name, !Operand.isNothing(name), !name.hasPrefix("@\"") else { return nil }
    // The place of an argument in a format.
    if name.hasPrefix("{"), name.hasSuffix("}") { return nil }
    // Cut by who shows the text.
    if name.hasSuffix("…") || name.hasSuffix("...") { return nil }
    return name.allSatisfy { ".…[](){}<>".contains($0) } ? nil : name
  }

  /// The receiver of a method's name: what is after the bracket before `position`.
  func receiver(before position: Int) -> Operand {
    var start = position
    while start > 0, position - start < 400 {
      start -= 1
      let byte = text.bytes[start]
      if byte == UInt8(ascii: "[") { return operand(start + 1..<position) }
      if byte == UInt8(ascii: "]") { break }
    }
    return Operand()
  }
}
