/// What build services, containers and tools put before each line.
extension LogPrefix {
  /// After a prefix of a service at the start of `line`; nil: it has none.
  static func service(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    switch line.first {
    case UInt8(ascii: "["): return boxed(line) ?? elapsed(line) ?? leveled(line)
    case UInt8(ascii: "<"): return prioritized(line)
    default: return named(line) ?? blamed(line) ?? searched(line)
    }
  }

  /// Whether the front of a line may be the start of such a prefix.
  static func mayBeginService(_ line: ArraySlice<UInt8>) -> Bool {
    switch line.first {
    case UInt8(ascii: "["): line.dropFirst().first == 0x20 || leveled(line) != nil
    case UInt8(ascii: "<"): line.dropFirst().first?.isASCIIDigit == true
    default: named(line) != nil || blamed(line) != nil || searched(line) != nil
    }
  }

  /// After `stderr F ` of a container's runtime, or `##[error]` of a build service, which both put after the time.
  static func stream(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    for words in ["stderr F ", "stdout F ", "stderr P ", "stdout P "]
    where rest.starts(with: words.utf8) {
      return rest.dropFirst(words.utf8.count)
    }
    guard rest.starts(with: "##[".utf8) else { return nil }
    let word = rest.dropFirst(3).prefix(while: \.isASCIILetter)
    let after = rest.dropFirst(3 + word.count)
    return after.first == UInt8(ascii: "]") ? after.dropFirst() : nil
  }

  /// After `app[web.1]: ` of a hosting service.
  static func dyno(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let name = rest.prefix(24).prefix(while: \.isASCIILetter)
    let inside = rest.dropFirst(name.count + 1).prefix(40).prefix(while: \.isNamePart)
    let after = rest.dropFirst(name.count + 1 + inside.count)
    guard !name.isEmpty, rest.dropFirst(name.count).first == UInt8(ascii: "["), !inside.isEmpty,
      after.starts(with: "]: ".utf8)
    else { return nil }
    return after.dropFirst(3)
  }

  /// After `[2024-03-01T10:11:12.123Z] `.
  private static func boxed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let inside = line.dropFirst().prefix(40).prefix { $0 != UInt8(ascii: "]") }
    let after = line.dropFirst(1 + inside.count)
    // The date must take all of it.
    guard after.starts(with: "] ".utf8), let rest = dated((Array(inside) + [0x20, 0x20])[...]),
      rest.isEmpty
    else { return nil }
    return after.dropFirst(2)
  }

  /// After `[ +123 ms] `, or the blanks that stand for it.
  private static func elapsed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let blank = line.dropFirst().prefix { $0 == 0x20 }
    var rest = line.dropFirst(1 + blank.count)
    if rest.first == UInt8(ascii: "+") {
      rest = rest.dropFirst().drop(while: \.isASCIIDigit)
      guard rest.starts(with: " ms] ".utf8) else { return nil }
      return rest.dropFirst(5)
    }
    return blank.count > 3 && rest.starts(with: "] ".utf8) ? rest.dropFirst(2) : nil
  }

  private static let boxedLevels: Set<String> = [
    "TRACE", "DEBUG", "INFO", "WARN", "WARNING", "ERROR", "FATAL",
  ]

  /// After `[ERROR] ` or `[ERROR] :  `, which tools that build apps from scripts put before each line of the app's console.
  private static func leveled(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let word = line.dropFirst().prefix(8).prefix { (0x41...0x5a).contains($0) }
    let after = line.dropFirst(1 + word.count)
    guard after.first == UInt8(ascii: "]"), after.dropFirst().first?.isBlank == true,
      boxedLevels.contains(String(decoding: word, as: UTF8.self))
    else { return nil }
    let rest = after.dropFirst().drop(while: \.isBlank)
    return rest.first == UInt8(ascii: ":") && rest.dropFirst().first?.isBlank == true
      ? rest.dropFirst() : rest
  }

  /// After `<11>1 2024-03-01T10:11:12.003Z host app 123 ID47 - `, as RFC 5424 has it.
  private static func prioritized(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let digits = line.dropFirst().prefix(while: \.isASCIIDigit)
    let after = line.dropFirst(1 + digits.count)
    guard (1...3).contains(digits.count), after.starts(with: ">1 ".utf8),
      var rest = dated(after.dropFirst(3))
    else { return nil }
    // Host, application, process, message, and its data, which is a dash if there is none.
    for _ in 0..<5 {
      let word = rest.prefix { !$0.isBlank }
      guard !word.isEmpty, word.count < 80 else { return nil }
      rest = rest.dropFirst(word.count).drop(while: \.isBlank)
    }
    return rest
  }

  /// After `app-1  | ` or `0|app  | `, which name one of several processes by a number.
  private static func named(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let name = line.prefix(64).prefix {
      $0.isASCIILetter || $0.isASCIIDigit || "_-.|".utf8.contains($0)
    }
    let rest = line.dropFirst(name.count)
    let blank = rest.prefix { $0 == 0x20 }
    guard !name.isEmpty, !blank.isEmpty, name.contains(where: \.isASCIILetter),
      rest.dropFirst(blank.count).first == UInt8(ascii: "|")
    else { return nil }
    let number = name.reversed().prefix(while: \.isASCIIDigit).count
    let sign = name.dropLast(number).last
    let isLast = number > 0 && (sign == UInt8(ascii: "-") || sign == UInt8(ascii: "_"))
    let first = name.prefix(while: \.isASCIIDigit)
    guard isLast || !first.isEmpty && name.dropFirst(first.count).first == UInt8(ascii: "|") else {
      return nil
    }
    let after = rest.dropFirst(blank.count + 1)
    return after.first == 0x20 ? after.dropFirst() : nil
  }
}
