import KVOTrace

// The larger of these functions take the cursor by value and return it after the value, so that it stays in a register:
// each result is the next one's address.
extension CanonicalScanner {
  // MARK: Texts

  /// A quoted text, interned.
  @inline(__always)
  mutating func string(
    _ line: inout LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> StringID {
    try line.expect(#"""#)
    let id: StringID
    (id, line) = try rest(of: line, &names)
    return id
  }

  /// What is left of a text after its opening quote, interned; and what comes after it.
  @inline(never)
  private mutating func rest(
    of line: LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> (StringID, LineCursor) {
    var line = line
    guard let text = line.plainText(seed: seed) else {
      let id = try spelledOut(&line, &names)
      return (id, line)
    }
    return (names.id(ofUTF8: text.bytes, hash: text.hash), line)
  }

  @inline(never)
  private mutating func spelledOut(
    _ line: inout LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> StringID {
    scratch.removeAll(keepingCapacity: scratch.capacity < 1 << 20)
    try line.text(into: &scratch)
    return scratch.withUnsafeBytes { names.id(ofUTF8: $0) }
  }

  /// A text in its quotes, as the few events want it that carry their texts.
  mutating func text(_ line: inout LineCursor) throws(NotCanonical) -> String {
    try line.expect(#"""#)
    scratch.removeAll(keepingCapacity: scratch.capacity < 1 << 20)
    try line.text(into: &scratch)
    return String(decoding: scratch, as: UTF8.self)
  }

  /// A list of texts that is not empty.
  mutating func strings(
    _ line: inout LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> [StringID] {
    var ids: [StringID] = []
    try line.expect("[")
    repeat { ids.append(try string(&line, &names)) } while line.take(",")
    try line.expect("]")
    return ids
  }

  /// A list of key paths that is not empty.
  mutating func keyPaths(
    _ line: inout LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> [AffectingPath] {
    var paths: [AffectingPath] = []
    try line.expect("[")
    repeat {
      // Its keys are named before the next path.
      let path = try string(&line, &names)
      paths.append(names.affectingPath(names[path]))
    } while line.take(",")
    try line.expect("]")
    return paths
  }

  // MARK: Numbers

  /// A whole number without a sign.
  @inline(__always)
  func number(_ line: inout LineCursor) throws(NotCanonical) -> UInt64 {
    let number: UInt64
    (number, line) = try Self.number(at: line)
    return number
  }

  @inline(never)
  private static func number(
    at line: LineCursor
  ) throws(NotCanonical) -> (UInt64, LineCursor) {
    var line = line
    let isZero = line.byte == UInt8(ascii: "0")
    let (number, count) = try line.digits()
    // JSON has no leading zeros.
    guard count > 0, !isZero || count == 1 else { throw NotCanonical() }
    return (number, line)
  }

  /// A whole number that fits `Int`.
  @inline(never)
  func integer(_ line: inout LineCursor) throws(NotCanonical) -> Int {
    let isNegative = line.take("-")
    let number = try number(&line)
    guard let magnitude = Int(exactly: number), !isNegative || magnitude > 0 else {
      throw NotCanonical()
    }
    return isNegative ? -magnitude : magnitude
  }

  /// A whole number that fits `Int` and is not negative.
  func count(_ line: inout LineCursor) throws(NotCanonical) -> Int {
    guard let number = Int(exactly: try number(&line)) else { throw NotCanonical() }
    return number
  }

  /// A whole number that fits `UInt32`.
  func short(_ line: inout LineCursor) throws(NotCanonical) -> Int {
    guard let number = UInt32(exactly: try number(&line)) else { throw NotCanonical() }
    return Int(number)
  }

  /// A whole number that fits `UInt8`.
  func byte(_ line: inout LineCursor) throws(NotCanonical) -> Int {
    guard let number = UInt8(exactly: try number(&line)) else { throw NotCanonical() }
    return Int(number)
  }

  /// An address, `"0x…"`.
  func address(_ line: inout LineCursor) throws(NotCanonical) -> UInt64 {
    try line.expect(#""0x"#)
    let address = try line.hexadecimal()
    try line.expect(#"""#)
    return address
  }

  func flag(_ line: inout LineCursor) throws(NotCanonical) -> Bool {
    if line.take("true") { return true }
    try line.expect("false")
    return false
  }

  // MARK: Things

  /// An id, as a number or as a text.
  @inline(__always)
  mutating func identifier<Tag>(
    _ line: inout LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> Identifier<Tag> {
    if line.take(#"""#) {
      let spelling: Spelling
      (spelling, line) = try quotedIdentifier(at: line, &names)
      return spelling.identifier()
    }
    let number = try number(&line)
    guard number >> 62 == 0 else { throw NotCanonical() }
    return Identifier(number)
  }

  /// The identifier of a text: a number below 2^62, or a string.
  private enum Spelling {
    case number(UInt64)
    case name(StringID)

    @inline(__always)
    func identifier<Tag>() -> Identifier<Tag> {
      switch self {
      case .number(let number): Identifier(number)
      case .name(let name): Identifier(named: name)
      }
    }
  }

  /// An id after its opening quote: mostly digits, which then stand for themselves.
  @inline(__always)
  private mutating func quotedIdentifier(
    at line: LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> (Spelling, LineCursor) {
    var ahead = line
    let isZero = ahead.byte == UInt8(ascii: "0")
    // A number that does not fit is a text like others.
    if let (number, count) = try? ahead.digits(), count > 0, !isZero || count == 1,
      number >> 62 == 0, ahead.take(#"""#)
    {
      return (.number(number), ahead)
    }
    return try namedIdentifier(at: line, &names)
  }

  /// An id after its opening quote that is not a number.
  @inline(never)
  private mutating func namedIdentifier(
    at line: LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> (Spelling, LineCursor) {
    var line = line
    if let text = line.plainText(seed: seed) {
      guard !text.bytes.isEmpty else { throw NotCanonical() }
      return (.name(names.id(ofUTF8: text.bytes, hash: text.hash)), line)
    }
    let name = try spelledOut(&line, &names)
    // Digits that are spelled as escapes are a number all the same.
    let isNumber = scratch.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    guard !isNumber else { throw NotCanonical() }
    return (.name(name), line)
  }

  @inline(__always)
  mutating func object(
    _ line: inout LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> ObjectRef {
    let object: ObjectRef
    (object, line) = try self.object(at: line, &names)
    return object
  }

  /// One end of a reference, as ``EventDecoder`` takes it.
  mutating func end(
    _ line: inout LineCursor,
    _ names: inout TraceNames,
    _ unsaid: inout Reference.Ends,
    _ end: Reference.Ends
  ) throws(NotCanonical) -> ObjectRef {
    var (object, isKindSaid) = try self.end(&line, &names)
    guard !isKindSaid else { return object }
    guard let kind = ObjectRef.Kind(className: names[object.className]) else {
      unsaid.insert(end)
      return object
    }
    object.kind = kind
    return object
  }

  /// The end of a reference, and whether its kind is said.
  private mutating func end(
    _ line: inout LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> (ObjectRef, isKindSaid: Bool) {
    var isKindSaid = false
    let object: ObjectRef
    (object, line) = try self.object(at: line, &names, &isKindSaid)
    return (object, isKindSaid)
  }

  @inline(never)
  private mutating func object(
    at line: LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> (ObjectRef, LineCursor) {
    var isKindSaid = false
    return try object(at: line, &names, &isKindSaid)
  }

  @inline(__always)
  private mutating func object(
    at line: LineCursor,
    _ names: inout TraceNames,
    _ isKindSaid: inout Bool
  ) throws(NotCanonical) -> (ObjectRef, LineCursor) {
    var line = line
    try line.expect(#"{"class":""#)
    let className: StringID
    (className, line) = try rest(of: line, &names)
    try line.expect(#","id":""#)
    // It may be the number of an object known by address, which the decoder assigns.
    var start = line
    if line.byte == UInt8(ascii: "@") || start.take(#"\u0040"#) { throw NotCanonical() }
    let spelling: Spelling
    (spelling, line) = try quotedIdentifier(at: line, &names)
    isKindSaid = !line.take("}")
    let kind: ObjectRef.Kind = isKindSaid ? try self.kind(&line) : .object
    return (ObjectRef(id: spelling.identifier(), className: className, kind: kind), line)
  }

  private func kind(_ line: inout LineCursor) throws(NotCanonical) -> ObjectRef.Kind {
    if line.take(#","kind":"token"}"#) { return .token }
    if line.take(#","kind":"closure"}"#) { return .closure }
    if line.take(#","kind":"registry"}"#) { return .registry }
    if line.take(#","kind":"object"}"#) { return .object }
    throw NotCanonical()
  }

  mutating func objects(
    _ line: inout LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> [ObjectRef] {
    var objects: [ObjectRef] = []
    try line.expect("[")
    repeat { objects.append(try object(&line, &names)) } while line.take(",")
    try line.expect("]")
    return objects
  }

  /// The value of `context`.
  @inline(__always)
  mutating func context(
    _ line: inout LineCursor,
    _ names: inout TraceNames
  ) throws(NotCanonical) -> Context {
    if line.take("null") { return .null }
    try line.expect(#"""#)
    let ahead = line
    guard let text = line.plainText(seed: seed), !text.bytes.isEmpty, !ahead.spellsZero else {
      throw NotCanonical()
    }
    return .named(names.id(ofUTF8: text.bytes, hash: text.hash))
  }

  @inline(__always)
  func options(_ line: inout LineCursor) throws(NotCanonical) -> Registration.Options {
    var options: Registration.Options = []
    try line.expect("[")
    repeat {
      if line.take(#""new""#) {
        options.insert(.new)
      } else if line.take(#""old""#) {
        options.insert(.old)
      } else if line.take(#""initial""#) {
        options.insert(.initial)
      } else {
        try line.expect(#""prior""#)
        options.insert(.prior)
      }
    } while line.take(",")
    try line.expect("]")
    return options
  }

  /// Codes of rules, each `KVO` and three digits.
  func rules(_ line: inout LineCursor) throws(NotCanonical) -> [UInt16] {
    var rules: [UInt16] = []
    try line.expect("[")
    if line.take("]") { return [] }
    repeat {
      try line.expect(#""KVO"#)
      var number: UInt16 = 0
      for _ in 0..<3 {
        let digit = try line.takeByte(UInt8(ascii: "0")...UInt8(ascii: "9"))
        number = number * 10 + UInt16(digit - UInt8(ascii: "0"))
      }
      try line.expect(#"""#)
      rules.append(number)
    } while line.take(",")
    try line.expect("]")
    return rules
  }
}

extension LineCursor {
  /// Whether the text after this quote is one of those that spell the NULL context.
  fileprivate var spellsZero: Bool {
    var ahead = self
    guard ahead.take("0") else { return false }
    if ahead.take("x") || ahead.take("X") {
      while ahead.take("0") {}
    }
    return ahead.take(#"""#)
  }
}
