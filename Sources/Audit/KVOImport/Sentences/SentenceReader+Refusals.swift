import KVORules

/// The sentences about objects and keys that cannot be observed.
extension SentenceReader {
  /// A key that an object does not have; only a stack shows whether it was observed.
  func undefinedKey(_ match: SentenceHead.Match, _ window: Range<Int>) -> Complaint? {
    let start = match.offsets.lowerBound
    // `setValue:forUndefinedKey:` ends with the same letters.
    if text.skeleton.has("set", at: start - 3), position(start) - position(start - 3) == 3 {
      return nil
    }
    let phrase = match.offsets.upperBound
    guard text.skeleton.has("thisclassisnotkeyvaluecodingcompliantforthekey", at: phrase)
    else { return nil }
    let key = end(phrase + 46)
    var complaint = Complaint(
      kind: .undefinedKey,
      code: .uncompliantPath,
      range: position(start)..<key
    )
    complaint.subject = receiver(before: position(start))
    let name = text.bytes[key...].prefix(200)
      .drop { $0.isBlank || $0 == 0x0a || $0 == UInt8(ascii: "\"") }
      .prefix { $0.isNamePart || $0 == UInt8(ascii: "@") }
    var word = String(decoding: name, as: UTF8.self)
    while word.hasSuffix(".") { word.removeLast() }
    complaint.keyPath = keyPath(word.isEmpty ? nil : word)
    complaint.part = complaint.keyPath
    return complaint.subject.isPlaceholder ? nil : complaint
  }

  /// A collection, which refuses observers.
  func unsupported(_ match: SentenceHead.Match, _ window: Range<Int>) -> Complaint? {
    var offset = match.offsets.upperBound
    if match.head == .removeObserver, text.skeleton.has("context", at: offset) { offset += 7 }
    let isWhole: Bool
    switch continuation(of: "isnotsupported", at: offset, least: 5) {
    case .whole: isWhole = true
    case .cut: isWhole = false
    case .none: return nil
    }
    offset = isWhole ? offset + 14 : text.skeleton.count
    var complaint = Complaint(
      kind: .unsupportedCollection,
      code: .uncompliantPath,
      range: position(match.offsets.lowerBound)..<end(offset)
    )
    complaint.subject = receiver(before: position(match.offsets.lowerBound))
    if text.skeleton.has("keypath", at: offset) {
      let start = end(offset + 7)
      let name = text.bytes[start...].prefix(300)
        .drop { $0.isBlank || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "\"") || $0 == 0x0a }
        .prefix { $0.isNamePart || $0 == UInt8(ascii: "@") }
      var path = String(decoding: name, as: UTF8.self)
      while path.hasSuffix(".") { path.removeLast() }
      complaint.keyPath = keyPath(path.isEmpty ? nil : path)
      complaint.range = complaint.range.lowerBound..<start
    }
    guard complaint.subject.isKnown || complaint.keyPath != nil, !complaint.subject.isPlaceholder
    else { return nil }
    return complaint
  }

  /// A call of `addObserver` or `removeObserver` to an object without the key.
  func notCompliant(_ match: SentenceHead.Match, _ window: Range<Int>) -> Complaint? {
    let lead = max(0, match.offsets.lowerBound - 800)..<match.offsets.lowerBound
    var complaint = Complaint(
      kind: .uncompliantObject,
      code: .uncompliantPath,
      range: extent(of: match.offsets)
    )
    complaint.part = match.isCut ? nil : quoted(at: end(match.offsets.upperBound))?.text
    complaint.keyPath = keyPath(complaint.part)
    let call =
      text.skeleton.last("addobserver", in: lead) ?? text.skeleton.last("removeobserver", in: lead)
    if let call {
      let length = text.skeleton.has("add", at: call) ? 11 : 14
      complaint.subject = receiver(before: position(call))
      if let path = text.skeleton.first("forkeypath", in: call..<match.offsets.lowerBound) {
        let start = end(call + length) + 1
        complaint.observer = operand(start..<max(start, position(path)))
        if let whole = quoted(at: end(path + 10) + 1) { complaint.keyPath = keyPath(whole.text) }
      }
    }
    let isSource = complaint.subject.isPlaceholder || complaint.part?.contains("%") == true
    // The call is sufficient proof; without it the text only describes the sentence, unless it was raised.
    if match.isCut || complaint.part == nil {
      return complaint.subject.address == nil || isSource ? nil : complaint
    }
    let isNotified = call != nil || isRaised(before: match.offsets.lowerBound)
    return isNotified && !isSource ? complaint : nil
  }

  /// The notice that a class cannot be observed, because its observed form exists already.
  func classPair(_ match: SentenceHead.Match, _ window: Range<Int>) -> Complaint? {
    let offset = match.offsets.upperBound
    guard text.skeleton.has("nskvonotifying", at: offset) else { return nil }
    let start = end(offset + 14)
    let name = text.bytes[start...].prefix(300)
      .drop { $0 == UInt8(ascii: "_") }
      .prefix { $0.isNamePart }
    guard let first = name.first, first.isNamePart, name.endIndex < text.bytes.count,
      isLogged(position(match.offsets.lowerBound))
    else { return nil }
    // The demangler needs the underscore that was taken for the one of the prefix.
    let isMangled = name.starts(with: "TtC".utf8) || name.starts(with: "TtGC".utf8)
    var complaint = Complaint(
      kind: .classPair,
      code: .classChangedUnderObservation,
      range: position(match.offsets.lowerBound)..<start
    )
    complaint.subject = Operand((isMangled ? [UInt8(ascii: "_")] : []) + name)
    complaint.isException = false
    return complaint
  }

  /// The notice that the runtime does not replace a setter, so that its changes are not notified.
  ///
  /// Found in http://www.openradar.me/12732493 (`-[NSView _setWindow:]`): the setter returns something, or takes
  /// what is neither an object nor a number nor a structure that Foundation knows.
  func setterNotice(_ match: SentenceHead.Match) -> Complaint? {
    let lead = max(0, match.offsets.lowerBound - 160)..<match.offsets.lowerBound
    let start = text.skeleton.last("kvoautonotifyingonlysupports", in: lead)
    guard isLogged(position(start ?? match.offsets.lowerBound)) else { return nil }
    let stop = end(match.offsets.upperBound)
    let method = text.bytes[stop...].prefix(400)
      .drop { $0.isBlank || $0 == 0x0a || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "[") }
    let name = method.prefix(while: \.isNamePart)
    let selector = method[name.endIndex...].drop(while: \.isBlank)
    // A name that the text cuts off is not a name.
    guard !name.isEmpty, selector.startIndex > name.endIndex else { return nil }
    var complaint = Complaint(
      kind: .setterNotice(returnsValue: text.skeleton.last("takeid", in: lead) == nil),
      code: .mutationWithoutNotification,
      range: position(start ?? match.offsets.lowerBound)..<stop
    )
    complaint.subject = Operand(name)
    complaint.keyPath = Self.key(ofSetter: selector)
    complaint.isException = false
    return complaint
  }

  /// The key that `setLevel:` or `_setLevel:` sets: `level`, and `URL` for `setURL:`.
  private static func key(ofSetter selector: ArraySlice<UInt8>) -> String? {
    let name = selector.drop { $0 == UInt8(ascii: "_") }.prefix(while: \.isNamePart)
    guard name.starts(with: "set".utf8), name.count > 3, name.endIndex < selector.endIndex,
      selector[name.endIndex] == UInt8(ascii: ":")
    else { return nil }
    let key = String(decoding: name.dropFirst(3), as: UTF8.self)
    let isInitials = key.count > 1 && key.prefix(2).allSatisfy(\.isUppercase)
    return isInitials ? key : key.prefix(1).lowercased() + key.dropFirst()
  }

  /// Whether the notice at `position` begins its line, or is after the prefix of a log: articles
  /// cite it in the middle of a sentence.
  private func isLogged(_ position: Int) -> Bool {
    let line = text.lineRange(text.line(at: position))
    let before = FrameLine.trimmed(text.bytes[line.lowerBound..<max(line.lowerBound, position)])
    return before.isEmpty || before.last == UInt8(ascii: "]") || before.last == UInt8(ascii: ">")
      || before.last == UInt8(ascii: ":") && before.contains(UInt8(ascii: "["))
      || before.allSatisfy { !$0.isNamePart || $0.isASCIIDigit }
      || Self.isMember(before)
  }

  /// Whether `text` ends with the key of a line of JSON: `"msg":"`.
  private static func isMember(_ text: ArraySlice<UInt8>) -> Bool {
    guard text.last == UInt8(ascii: "\"") else { return false }
    let key = FrameLine.trimmed(text.dropLast())
    return key.last == UInt8(ascii: ":")
      && FrameLine.trimmed(key.dropLast()).last == UInt8(ascii: "\"")
  }

  /// Swift's trap on a key path that Objective-C cannot name.
  func keyPathTrap(_ match: SentenceHead.Match, _ window: Range<Int>) -> Complaint? {
    var complaint = Complaint(
      kind: .keyPathTrap,
      code: .uncompliantPath,
      range: position(match.offsets.lowerBound)..<end(match.offsets.upperBound)
    )
    let start = end(match.offsets.upperBound)
    let rest = text.bytes[start...].prefix(400)
    // `Swift.KeyPath<Meter, Int>`, and not the level of a log's next line.
    // In later versions a part without a name is in brackets: `\Meter.<computed 0x102f1a4c8 (Double)>`.
    if let bracket = rest.firstIndex(of: UInt8(ascii: "<")), bracket - start < 60,
      rest[..<bracket].last?.isNamePart == true, rest[..<bracket].last != UInt8(ascii: ".")
    {
      complaint.subject = Operand(rest[(bracket + 1)...])
    } else {
      let name = rest.drop { !$0.isNamePart && $0 != 0x0a }.prefix(while: \.isNamePart)
      let parts = name.split(separator: UInt8(ascii: "."), maxSplits: 1)
      if name.last == UInt8(ascii: "."), rest[name.endIndex...].first == UInt8(ascii: "<") {
        complaint.subject = Operand(parts.first ?? [])
      } else if parts.count == 2, let first = parts[0].first, first >= 0x41, first <= 0x5a,
        !name.starts(with: "Swift.".utf8)
      {
        complaint.subject = Operand(parts[0])
        complaint.keyPath = keyPath(String(decoding: parts[1], as: UTF8.self))
      }
    }
    let following = text.string(start..<min(text.bytes.count, start + 400))
    let line = text.lineRange(text.line(at: complaint.range.lowerBound)).lowerBound
    let leading = text.string(max(line, start - 160)..<start)
    let isSource =
      following.contains("\\(") || text.string(max(0, start - 80)..<start).contains("fatalError(")
    if isSource || complaint.subject.isPlaceholder { return nil }
    // The overlay of Foundation names its file, which is another for an expression: after the words, and in later versions
    // before them.
    func isNamed(_ file: String) -> Bool { leading.contains(file) || following.contains(file) }
    if isNamed("NSExpression") { return nil }
    complaint.confidence = isNamed("NSObject.swift") ? .high : .low
    guard complaint.subject.isKnown || complaint.confidence == .high || following.contains(".swift")
    else { return nil }
    return complaint
  }

  // MARK: - GNUstep

  func notObservable(_ match: SentenceHead.Match, _ index: Int) -> Complaint? {
    let start = match.offsets.lowerBound
    guard
      let method = text.skeleton.last(
        "addobserverforkeypathoptionscontext",
        in: max(0, start - 40)..<start
      )
    else { return nil }
    var complaint = Complaint(
      kind: .notObservable,
      code: .uncompliantPath,
      range: position(method)..<end(match.offsets.upperBound)
    )
    complaint.subject = receiver(before: position(method) - 1)
    complaint.runtime = .gnustep
    return complaint
  }

  func unableToFind(_ match: SentenceHead.Match, _ window: Range<Int>) -> Complaint? {
    guard let quoted = quoted(at: end(match.offsets.upperBound)) else { return nil }
    let offset = text.skeletonOffset(at: quoted.end)
    guard text.skeleton.has("ofobject", at: offset) else { return nil }
    var complaint = Complaint(
      kind: .undefinedKey,
      code: .uncompliantPath,
      range: position(match.offsets.lowerBound)..<quoted.end
    )
    complaint.keyPath = keyPath(quoted.text)
    complaint.part = complaint.keyPath
    let start = end(offset + 8)
    complaint.subject = operand(start..<min(text.bytes.count, start + 200))
    complaint.runtime = .gnustep
    return complaint.subject.isPlaceholder ? nil : complaint
  }

  /// GNUstep 1.28 has no removal with a context.
  func missingMethod(_ match: SentenceHead.Match) -> Complaint? {
    let stop = position(match.offsets.lowerBound)
    var end = stop
    while end > 0, text.bytes[end - 1].isBlank { end -= 1 }
    let marker = "(instance)"
    guard end >= marker.utf8.count,
      text.bytes[end - marker.utf8.count..<end].elementsEqual(marker.utf8)
    else { return nil }
    end -= marker.utf8.count
    var start = end
    while start > 0, text.bytes[start - 1].isNamePart, end - start < 200 { start -= 1 }
    var complaint = Complaint(
      kind: .missingRemovalMethod,
      code: .removeWrongContext,
      range: start..<stop
    )
    let name = text.bytes[start..<end]
    complaint.subject = Operand(name.starts(with: "GSKVO".utf8) ? name.dropFirst(5) : name)
    complaint.runtime = .gnustep
    // The runtime lacks the method regardless of the context.
    complaint.confidence = .low
    return complaint
  }
}
