import KVORules

/// The sentences about deallocated objects.
extension SentenceReader {
  /// An observed object was deallocated, with the list of its observers, which ends in `list`.
  func deallocation(
    _ match: SentenceHead.Match,
    _ window: Range<Int>,
    list: Range<Int>,
    after previous: Int
  ) -> Complaint? {
    let start = match.offsets.lowerBound
    let lead = max(0, min(start, max(previous, start - 500)))..<start
    var complaint = Complaint(
      kind: .deallocation,
      code: .observedDeinitWhileObserved,
      range: extent(of: match.offsets)
    )
    if match.head == .deallocatedGNUstep { complaint.runtime = .gnustep }
    if match.isCut, match.head == .deallocated, match.offsets.count < 16 {
      complaint.confidence = .low
    }
    // The older runtime only logs.
    let log = match.offsets.upperBound..<min(window.upperBound, match.offsets.upperBound + 120)
    complaint.isException =
      text.skeleton.first("observationinfowasleaked", in: log) == nil && !isEarly(match.head)
    var isWhole = false
    let object =
      lastWords("aninstance", in: lead).map { $0 + 10 }
      ?? lastWords("object", in: lead).map { $0 + 6 }
    if let start = object {
      let was = text.skeleton.has("was", at: match.offsets.lowerBound - 3) ? 3 : 0
      let range = end(start)..<max(end(start), position(match.offsets.lowerBound - was))
      if let named = text.skeleton.first("ofclass", in: start..<match.offsets.lowerBound) {
        complaint.subject = instance(end(named + 7)..<range.upperBound)
        complaint.subject.address = Operand.address(
          in: text.bytes[range.lowerBound..<position(named)]
        )
        isWhole = true
      } else if text.skeleton.last("aninstance", in: lead) != nil || match.head != .deallocated {
        complaint.subject = operand(range)
      }
      if isWhole || complaint.subject.isKnown {
        complaint.range = position(start)..<complaint.range.upperBound
      }
    }
    if !complaint.subject.isKnown, !complaint.subject.isPlaceholder {
      complaint.subject = typeBefore(position(match.offsets.lowerBound))
    }
    complaint.observances = observances(list)
    if match.head == .deallocatingObserved { complaint.observances = namedPaths(window) }
    if isEarly(match.head), complaint.subject.address == nil { return nil }
    guard !complaint.subject.isPlaceholder,
      isWhole || complaint.subject.isKnown || !complaint.observances.isEmpty
    else { return nil }
    return complaint
  }

  /// The class at `range`, which may have been wrapped at a column, inside its name.
  private func instance(_ range: Range<Int>) -> Operand {
    let bytes = text.bytes[range]
    guard let newline = bytes.firstIndex(of: 0x0a), bytes[..<newline].last?.isNamePart == true,
      bytes[(newline + 1)...].first?.isNamePart == true
    else { return operand(range) }
    return Operand(Array(bytes[..<newline] + bytes[(newline + 1)...])[...])
  }

  /// Whether the words are printed while the object is deallocated, after which it may crash.
  private func isEarly(_ head: SentenceHead) -> Bool {
    head == .deallocating || head == .deallocatingObserved
  }

  /// The key paths of AppKit's list, which names no observers.
  private func namedPaths(_ window: Range<Int>) -> [Complaint.Observance] {
    let near = window.lowerBound..<min(window.upperBound, window.lowerBound + 160)
    guard let lead = text.skeleton.first("followingpropertyorproperties", in: near) else {
      return []
    }
    let line = text.bytes[end(lead + 29)...].prefix(400).prefix { $0 != 0x0a }
    return line.split(separator: UInt8(ascii: ",")).compactMap { part in
      let word = part.drop { $0.isBlank || $0 == UInt8(ascii: ":") }.prefix(while: \.isNamePart)
      var name = String(decoding: word, as: UTF8.self)
      while name.hasSuffix(".") { name.removeLast() }
      return name.isEmpty ? nil : Complaint.Observance(keyPath: name)
    }
  }

  /// The type whose name is right before `position`, as in a title: `Screen was deallocated …`.
  private func typeBefore(_ position: Int) -> Operand {
    var end = position
    // The skeleton's head begins after `was`.
    for word in ["was ", "was"] where end >= word.utf8.count {
      let start = end - word.utf8.count
      if text.bytes[start..<end].elementsEqual(word.utf8) {
        end = start
        break
      }
    }
    while end > 0, !text.bytes[end - 1].isNamePart, position - end < 12 {
      // A name that is set as code is part of a person's words about the sentence.
      if text.bytes[end - 1] == UInt8(ascii: ".") || text.bytes[end - 1] == UInt8(ascii: "`") {
        return Operand()
      }
      end -= 1
    }
    var start = end
    while start > 0, text.bytes[start - 1].isNamePart, end - start < 200 { start -= 1 }
    // Dots stand for the words that were left out before the name.
    let name = text.bytes[start..<end].drop { $0 == UInt8(ascii: ".") }
    let stop = ["The", "This", "That", "Object", "Instance", "View", "Observer", "It", "Self"]
    guard name.count > 2, let first = name.first, first >= 0x41 && first <= 0x5a || first == 0x5f,
      !stop.contains(String(decoding: name, as: UTF8.self))
    else { return Operand() }
    return Operand(name)
  }

  /// How many bytes of the skeleton a list of registrations may take: it outreaches the window of a sentence.
  static let listReach = 200_000

  /// The registrations that are in `list`, as the runtime lists them.
  private func observances(_ list: Range<Int>) -> [Complaint.Observance] {
    var found: [Complaint.Observance] = []
    var offset = list.lowerBound
    let end = list.upperBound
    while offset < end,
      let start = text.skeleton.first("nskeyvalueobservance", in: offset..<end),
      start + 20 <= end, found.count < 1_000
    {
      // Another list was printed at another time.
      if !found.isEmpty,
        text.skeleton.first("nskeyvalueobservationinfo", in: offset..<start) != nil
      {
        break
      }
      let next =
        text.skeleton.first("nskeyvalueobservance", in: start + 20..<min(end, start + 2_000))
        ?? min(end, start + 600)
      if let observance = observance(start + 20..<next) { found.append(observance) }
      offset = start + 20
      // Nothing else is between two of one list.
      if found.isEmpty, start - list.lowerBound > 600 { break }
    }
    return found
  }

  private func observance(_ offsets: Range<Int>) -> Complaint.Observance? {
    guard let path = text.skeleton.first("keypath", in: offsets) else { return nil }
    // After a list that was cut, code may name the argument of a method: `forKeyPath:`.
    let front = position(path)
    if front > 0, text.bytes[front - 1].isNamePart, text.bytes[front - 1] != UInt8(ascii: ".") {
      return nil
    }
    var result = Complaint.Observance()
    if let observer = text.skeleton.first("observer", in: offsets.lowerBound..<path) {
      let range = end(observer + 8)..<position(path)
      result.observer = operand(range)
      result.observer.address = Operand.address(in: text.bytes[range])
    }
    var start = end(path + 7)
    while start < text.bytes.count,
      text.bytes[start] == UInt8(ascii: ":") || text.bytes[start].isBlank
    {
      start += 1
    }
    // A key path may have these letters, too.
    let options = label("options", in: path..<offsets.upperBound)
    var stop = options.map(position) ?? min(position(offsets.upperBound), start + 200)
    if options == nil {
      if stop >= text.bytes.count,
        !text.bytes[start...].contains(where: { $0 == 0x2c || $0 == 0x0a })
      {
        return result.observer.isKnown ? result : nil
      }
      // Without the options, the end of the list may be next.
      stop =
        text.bytes[start..<max(start, stop)].firstIndex {
          $0 == 0x2c || $0 == 0x0a || $0 == UInt8(ascii: ")") || $0 == UInt8(ascii: ">")
        } ?? stop
    }
    stop = text.bytes[start..<max(start, stop)].firstIndex(of: UInt8(ascii: ",")) ?? stop
    // The colon may have been wrapped onto the next line.
    let range = (start..<max(start, stop)).drop {
      !isInName($0) || text.bytes[$0] == UInt8(ascii: ":")
    }
    // The line of a path that was cut ends with it, or other words follow.
    let isCut = options == nil && stop < text.bytes.count && text.bytes[stop] == 0x0a
    if !isCut, isWhole(range) {
      let name = range.filter(isInName).map { text.bytes[$0] }
      result.keyPath = keyPath(name.isEmpty ? nil : String(decoding: name, as: UTF8.self))
    }
    guard let options else { return result }
    let context = text.skeleton.first("context", in: options..<offsets.upperBound)
    let optionText = text.string(
      end(options + 7)..<(context.map(position) ?? min(text.bytes.count, end(options + 7) + 60))
    )
    let kept = optionText.filter { !"<>*`|".contains($0) }.drop { $0 == ":" || $0 == " " }
    result.options = String(kept).trimmed
    if let context {
      result.context = Operand.address(
        in: text.bytes[end(context + 7)..<min(text.bytes.count, end(context + 7) + 24)]
      ).map { $0 == 0 ? "NULL" : "0x" + String($0, radix: 16) }
    }
    return result
  }
}

extension String {
  var trimmed: String {
    let head = drop(while: \.isWhitespace)
    guard let last = head.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(head[...last])
  }
}
