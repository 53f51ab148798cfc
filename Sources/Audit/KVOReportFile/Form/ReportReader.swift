/// Reads a value from the keys of a JSON object.
struct ReadReport<Value: ReportFields>: Decodable {
  var value: Value

  init(from decoder: any Decoder) throws {
    value = .blank
    var reader = ReportReader(keys: try decoder.container(keyedBy: ReportKey.self))
    try value.pass(&reader)
  }
}

/// A key of an object in a report's file.
private struct ReportKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// Reads the keys of one value.
private struct ReportReader: ReportCoder {
  let keys: KeyedDecodingContainer<ReportKey>

  private func value<Value: Decodable>(
    _ key: String,
    _ type: Value.Type = Value.self
  ) throws
    -> Value
  {
    try keys.decode(Value.self, forKey: ReportKey(stringValue: key))
  }

  private func optional<Value: Decodable>(
    _ key: String,
    _ type: Value.Type = Value.self
  ) throws
    -> Value?
  {
    try keys.decodeIfPresent(Value.self, forKey: ReportKey(stringValue: key))
  }

  private func value<Value: Decodable>(_ key: String, or fallback: Value?) throws -> Value {
    guard let fallback else { return try value(key) }
    return try optional(key) ?? fallback
  }

  func text(_ key: String, _ text: inout String) throws { text = try value(key) }

  func text(_ key: String, _ text: inout String?) throws { text = try optional(key) }

  func texts(_ key: String, _ values: inout [String], or: [String]?) throws {
    values = try value(key, or: or)
  }

  func flag(_ key: String, _ flag: inout Bool, or: Bool?) throws {
    flag = try value(key, or: or)
  }

  func count(_ key: String, _ count: inout Int, or: Int?) throws {
    count = try checked(value(key, or: or), key)
  }

  func count(_ key: String, _ count: inout Int?) throws {
    count = try optional(key, Int.self).map { try checked($0, key) }
  }

  func counts(_ key: String, _ values: inout [String: Int]) throws {
    values = try value(key, [String: Int].self).mapValues { try checked($0, key) }
  }

  func number(_ key: String, _ number: inout UInt64) throws { number = try value(key) }

  func numbers(_ key: String, _ values: inout [Int]) throws { values = try value(key) }

  func address(_ key: String, _ address: inout UInt64?) throws {
    address = try optional(key, String.self).flatMap { UInt64($0.dropFirst(2), radix: 16) }
  }

  func word<Word>(_ key: String, _ word: inout Word) throws
  where Word: RawRepresentable & CaseIterable, Word.RawValue == String {
    let text = try value(key, String.self)
    if let known = Word(rawValue: text) {
      word = known
      return
    }
    let known = Word.allCases.prefix(8).map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
    let more = Word.allCases.count > 8 ? ", …" : ""
    try refuse(key, "\"\(text)\" is not known here; known are \(known)\(more)")
  }

  func object<Value: ReportFields>(_ key: String, _ object: inout Value) throws {
    object = try value(key, ReadReport<Value>.self).value
  }

  func object<Value: ReportFields>(_ key: String, _ object: inout Value?) throws {
    object = try optional(key, ReadReport<Value>.self)?.value
  }

  func list<Value: ReportFields>(_ key: String, _ values: inout [Value], or: [Value]?) throws {
    if let or {
      values = try optional(key, [ReadReport<Value>].self)?.map(\.value) ?? or
    } else {
      values = try value(key, [ReadReport<Value>].self).map(\.value)
    }
  }

  func written(_ key: String, _ value: String?) {}

  func written<Value: ReportFields>(_ key: String, _ value: Value?) {}

  func present(_ key: String, _ value: inout Bool?) throws {
    value = try optional(key, Bool.self)
  }

  func present(_ key: String, _ value: inout Int?) throws { try count(key, &value) }

  func present(_ key: String, _ value: inout UInt64?) throws {
    value = try optional(key, UInt64.self)
  }

  func present(_ key: String, _ value: inout String?) throws { try text(key, &value) }

  func present<Value: ReportFields>(_ key: String, _ value: inout Value?) throws {
    try object(key, &value)
  }

  func present<Value: ReportFields>(_ key: String, _ values: inout [Value]?) throws {
    values = try optional(key, [ReadReport<Value>].self)?.map(\.value)
  }

  func refuse(_ key: String, _ reason: String) throws {
    throw DecodingError.dataCorruptedError(
      forKey: ReportKey(stringValue: key),
      in: keys,
      debugDescription: reason
    )
  }

  private func checked(_ count: Int, _ key: String) throws -> Int {
    let limit = ReportFile.countLimit
    if !(0...limit).contains(count) {
      try refuse(key, "\(count) is not a count; it must be a number from 0 to \(limit)")
    }
    return count
  }
}
