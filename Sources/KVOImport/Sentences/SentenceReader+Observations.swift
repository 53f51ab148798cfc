import KVORules

/// The sentences that name the method which takes notifications.
extension SentenceReader {
  func observation(_ match: SentenceHead.Match, _ window: Range<Int>) -> Complaint? {
    let place = match.places.upperBound
    if text.skeleton.has("messagewasreceivedbutnothandled", at: place) {
      return unhandled(match, behind: place + 31, window)
    }
    if text.skeleton.has("messagesenttodeallocatedinstance", at: place) {
      return dead(match, behind: place + 32)
    }
    if text.skeleton.has("unrecognizedselectorsentto", at: place) {
      return dead(match, behind: place + 26)
    }
    if text.skeleton.has("cannotbesentto", at: place) {
      return notOverridden(match, behind: place + 14, window)
    }
    return nil
  }

  /// A notification that the observer did not know.
  private func unhandled(
    _ match: SentenceHead.Match,
    behind place: Int,
    _ window: Range<Int>
  ) -> Complaint? {
    var complaint = Complaint(
      kind: .unhandled,
      code: .unhandledNotification,
      range: position(match.places.lowerBound)..<end(place)
    )
    complaint.observer = describedBefore(match.places.lowerBound)
    let near = place..<min(window.upperBound, place + 40)
    if let path = text.skeleton.first("keypath", in: near) {
      let start = end(path + 7)
      let object = text.skeleton.first("observedobject", in: path..<window.upperBound)
      complaint.keyPath = keyPath(detail(at: start, before: object.map(position)))
      if let object, object - path < 400 {
        let from = end(object + 14)
        let change = text.skeleton.first("change", in: object + 14..<window.upperBound)
        let stop = change.map(position) ?? min(text.bytes.count, from + 400)
        complaint.subject = operand(from..<max(from, stop), skipping: UInt8(ascii: ":"))
        complaint.context = context(behind: change ?? object, window)
      }
    }
    guard
      complaint.observer.isKnown || complaint.subject.isKnown || complaint.keyPath != nil
        || isRaised(at: match.places.lowerBound)
    else { return nil }
    if complaint.observer.isPlaceholder { return nil }
    return complaint
  }

  /// Whether the name of the exception stands right before the sentence at `place`.
  private func isRaised(at place: Int) -> Bool {
    text.skeleton.last("nsinternalinconsistencyexception", in: max(0, place - 80)..<place) != nil
  }

  private func context(behind place: Int, _ window: Range<Int>) -> String? {
    guard let context = text.skeleton.first("context", in: place..<window.upperBound) else {
      return nil
    }
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
    // A wrapped path goes on in the next line, up to the next label.
    if let next, end < next, text.bytes[end] == 0x0a,
      text.bytes[end..<next].contains(where: \.isNamePart), next - end < 200
    {
      let first = text.string(start..<end)
      if first.hasSuffix(".") || first.isEmpty { end = next }
    }
    let name = text.string(start..<end).trimmed
    let word = name.prefix { !$0.isWhitespace }
    return word.isEmpty ? nil : String(word)
  }

  private func operand(_ range: Range<Int>, skipping byte: UInt8) -> Operand {
    var start = range.lowerBound
    while start < range.upperBound, text.bytes[start] == byte || text.bytes[start].isBlank {
      start += 1
    }
    return operand(start..<range.upperBound)
  }

  /// The object that is described before the sentence at `place`: `<Screen: 0x…; frame = (…)>: An -…`.
  private func describedBefore(_ place: Int) -> Operand {
    var end = position(place)
    // Back over `An -`.
    var count = 0
    while end > 0, count < 12, text.bytes[end - 1] != UInt8(ascii: ":"),
      text.bytes[end - 1] != UInt8(ascii: ">")
    {
      end -= 1
      count += 1
    }
    guard end > 0, count < 12 else { return Operand() }
    if text.bytes[end - 1] == UInt8(ascii: ":") { end -= 1 }
    while end > 0, text.bytes[end - 1].isBlank || text.bytes[end - 1] == 0x0a { end -= 1 }
    guard end > 0 else { return Operand() }
    if text.bytes[end - 1] == UInt8(ascii: ">"), let start = opening(before: end - 1) {
      return operand(start..<end)
    }
    // A description that spans lines begins with the object in angle brackets.
    var start = end
    var lines = 0
    while start > 0, end - start < 3_000, lines < 30 {
      start -= 1
      if text.bytes[start] == 0x0a { lines += 1 }
      if text.bytes[start] == UInt8(ascii: "<"),
        Operand.address(in: text.bytes[start..<min(text.bytes.count, start + 160)]) != nil
      {
        let candidate = operand(start..<min(end, start + 160))
        if candidate.className != nil, candidate.address != nil { return candidate }
      }
      if text.bytes[start] == UInt8(ascii: "'"), lines == 0 { break }
    }
    return Operand()
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

  /// A notification that was sent to what is no observer any more.
  private func dead(_ match: SentenceHead.Match, behind place: Int) -> Complaint? {
    var complaint = Complaint(
      kind: .deadReceiver,
      code: .deliveryToDead,
      range: position(match.places.lowerBound)..<end(place)
    )
    complaint.observer = receiver(before: position(match.places.lowerBound))
    let start = end(place)
    complaint.observer.address = Operand.address(
      in: text.bytes[start..<min(text.bytes.count, start + 40)]
    )
    guard complaint.observer.isKnown, !complaint.observer.isPlaceholder else { return nil }
    return complaint
  }

  /// GNUstep: the observer is of a class that takes no notifications.
  ///
  /// A class of the system is what lies where a dead observer was; one of the user's forgot the method.
  private func notOverridden(
    _ match: SentenceHead.Match,
    behind place: Int,
    _ window: Range<Int>
  ) -> Complaint? {
    guard
      let tail = text.skeleton.first(
        "createaninstanceoverridingthis",
        in: place..<min(window.upperBound, place + 600)
      )
    else { return nil }
    let object = operand(end(place)..<position(tail))
    let name = object.className ?? ""
    let isSystem = ["NS", "GS", "_NS", "__NS", "GC", "Tiny", "Small", "Object", "Protocol"]
      .contains { name.hasPrefix($0) }
    var complaint = Complaint(
      kind: isSystem ? .deadReceiver : .unhandled,
      code: isSystem ? .deliveryToDead : .unhandledNotification,
      range: position(match.places.lowerBound)..<end(place)
    )
    complaint.observer = object
    complaint.runtime = .gnustep
    if isSystem { complaint.confidence = .low }
    return object.isPlaceholder ? nil : complaint
  }
}
