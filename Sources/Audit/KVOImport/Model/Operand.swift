/// An object as a runtime prints it: `<Account 0x600001>`, with the parts that the text still has.
struct Operand: Hashable, Sendable {
  /// The class, demangled, or its mask; nil if the text does not state it.
  var className: String?
  /// Whether `className` hides the name: `xxx`, `****`.
  var isMasked = false
  var address: UInt64?
  /// Whether the text stops inside the address, so that `address` has its first digits only.
  var isAddressCut = false
  /// Whether it is a placeholder of a format string (`%@`), so that the text is source code.
  var isPlaceholder = false
  /// Whether it stands for any object, as in a description of the sentence: `<...>`, `<Foo 0x…>`.
  var isExample = false

  var isKnown: Bool { className != nil || address != nil }

  /// Whether it was a weak reference to an object that is deallocated.
  var isDeallocated: Bool { address == 0 }

  /// Whether both may be the same object.
  func agrees(with other: Operand) -> Bool {
    guard hasAddress(of: other) else { return false }
    if let className, let otherName = other.className, className != otherName {
      return isMasked || other.isMasked || Self.isName(className, withoutModule: otherName)
        || Self.isName(otherName, withoutModule: className)
    }
    return true
  }

  private func hasAddress(of other: Operand) -> Bool {
    guard let address, let otherAddress = other.address, address != otherAddress else {
      return true
    }
    // Most addresses are whole, and digits cost more than numbers.
    guard isAddressCut || other.isAddressCut else { return false }
    let (digits, otherDigits) = (String(address, radix: 16), String(otherAddress, radix: 16))
    return isAddressCut && otherDigits.hasPrefix(digits)
      || other.isAddressCut && digits.hasPrefix(otherDigits)
  }

  /// Whether `short` is `name` without its module, as people shorten it.
  private static func isName(_ short: String, withoutModule name: String) -> Bool {
    !short.contains(".") && name.hasSuffix("." + short)
  }

  /// Adds the information that only `other` has.
  mutating func complete(from other: Operand) {
    let isShort = className.flatMap { short in
      other.className.map { Self.isName(short, withoutModule: $0) }
    }
    if className == nil || isShort == true
      || isMasked && !other.isMasked && other.className != nil
    {
      (className, isMasked) = (other.className, other.isMasked)
    }
    if address == nil || isAddressCut && other.address != nil {
      (address, isAddressCut) = (other.address, other.isAddressCut)
    }
  }
}

extension Operand {
  /// Reads an operand from `text`, which may contain a whole description or nothing.
  ///
  /// `isClosed` says whether the end of its brackets follows the text. Complexity: O(length).
  init(_ text: ArraySlice<UInt8>, isClosed: Bool = false) {
    self.init()
    guard !Self.isFormat(text) else {
      isPlaceholder = true
      return
    }
    var position = text.startIndex
    while position < text.endIndex, Self.isWrapping(text[position]) { position += 1 }
    address = Self.address(in: text[position...])
    isExample = address == nil && Self.isExample(text)
    if let mask = Self.mask(in: text) {
      (className, isMasked) = (mask, true)
      return
    }
    let wrapped = Self.wrappedName(in: text[position...])
    let name = wrapped ?? Self.name(in: text[position...])
    guard !name.isEmpty || address == nil else { return }
    if wrapped == nil, Self.isCut(name, in: text, isClosed: isClosed) {
      // What follows is another line of a list, whose address is that of another object.
      address = nil
      return
    }
    let spelled = name.isEmpty ? Self.brokenName(in: text) : String(decoding: name, as: UTF8.self)
    if Self.isNothing(spelled) { return }
    // Words of another script stand for any object when there is no address.
    if address == nil, spelled.utf8.allSatisfy({ $0 >= 0x80 }) {
      isPlaceholder = true
      return
    }
    isMasked = Self.isMasked(spelled) || address == nil && Self.isMask(in: text)
    className = isMasked ? spelled : Demangler.demangled(spelled)
  }

  /// A name that is overwritten with characters that no name contains: `<****: 0x1>`, `<??? 0x1>`.
  private static func mask(in text: ArraySlice<UInt8>) -> String? {
    let rest = text.drop { $0.isBlank || $0 == 0x0a || $0 == UInt8(ascii: "<") }
    let run = rest.prefix {
      $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
        || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
    }
    let next = rest.dropFirst(run.count).first ?? 0x20
    guard run.count >= 3, next.isBlank || next == UInt8(ascii: ">") || next == UInt8(ascii: ":")
    else { return nil }
    return String(decoding: run, as: UTF8.self)
  }

  /// Whether dots stand for the object, or for its address.
  private static func isExample(_ text: ArraySlice<UInt8>) -> Bool {
    let end = text.firstIndex(of: UInt8(ascii: ">")) ?? min(text.endIndex, text.startIndex + 120)
    let inside = text[..<end]
    guard let dots = FrameLine.first("...", in: inside) ?? FrameLine.first("…", in: inside) else {
      return false
    }
    let next = inside[dots...].first { $0 != UInt8(ascii: ".") && $0 < 0x80 } ?? 0x20
    return !next.isASCIILetter
  }

  /// Characters around an object: brackets, quotes, the marks of Markdown.
  private static func isWrapping(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20, 0x09, 0x0a, UInt8(ascii: "<"), UInt8(ascii: "`"), UInt8(ascii: "\""),
      UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "*"),
      UInt8(ascii: "|"), UInt8(ascii: "{"):
      true
    default: false
    }
  }

  /// Whether it is the place of an argument in a format: `%@`, `{0}`, `{name}`.
  private static func isFormat(_ text: ArraySlice<UInt8>) -> Bool {
    let words = text.drop { $0.isBlank || $0 == 0x0a || $0 == UInt8(ascii: "<") }
    if words.first == UInt8(ascii: "{"),
      let end = words.prefix(24).firstIndex(of: UInt8(ascii: "}")),
      words[..<end].dropFirst().allSatisfy({ $0.isNamePart })
    {
      return true
    }
    guard let percent = text.firstIndex(of: UInt8(ascii: "%")), percent + 1 < text.endIndex
    else { return false }
    switch text[percent + 1] {
    case UInt8(ascii: "@"), UInt8(ascii: "p"), UInt8(ascii: "s"): return true
    default: return false
    }
  }

  /// The first address in `text`.
  static func address(in text: ArraySlice<UInt8>) -> UInt64? {
    var position = text.startIndex
    while let zero = text[position...].firstIndex(of: UInt8(ascii: "0")) {
      guard zero + 1 < text.endIndex else { return nil }
      position = zero + 1
      guard text[position] | 0x20 == UInt8(ascii: "x") else { continue }
      var value: UInt64 = 0
      var count = 0
      position += 1
      while position < text.endIndex, text[position].isHexDigit, count < 16 {
        let digit = text[position]
        value = value << 4 | UInt64(digit.isASCIIDigit ? digit - 0x30 : (digit | 0x20) - 0x57)
        position += 1
        count += 1
      }
      if count > 0 { return value }
    }
    return nil
  }

  /// The name at the front of `text`, with its generic arguments.
  private static func name(in text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let first = text.first, first.isNamePart, !first.isASCIIDigit else { return [] }
    // Logs shorten long names from the front: `...EntryRenderer`.
    if first == UInt8(ascii: ".") {
      let rest = text.drop { $0 == UInt8(ascii: ".") }
      guard rest.startIndex - text.startIndex >= 2, rest.first?.isASCIILetter == true else {
        return []
      }
    }
    var end = text.startIndex
    var depth = 0
    while end < text.endIndex, end - text.startIndex < 400 {
      let byte = text[end]
      if byte == UInt8(ascii: "<") {
        depth += 1
      } else if byte == UInt8(ascii: ">") {
        if depth == 0 { break }
        depth -= 1
      } else if depth == 0 && !byte.isNamePart {
        break
      }
      end += 1
    }
    if depth > 0 { end = text.firstIndex { !$0.isNamePart } ?? text.endIndex }
    while end > text.startIndex, text[end - 1] == UInt8(ascii: ".") { end -= 1 }
    // A class is followed by an address, the end of its brackets or a description, never a word.
    if end < text.endIndex, text[end] == 0x20 {
      let rest = text[end...].drop { $0 == 0x20 }
      if let next = rest.first, next.isASCIILetter, !rest.starts(with: "xxx".utf8) { return [] }
    }
    return text[text.startIndex..<end]
  }

  /// A name that was wrapped in a word, right before the address: `<Meter\nView 0x1>`.
  ///
  /// Nothing but a blank or a colon is between a whole name and its address.
  private static func wrappedName(in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let front = text.prefix(while: \.isNamePart)
    let rest = text.dropFirst(front.count)
    guard let first = front.first, !first.isASCIIDigit, first != UInt8(ascii: "."),
      rest.first == 0x0a
    else { return nil }
    let back = rest.dropFirst().prefix(while: \.isNamePart)
    var end = rest.dropFirst(1 + back.count)
    guard !back.isEmpty, !back.starts(with: "0x".utf8) else { return nil }
    // The address may be missing.
    if end.first == UInt8(ascii: ">") { return Array(front + back)[...] }
    if end.first == UInt8(ascii: ":") { end = end.dropFirst() }
    guard end.first == 0x20, end.dropFirst().starts(with: "0x".utf8) else { return nil }
    return Array(front + back)[...]
  }

  /// Whether a line ends in the name, after which neither the address nor the end of the brackets follows.
  private static func isCut(
    _ name: ArraySlice<UInt8>,
    in text: ArraySlice<UInt8>,
    isClosed: Bool
  ) -> Bool {
    guard !name.isEmpty, text[..<name.startIndex].last == UInt8(ascii: "<"),
      text[name.endIndex...].first == 0x0a
    else { return false }
    var next = text[name.endIndex...].drop { $0.isBlank || $0 == 0x0a }
    // The number of the next line.
    let number = next.prefix(while: \.isASCIIDigit)
    if !number.isEmpty, let sign = next.dropFirst(number.count).first,
      sign.isBlank || ":|".utf8.contains(sign)
    {
      next = next.dropFirst(number.count).drop { $0.isBlank || ":|".utf8.contains($0) }
    }
    guard let first = next.first else { return !isClosed }
    return !next.starts(with: "0x".utf8) && !">:;(<".utf8.contains(first)
  }

  /// A name with its module that an editor took for words: `<Meter View.Meter View>`.
  private static func brokenName(in text: ArraySlice<UInt8>) -> String {
    let inside = text.drop { $0.isBlank || $0 == 0x0a }
    guard inside.first == UInt8(ascii: "<"), let end = inside.firstIndex(of: UInt8(ascii: ">"))
    else { return "" }
    let words = inside[..<end].dropFirst().split(separator: 0x20)
    let isName = words.allSatisfy { word in
      (0x41...0x5a).contains(word[word.startIndex]) && word.allSatisfy(\.isNamePart)
        && word.last != UInt8(ascii: ".")
    }
    guard words.count > 1, isName, words.contains(where: { $0.contains(UInt8(ascii: ".")) })
    else { return "" }
    return String(decoding: words.joined(), as: UTF8.self)
  }

  /// Whether the runtime's word for no object is in the name's position.
  static func isNothing(_ name: String) -> Bool {
    name.isEmpty || ["null", "nil", "…", "(null)", "<null>"].contains(name.lowercased())
  }

  /// The words that stand in brackets in place of what a log hides.
  private static let masks: Set<String> = [
    "redacted", "masked", "hidden", "removed", "private", "unknown",
  ]

  /// Whether one of these words is alone in brackets, as no object is printed: `<private>`.
  static func isMask(in text: some Collection<UInt8>) -> Bool {
    let words = text.drop { $0.isBlank || $0 == 0x0a }
    guard words.first == UInt8(ascii: "<") else { return false }
    let inside = words.dropFirst().prefix(while: \.isASCIILetter)
    return words.dropFirst(1 + inside.count).first == UInt8(ascii: ">")
      && masks.contains(String(decoding: inside, as: UTF8.self))
  }

  /// Whether the name was overwritten to hide it.
  ///
  /// A bare word may be a name: `hidden` is a property of views and layers.
  static func isMasked(_ name: String) -> Bool {
    let lowered = name.lowercased()
    if lowered == "redacted" { return true }
    return lowered.count > 2 && lowered.allSatisfy { "x*•_.?-#".contains($0) }
  }
}
