import KVOTrace

/// Why a line that is JSON is not an event.
struct FieldError: Error {
  /// The keys that lead to the value, outermost first; empty for the line as a whole.
  var keys: [String]
  /// The error, and what would be correct.
  var message: String
}

/// The keys and values of one JSON object of a line, accessed by the type that the grammar requires.
///
/// An absent key and a null key are equivalent, except for ``context(_:)``.
struct LineFields {
  let values: [String: JSONValue]
  /// The keys that lead to this object.
  let path: [String]

  subscript(key: String) -> JSONValue? {
    switch values[key] {
    case nil, .null: nil
    case let value?: value
    }
  }

  /// Whether the key is present and null.
  func isNull(_ key: String) -> Bool {
    if case .null? = values[key] { true } else { false }
  }

  func error(_ key: String, _ message: String) -> FieldError {
    FieldError(keys: path + [key], message: message)
  }

  func wrong(_ key: String, _ value: JSONValue, _ expected: String) -> FieldError {
    error(key, "\"\(key)\" is \(value.shown); it must be \(expected)")
  }

  func required<Value>(_ key: String, _ value: Value?) throws(FieldError) -> Value {
    guard let value else {
      throw FieldError(keys: path, message: "\(holder) has no \"\(key)\"")
    }
    return value
  }

  private var holder: String { path.last.map { "\"\($0)\"" } ?? "the event" }

  func text(_ key: String) throws(FieldError) -> String? {
    switch self[key] {
    case nil: nil
    case .text(let text)?: text
    case let value?: throw wrong(key, value, "a text")
    }
  }

  /// A text; a whole number counts as its spelling.
  func textOrNumber(_ key: String) throws(FieldError) -> String? {
    switch self[key] {
    case nil: nil
    case .text(let text)?: text
    case .whole(let number)?: String(number)
    case .negative(let number)?: String(number)
    case let value?: throw wrong(key, value, "a text or a whole number")
    }
  }

  func flag(_ key: String) throws(FieldError) -> Bool? {
    switch self[key] {
    case nil: nil
    case .flag(let flag)?: flag
    case let value?: throw wrong(key, value, "true or false")
    }
  }

  /// A whole number that fits `type`, and is not below `least`.
  func number<Number: FixedWidthInteger>(
    _ key: String,
    _ type: Number.Type = Number.self,
    from least: Number = .min
  ) throws(FieldError) -> Number? {
    guard let value = self[key] else { return nil }
    let number: Number? =
      switch value {
      case .whole(let number): Number(exactly: number)
      case .negative(let number): Number(exactly: number)
      default: nil
      }
    guard let number, number >= least else {
      throw wrong(key, value, "a whole number from \(least) to \(Number.max)")
    }
    return number
  }

  /// An address: `"0x…"`, or a whole number.
  func address(_ key: String) throws(FieldError) -> UInt64? {
    switch self[key] {
    case nil: return nil
    case .whole(let number)?: return number
    case .text(let text)?:
      if let address = UInt64(hexadecimal: text) { return address }
      throw wrong(key, .text(text), "an address as \"0x7f00c0de\"")
    case let value?: throw wrong(key, value, "an address as \"0x7f00c0de\"")
    }
  }

  /// One of the names of a fixed list.
  func choice<Choice: RawRepresentable & CaseIterable>(
    _ key: String
  ) throws(FieldError) -> Choice? where Choice.RawValue == String {
    guard let text = try text(key) else { return nil }
    if let choice = Choice(rawValue: text) { return choice }
    let names = Choice.allCases.map { "\"\($0.rawValue)\"" }
    throw wrong(key, .text(text), "one of \(names.joined(separator: ", "))")
  }

  func list(_ key: String) throws(FieldError) -> [JSONValue] {
    switch self[key] {
    case nil: []
    case .list(let list)?: list
    case let value?: throw wrong(key, value, "a list")
    }
  }

  func texts(_ key: String) throws(FieldError) -> [String] {
    var texts: [String] = []
    for element in try list(key) {
      guard case .text(let text) = element else {
        throw error(key, "\"\(key)\" holds \(element.shown); it must hold texts only")
      }
      texts.append(text)
    }
    return texts
  }

  func fields(_ key: String) throws(FieldError) -> LineFields? {
    switch self[key] {
    case nil: nil
    case .object(let values)?: LineFields(values: values, path: path + [key])
    case let value?: throw wrong(key, value, "an object")
    }
  }
}

extension UInt64 {
  /// The number that `text` spells as `0x…`, or nil.
  init?(hexadecimal text: String) {
    guard text.hasPrefix("0x") || text.hasPrefix("0X") else { return nil }
    let digits = text.dropFirst(2)
    guard digits.first != "+", digits.first != "-" else { return nil }
    self.init(digits, radix: 16)
  }
}
