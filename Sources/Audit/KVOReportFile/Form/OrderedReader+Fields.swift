extension OrderedReader: ReportCoder {
  mutating func text(_ key: String, _ value: inout String) throws(Refusal) {
    try demand(key)
    value = try string()
  }

  mutating func text(_ key: String, _ value: inout String?) throws(Refusal) {
    guard has(key) else { return value = nil }
    value = try hasNull() ? nil : string()
  }

  mutating func texts(_ key: String, _ values: inout [String], or: [String]?) throws(Refusal) {
    if let or, try isAbsent(key) { return values = or }
    if or == nil { try demand(key) }
    var texts: [String] = []
    try list { reader throws(Refusal) in texts.append(try reader.string()) }
    values = texts
  }

  mutating func flag(_ key: String, _ value: inout Bool, or: Bool?) throws(Refusal) {
    if let or, try isAbsent(key) { return value = or }
    if or == nil { try demand(key) }
    value = next == UInt8(ascii: "t")
    try take(value ? "true" : "false")
  }

  mutating func count(_ key: String, _ value: inout Int, or: Int?) throws(Refusal) {
    if let or, try isAbsent(key) { return value = or }
    if or == nil { try demand(key) }
    value = try checkedCount()
  }

  mutating func count(_ key: String, _ value: inout Int?) throws(Refusal) {
    guard has(key) else { return value = nil }
    value = try hasNull() ? nil : checkedCount()
  }

  mutating func counts(_ key: String, _ values: inout [String: Int]) throws(Refusal) {
    try demand(key)
    try take(UInt8(ascii: "{"))
    skipSpace()
    var counts: [String: Int] = [:]
    if next == UInt8(ascii: "}") {
      position += 1
      return values = counts
    }
    while true {
      let name = try string()
      skipSpace()
      try take(UInt8(ascii: ":"))
      skipSpace()
      guard counts.updateValue(try checkedCount(), forKey: name) == nil else { throw Refusal() }
      skipSpace()
      let end = next
      position += 1
      if end == UInt8(ascii: "}") { return values = counts }
      guard end == UInt8(ascii: ",") else { throw Refusal() }
      skipSpace()
    }
  }

  mutating func number(_ key: String, _ value: inout UInt64) throws(Refusal) {
    try demand(key)
    value = try number()
  }

  mutating func numbers(_ key: String, _ values: inout [Int]) throws(Refusal) {
    try demand(key)
    var numbers: [Int] = []
    try list { reader throws(Refusal) in numbers.append(try reader.number()) }
    values = numbers
  }

  mutating func address(_ key: String, _ value: inout UInt64?) throws(Refusal) {
    var digits: String?
    try text(key, &digits)
    value = digits.flatMap { UInt64($0.dropFirst(2), radix: 16) }
  }

  mutating func word<Word>(_ key: String, _ value: inout Word) throws(Refusal)
  where Word: RawRepresentable & CaseIterable, Word.RawValue == String {
    try demand(key)
    guard let word = Word(rawValue: try string()) else { throw Refusal() }
    value = word
  }

  mutating func object<Value: ReportFields>(_ key: String, _ value: inout Value) throws(Refusal) {
    try demand(key)
    value = try object()
  }

  mutating func object<Value: ReportFields>(_ key: String, _ value: inout Value?) throws(Refusal) {
    guard has(key) else { return value = nil }
    value = try hasNull() ? nil : object()
  }

  mutating func list<Value: ReportFields>(
    _ key: String,
    _ values: inout [Value],
    or: [Value]?
  ) throws(Refusal) {
    if let or, try isAbsent(key) { return values = or }
    if or == nil { try demand(key) }
    values = try objects()
  }

  /// A value that cannot be skipped stays, and is refused as the next key.
  mutating func written(_ key: String, _ value: String?) { skip(key) }

  mutating func written<Value: ReportFields>(_ key: String, _ value: Value?) { skip(key) }

  mutating func present(_ key: String, _ value: inout Bool?) throws(Refusal) {
    guard try !isAbsent(key) else { return value = nil }
    let isSet = next == UInt8(ascii: "t")
    try take(isSet ? "true" : "false")
    value = isSet
  }

  mutating func present(_ key: String, _ value: inout Int?) throws(Refusal) {
    try count(key, &value)
  }

  mutating func present(_ key: String, _ value: inout UInt64?) throws(Refusal) {
    guard has(key) else { return value = nil }
    value = try hasNull() ? nil : number()
  }

  mutating func present(_ key: String, _ value: inout String?) throws(Refusal) {
    try text(key, &value)
  }

  mutating func present<Value: ReportFields>(_ key: String, _ value: inout Value?) throws(Refusal) {
    try object(key, &value)
  }

  mutating func present<Value: ReportFields>(
    _ key: String,
    _ values: inout [Value]?
  ) throws(Refusal) {
    guard try !isAbsent(key) else { return values = nil }
    values = try objects()
  }

  func refuse(_ key: String, _ reason: String) throws(Refusal) { throw Refusal() }

  /// Skips `key`, and returns whether it, or its value, is not there.
  private mutating func isAbsent(_ key: String) throws(Refusal) -> Bool {
    guard has(key) else { return true }
    return try hasNull()
  }

  private mutating func objects<Value: ReportFields>() throws(Refusal) -> [Value] {
    var values: [Value] = []
    try list { reader throws(Refusal) in values.append(try reader.object()) }
    return values
  }

  private mutating func checkedCount() throws(Refusal) -> Int {
    let count: Int = try number()
    guard 0...ReportFile.countLimit ~= count else { throw Refusal() }
    return count
  }

  private mutating func skip(_ key: String) {
    guard has(key) else { return }
    let start = position
    do throws(Refusal) {
      try skipValue()
    } catch {
      if !isStarved { position = start }
    }
  }
}
