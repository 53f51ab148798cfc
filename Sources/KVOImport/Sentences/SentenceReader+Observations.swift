import KVORules

/// The sentences that name the method which takes notifications.
extension SentenceReader {
  func observation(_ match: SentenceHead.Match, _ window: Range<Int>) -> Complaint? {
    let place = match.places.upperBound
    if match.isCut {
      var complaint = unhandled(match, behind: place, window)
      complaint?.confidence = .low
      return complaint?.observer.address == nil ? nil : complaint
    }
    switch continuation(of: "messagewasreceivedbutnothandled", at: place, least: 10) {
    case .whole: return unhandled(match, behind: place + 31, window)
    case .cut:
      let complaint = unhandled(match, behind: place, window)
      return complaint?.observer.isKnown == true ? complaint : nil
    case .none: break
    }
    switch continuation(of: "messagesenttodeallocatedinstance", at: place, least: 8) {
    case .whole: return dead(match, behind: place + 32)
    case .cut: return dead(match, behind: place)
    case .none: break
    }
    switch continuation(of: "unrecognizedselectorsentto", at: place, least: 5) {
    case .whole: return dead(match, behind: place + 26)
    case .cut: return dead(match, behind: place)
    case .none: break
    }
    if text.skeleton.has("cannotbesentto", at: place) {
      return notOverridden(match, behind: place + 14, window)
    }
    if continuation(of: "messagewasreceivedbutnothandled", at: place, least: 0) == .cut,
      text.skeleton.has("an", at: match.places.lowerBound - 2)
    {
      var complaint = unhandled(match, behind: place, window)
      complaint?.confidence = .low
      return complaint?.observer.address == nil ? nil : complaint
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
    if let path = text.skeleton.first("keypath", in: near), isLabel(path..<path + 7) {
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

  /// Whether the letters at `places` are a word of their own before a colon.
  private func isLabel(_ places: Range<Int>) -> Bool {
    let start = position(places.lowerBound)
    let next = text.bytes[end(places.upperBound)...].prefix(8).first {
      !$0.isBlank && $0 != UInt8(ascii: "*")
    }
    let previous = start == 0 ? 0x20 : text.bytes[start - 1]
    return next == UInt8(ascii: ":") && (!previous.isNamePart || previous == UInt8(ascii: "."))
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
    // A title ends with it; in a longer text the name may go on behind the cut.
    if end == text.bytes.count, next == nil, text.lineStarts.count > 1 { return nil }
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
    if text.bytes[end - 1] == UInt8(ascii: ">") {
      // A description whose front is cut off ends with brackets of which none opens.
      return opening(before: end - 1).map { operand($0..<end) } ?? Operand()
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
      if text.bytes[start] == UInt8(ascii: "'"), lines == 0 {
        return describedInWords(start + 1..<end)
      }
    }
    return Operand()
  }

  /// The object of a description of its class's own: `Stream<>(0x15e29718 s:O)`.
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
    let limit = min(window.upperBound, place + 600)
    let tail = text.skeleton.first("createaninstanceoverridingthis", in: place..<limit)
    // Cut, the name of the class and the comma behind it are enough.
    let line = text.bytes[end(place)...].prefix { $0 != 0x0a }
    guard tail != nil || line.contains(UInt8(ascii: ",")) && line.endIndex >= text.bytes.count
    else { return nil }
    let object = operand(end(place)..<(tail.map(position) ?? line.endIndex))
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
