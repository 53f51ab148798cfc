import KVORules

/// The sentences that name the method which takes notifications.
extension SentenceReader {
  func observation(_ match: SentenceHead.Match, _ window: Range<Int>) -> Complaint? {
    let offset = match.offsets.upperBound
    if match.isCut {
      var complaint = unhandled(match, after: offset, window)
      complaint?.confidence = .low
      return complaint?.observer.address == nil ? nil : complaint
    }
    switch continuation(of: "messagewasreceivedbutnothandled", at: offset, least: 10) {
    case .whole: return unhandled(match, after: offset + 31, window)
    case .cut:
      let complaint = unhandled(match, after: offset, window)
      return complaint?.observer.isKnown == true ? complaint : nil
    case .none: break
    }
    switch continuation(of: "messagesenttodeallocatedinstance", at: offset, least: 8) {
    case .whole: return deallocated(match, after: offset + 32, isZombie: true)
    case .cut: return deallocated(match, after: offset, isZombie: true)
    case .none: break
    }
    switch continuation(of: "unrecognizedselectorsentto", at: offset, least: 5) {
    case .whole: return deallocated(match, after: offset + 26, isZombie: false)
    case .cut: return deallocated(match, after: offset, isZombie: false)
    case .none: break
    }
    if text.skeleton.has("onlydefinedforabstractclassdefine", at: offset) {
      return unimplemented(match, after: offset + 33)
    }
    if text.skeleton.has("cannotbesentto", at: offset) {
      return notOverridden(match, after: offset + 14, window)
    }
    if continuation(of: "messagewasreceivedbutnothandled", at: offset, least: 0) == .cut,
      text.skeleton.has("an", at: match.offsets.lowerBound - 2)
    {
      var complaint = unhandled(match, after: offset, window)
      complaint?.confidence = .low
      return complaint?.observer.address == nil ? nil : complaint
    }
    return nil
  }

  /// A notification that the observer did not recognize.
  private func unhandled(
    _ match: SentenceHead.Match,
    after offset: Int,
    _ window: Range<Int>
  ) -> Complaint? {
    var complaint = Complaint(
      kind: .unhandled,
      code: .unhandledNotification,
      range: position(match.offsets.lowerBound)..<end(offset)
    )
    complaint.observer = describedBefore(match.offsets.lowerBound)
    let near = offset..<max(offset, min(window.upperBound, offset + 40))
    if let path = text.skeleton.first("keypath", in: near), isLabel(path..<path + 7) {
      let start = end(path + 7)
      let object = label("observedobject", in: path..<window.upperBound)
      complaint.keyPath = keyPath(detail(at: start, before: object.map(position)))
      if let object, object - path < 400 {
        let from = end(object + 14)
        let rest = object + 14..<max(object + 14, window.upperBound)
        let change = label("change", in: rest)
        let stop = change.map(position) ?? min(text.bytes.count, from + 400)
        complaint.subject = operand(from..<max(from, stop), skipping: UInt8(ascii: ":"))
        complaint.context = context(after: change ?? object, window)
      }
    }
    guard
      complaint.observer.isKnown || complaint.subject.isKnown || complaint.keyPath != nil
        || isRaised(at: match.offsets.lowerBound)
    else { return nil }
    if complaint.observer.isPlaceholder { return nil }
    return complaint
  }

  /// A notification that the observer did not recognize, in the words of Mac OS X 10.3 and 10.4, which name only its class:
  /// `… only defined for abstract class.  Define -[Screen observeValueForKeyPath:…]!`.
  private func unimplemented(_ match: SentenceHead.Match, after offset: Int) -> Complaint? {
    let near = offset..<min(text.skeleton.count, offset + 200)
    guard let method = text.skeleton.first("observevalueforkeypath", in: near) else { return nil }
    let name = FrameLine.trimmed(text.bytes[end(offset)..<position(method)])
      .drop { $0 == UInt8(ascii: ".") || $0.isBlank || $0 == 0x0a || $0 == UInt8(ascii: "-") }
    guard name.first == UInt8(ascii: "["), name.count > 1,
      FrameLine.trimmed(name.dropFirst()).allSatisfy(\.isNamePart)
    else { return nil }
    var complaint = Complaint(
      kind: .unhandled,
      code: .unhandledNotification,
      range: position(match.offsets.lowerBound)..<end(offset)
    )
    complaint.observer = Operand(FrameLine.trimmed(name.dropFirst()))
    return complaint.observer.isPlaceholder ? nil : complaint
  }

  /// Where `<Screen>: An -observeValueForKeyPath:…` begins, if it has the observer; else `offset`, that of `An`.
  func beginning(ofUnhandled offset: Int) -> Int {
    func words(_ end: Int) -> Int {
      text.bytes[..<end].lastIndex { !$0.isBlank && $0 != 0x0a }.map { $0 + 1 } ?? 0
    }
    var end = words(position(offset))
    guard end > 0, text.bytes[end - 1] == UInt8(ascii: ":") else { return offset }
    end = words(end - 1)
    guard end > 0, text.bytes[end - 1] == UInt8(ascii: ">"), let start = opening(before: end - 1)
    else { return offset }
    return text.skeletonOffset(at: start)
  }

  /// Whether the name of the exception is right before the sentence at `offset`.
  private func isRaised(at offset: Int) -> Bool {
    text.skeleton.last("nsinternalinconsistencyexception", in: max(0, offset - 80)..<offset) != nil
  }

  private func context(after offset: Int, _ window: Range<Int>) -> String? {
    let rest = offset..<max(offset, window.upperBound)
    guard let context = label("context", in: rest) else { return nil }
    let start = end(context + 7)
    return Operand.address(in: text.bytes[start..<min(text.bytes.count, start + 24)])
      .map { $0 == 0 ? "NULL" : "0x" + String($0, radix: 16) }
  }

  /// The value of `Key path: value`, which ends with its line or where the next one begins.
  private func detail(at start: Int, before next: Int?) -> String? {
    var start = start
    while start < text.bytes.count,
      text.bytes[start].isBlank || text.bytes[start] == UInt8(ascii: ":")
        || text.bytes[start] == UInt8(ascii: "*") || text.bytes[start] == UInt8(ascii: "\"")
    {
      start += 1
    }
    var end = start
    let limit = min(text.bytes.count, next ?? text.bytes.count, start + 400)
    while end < limit, text.bytes[end] != 0x0a, text.bytes[end] != UInt8(ascii: "\"") { end += 1 }
    // A wrapped path continues in the next line, up to that of the next label. Other words there do not show where it ends.
    if let next, end < next, text.bytes[end] == 0x0a, next - end < 200 {
      var label = text.lineRange(text.line(at: next)).lowerBound
      // Text that was one line may be wrapped anywhere; else a log may put words before the label.
      let front = text.bytes[text.lineRange(text.line(at: start)).lowerBound..<start]
      let word = FrameLine.trimmed(text.bytes[label..<next])
      if FrameLine.first("handled", in: front) != nil, !word.isEmpty,
        word.indices.allSatisfy({ text.bytes[$0].isNamePart && isInName($0) })
      {
        label = next
      }
      let first = text.string(start..<end)
      if text.bytes[end..<max(end, label)].contains(where: \.isNamePart) {
        guard !first.contains(where: \.isWhitespace), isWhole(start..<label) else { return nil }
        end = label
      } else if first.hasSuffix(".") || first.isEmpty {
        end = next
      }
    }
    // A title ends with it; in a longer text the name may go on after the cut.
    if end == text.bytes.count, next == nil, text.lineStarts.count > 1 { return nil }
    let lines = text.bytes[start..<end].split(separator: 0x0a).map { FrameLine.trimmed($0) }
    let name = String(decoding: lines.joined(), as: UTF8.self)
    let word = name.prefix { !$0.isWhitespace && $0 != "|" }
    return word.isEmpty ? nil : String(word)
  }

  private func operand(_ range: Range<Int>, skipping byte: UInt8) -> Operand {
    var start = range.lowerBound
    while start < range.upperBound, text.bytes[start] == byte || text.bytes[start].isBlank {
      start += 1
    }
    // A dictionary, whose description has its keys and not its class.
    if start < range.upperBound, text.bytes[start] == UInt8(ascii: "{") { return Operand() }
    return operand(start..<range.upperBound)
  }

  /// The object that is described before the sentence at `offset`: `<Screen: 0x…; frame = (…)>: An -…`.
  private func describedBefore(_ offset: Int) -> Operand {
    var end = position(offset)
    // Back over `An -`.
    var count = 0
    while end > 0, count < 12, text.bytes[end - 1] != UInt8(ascii: ":"),
      text.bytes[end - 1] != UInt8(ascii: ">")
    {
      end -= 1
      count += 1
    }
    guard end > 0, count < 12 else { return Operand() }
    let colon = end - 1
    if text.bytes[colon] == UInt8(ascii: ":") {
      end -= 1
    } else if text.bytes[end..<position(offset)].contains(0x0a) {
      // The line before ends with an object that it names: no description does without the colon.
      return Operand()
    }
    while end > 0, text.bytes[end - 1].isBlank || text.bytes[end - 1] == 0x0a { end -= 1 }
    guard end > 0 else { return Operand() }
    if text.bytes[end - 1] == UInt8(ascii: ">") {
      // A description whose front is cut off ends with brackets of which none opens.
      let object = opening(before: end - 1).map { operand($0..<end) } ?? Operand()
      // A tag of XML, or a log's level, if the text before the sentence was left out: `<Error>: An -…`.
      let isDescribed =
        object.address != nil
        || end <= colon && object.className.map(LogPrefix.levels.contains) != true
      return isDescribed ? object : Operand()
    }
    let isWrapped = text.bytes[colon..<position(offset)].prefix { !$0.isASCIILetter }
      .contains(0x0a)
    return describedInLines(before: end, colon: colon, isWrapped: isWrapped)
  }

  /// The bracket that the one at `position` closes.
  private func opening(before position: Int) -> Int? {
    var depth = 0
    var at = position
    while at >= 0, position - at < 5_000 {
      switch text.bytes[at] {
      case UInt8(ascii: ">"): depth += 1
      case UInt8(ascii: "<"):
        depth -= 1
        if depth == 0 { return at }
      default: break
      }
      at -= 1
    }
    return nil
  }

  /// A notification that was sent to an object that is no longer an observer.
  private func deallocated(
    _ match: SentenceHead.Match,
    after offset: Int,
    isZombie: Bool
  ) -> Complaint? {
    var complaint = Complaint(
      kind: .deadReceiver(isZombie: isZombie),
      code: .deliveryToDead,
      range: position(match.offsets.lowerBound)..<end(offset)
    )
    complaint.observer = receiver(before: position(match.offsets.lowerBound))
    let start = end(offset)
    complaint.observer.address = Operand.address(
      in: text.bytes[start..<min(text.bytes.count, start + 40)]
    )
    guard complaint.observer.isKnown, !complaint.observer.isPlaceholder else { return nil }
    return complaint
  }

  /// GNUstep: the observer is of a class that takes no notifications.
  ///
  /// A system class has reused the address of a deallocated observer; a user's class lacks the method.
  private func notOverridden(
    _ match: SentenceHead.Match,
    after offset: Int,
    _ window: Range<Int>
  ) -> Complaint? {
    // The next sentence may begin inside of these words.
    let limit = max(offset, min(window.upperBound, offset + 600))
    let tail = text.skeleton.first("createaninstanceoverridingthis", in: offset..<limit)
    // Cut, the name of the class and the comma after it are enough.
    let line = text.bytes[end(offset)...].prefix { $0 != 0x0a }
    guard tail != nil || line.contains(UInt8(ascii: ",")) && line.endIndex >= text.bytes.count
    else { return nil }
    let object = operand(end(offset)..<(tail.map(position) ?? line.endIndex))
    let name = object.className ?? ""
    let isSystem = ["NS", "GS", "_NS", "__NS", "GC", "Tiny", "Small", "Object", "Protocol"]
      .contains { name.hasPrefix($0) }
    var complaint = Complaint(
      kind: isSystem ? .deadReceiver(isZombie: false) : .unhandled,
      code: isSystem ? .deliveryToDead : .unhandledNotification,
      range: position(match.offsets.lowerBound)..<end(offset)
    )
    complaint.observer = object
    complaint.runtime = .gnustep
    if isSystem { complaint.confidence = .low }
    return object.isPlaceholder ? nil : complaint
  }
}
