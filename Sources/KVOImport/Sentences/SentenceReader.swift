import KVORules

/// Reads the sentences of the runtimes out of a passage.
///
/// A sentence counts where it says something: with an object, a key path or its whole wording. Words
/// about it, as in prose and in source code, have none of these.
struct SentenceReader {
  let text: CleanText
  private let heads: [SentenceHead.Match]

  /// How many bytes of the skeleton a sentence may take; descriptions of views are long.
  static let reach = 6_000

  init(_ text: CleanText) {
    var heads = SentenceHead.all(in: text.skeleton)
    for cut in Self.cutHeads(in: text)
    where !heads.contains(where: {
      $0.places.overlaps(cut.places) || $0.places.upperBound == cut.places.upperBound
    }) {
      heads.append(cut)
    }
    self.init(text, heads: heads.sorted { $0.places.lowerBound < $1.places.lowerBound })
  }

  init(_ text: CleanText, heads: [SentenceHead.Match]) {
    self.text = text
    self.heads = heads
  }

  /// What the passage says, in the order in which it stands there.
  ///
  /// Complexity: O(length + sentences × ``reach``).
  func complaints() -> [Complaint] {
    let context = SourceContext(text)
    return heads.indices.compactMap { index in
      guard let complaint = complaint(index), !context.isSource(at: complaint.range.lowerBound),
        !context.isSource(at: position(heads[index].places.lowerBound)),
        !isExample(complaint, at: heads[index].places.lowerBound)
      else { return nil }
      return complaint
    }
  }

  private func complaint(_ index: Int) -> Complaint? {
    let match = heads[index]
    let window = match.places.upperBound..<limit(behind: index)
    switch match.head {
    case .cannotRemove, .cannotRemoveGNUstep, .cannotUpdate: return pathSentence(match, window)
    case .deallocated, .deallocatedGNUstep:
      return deallocation(
        match,
        window,
        after: index == 0 ? 0 : heads[index - 1].places.upperBound
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

  /// Whether the sentence is told of in general: dots or signs stand for its objects, and no exception
  /// is said to have been raised.
  private func isExample(_ complaint: Complaint, at place: Int) -> Bool {
    let objects = [complaint.observer, complaint.subject]
    let isHidden =
      complaint.keyPath.map(Operand.isMasked) ?? true
      && objects.allSatisfy { $0.address == nil && ($0.isMasked || $0.className == nil) }
      && (objects.contains(where: \.isMasked) || complaint.keyPath != nil)
      && complaint.observances.isEmpty
    let isVague = objects.contains(where: \.isExample) || isHidden
    return (isVague || isFix(complaint, at: place) || isForeseen(complaint, behind: place))
      && !isRaised(before: place)
  }

  /// Whether somebody says what will happen: `… not registered as an observer) will be thrown`.
  private func isForeseen(_ complaint: Complaint, behind place: Int) -> Bool {
    guard !complaint.observer.isKnown, !complaint.subject.isKnown else { return false }
    let window = place..<min(text.skeleton.count, place + 300)
    return (["observerwillbe", "observerwouldbe", "observerwillraise"] as [StaticString]).contains {
      text.skeleton.first($0, in: window) != nil
    }
  }

  /// Whether a list of changes says that the sentence is gone: `Fix "Cannot remove an observer …"`.
  private func isFix(_ complaint: Complaint, at place: Int) -> Bool {
    guard complaint.observer.address == nil, complaint.subject.address == nil else { return false }
    return (["fix", "fixed", "fixes", "resolved", "prevents", "avoids", "avoid"] as [StaticString])
      .contains { text.skeleton.has($0, at: place - $0.utf8CodeUnitCount) }
  }

  /// Whether the words before `place` are a runtime's about an exception.
  func isRaised(before place: Int) -> Bool {
    let lead = max(0, place - 220)..<place
    return
      (["terminatingapp", "fatalexception", "exceptionreason", "duetouncaughtexception"]
      as [StaticString]).contains { text.skeleton.last($0, in: lead) != nil }
      || text.skeleton.last("exception", in: lead).map {
        text.skeleton.first("reason", in: $0..<min(place, $0 + 24)) != nil
      } == true
  }

  /// Where the words of the sentence at `index` must have ended: at the next of a kind that cannot
  /// stand inside another.
  private func limit(behind index: Int) -> Int {
    let end = min(text.skeleton.count, heads[index].places.upperBound + Self.reach)
    for next in heads[(index + 1)...] {
      if next.places.lowerBound >= end { break }
      switch next.head {
      // These are also functions of the stack below a sentence.
      case .addObserver, .removeObserver, .undefinedKey, .observeValue: continue
      // The heads of two sentences may overlap in a text that is cut.
      default: return max(next.places.lowerBound, heads[index].places.upperBound)
      }
    }
    return end
  }

  // MARK: - Places

  func position(_ place: Int) -> Int { text.position(ofSkeleton: place) }

  /// The position behind the byte of the skeleton before `place`.
  func end(_ place: Int) -> Int { place == 0 ? 0 : text.position(ofSkeleton: place - 1) + 1 }

  /// Where in the text the letters at `places` stand; of none, the end of the letters before.
  func extent(of places: Range<Int>) -> Range<Int> {
    let stop = end(places.upperBound)
    return min(position(places.lowerBound), stop)..<stop
  }

  /// The object that `range` describes; a name that the text stops in is none.
  func operand(_ range: Range<Int>) -> Operand {
    guard !range.isEmpty else { return Operand() }
    var operand = Operand(text.bytes[range])
    if operand.address == nil, range.upperBound >= text.bytes.count,
      FrameLine.trimmed(text.bytes[range]).allSatisfy({
        $0.isNamePart || $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ":")
      })
    {
      operand.className = nil
    }
    return operand
  }

  /// What stands in quotation marks at or shortly behind `position`, and where it ends.
  ///
  /// Blanks are taken out: a key path has none, and a wrapped one is whole again. Without quotation
  /// marks, one word that `from` follows.
  func quoted(at position: Int) -> (text: String, end: Int)? {
    var start = position
    while start < text.bytes.count, start - position < 12, isOpening(text.bytes[start]) {
      // Behind an empty line something else begins.
      if text.bytes[start] == 0x0a, start + 1 < text.bytes.count, text.bytes[start + 1] == 0x0a {
        return nil
      }
      // Stars in quotation marks are a name that is written over.
      if text.bytes[start] == UInt8(ascii: "*"), start > position, isMark(text.bytes[start - 1]) {
        break
      }
      start += 1
    }
    let hasMark = text.bytes[position..<start].contains(where: isMark)
    var result: [UInt8] = []
    var end = start
    while end < text.bytes.count, end - start < 600 {
      let byte = text.bytes[end]
      if hasMark {
        if isMark(byte) { break }
      } else if byte.isBlank || byte == 0x0a || byte == UInt8(ascii: ",") {
        break
      }
      if !byte.isBlank, byte != 0x0a { result.append(byte) }
      end += 1
    }
    // A name that the text cuts off is not a name.
    if end - start >= 600 || hasMark && end == text.bytes.count { return nil }
    if !hasMark {
      // A bare word is a key path where the sentence goes on behind it, or ends with it.
      let next = text.skeletonPlace(at: end)
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

  /// A key path as a sentence names it, nil where code stands in its place.
  func keyPath(_ name: String?) -> String? {
    guard let name, !Operand.isNothing(name), !name.hasPrefix("@\"") else { return nil }
    return name
  }

  /// The receiver of a method's name: what stands behind the bracket before `position`.
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
