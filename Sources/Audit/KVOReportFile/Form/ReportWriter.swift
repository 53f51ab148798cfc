package import KVOText

extension JSONText {
  /// Writes the keys of `value` as an object.
  package mutating func write<Value: ReportFields>(_ value: Value) {
    var value = value
    object { text in
      var writer = ReportWriter(text: text)
      // The text has only one reference at a time, so that it is not copied.
      text = JSONText()
      value.pass(&writer)
      text = writer.text
    }
  }
}

/// Writes the keys of one value.
private struct ReportWriter: ReportCoder {
  var text: JSONText

  mutating func text(_ key: String, _ value: inout String) {
    text.key(key)
    text.value(value)
  }

  mutating func text(_ key: String, _ value: inout String?) { written(key, value) }

  mutating func texts(_ key: String, _ values: inout [String], or: [String]?) {
    text.key(key)
    text.list(values) { $0.value($1) }
  }

  mutating func flag(_ key: String, _ value: inout Bool, or: Bool?) {
    text.key(key)
    text.value(value)
  }

  mutating func count(_ key: String, _ value: inout Int, or: Int?) {
    text.key(key)
    text.value(value)
  }

  mutating func count(_ key: String, _ value: inout Int?) {
    text.key(key)
    text.value(value)
  }

  mutating func counts(_ key: String, _ values: inout [String: Int]) {
    text.key(key)
    let counts = values
    let names = counts.keys.sorted { (counts[$1] ?? 0, $0) < (counts[$0] ?? 0, $1) }
    text.object { text in
      for name in names {
        text.key(name)
        text.value(counts[name])
      }
    }
  }

  mutating func number(_ key: String, _ value: inout UInt64) {
    text.key(key)
    text.value(value)
  }

  mutating func numbers(_ key: String, _ values: inout [Int]) {
    text.key(key)
    text.numbers(values)
  }

  mutating func address(_ key: String, _ value: inout UInt64?) {
    text.key(key)
    text.address(value)
  }

  mutating func word<Word>(_ key: String, _ value: inout Word)
  where Word: RawRepresentable & CaseIterable, Word.RawValue == String {
    text.key(key)
    text.value(value.rawValue)
  }

  mutating func object<Value: ReportFields>(_ key: String, _ value: inout Value) {
    text.key(key)
    text.write(value)
  }

  mutating func object<Value: ReportFields>(_ key: String, _ value: inout Value?) {
    written(key, value)
  }

  mutating func list<Value: ReportFields>(
    _ key: String,
    _ values: inout [Value],
    or: [Value]?
  ) {
    text.key(key)
    text.list(values) { $0.write($1) }
  }

  mutating func written(_ key: String, _ value: String?) {
    text.key(key)
    text.value(value)
  }

  mutating func written<Value: ReportFields>(_ key: String, _ value: Value?) {
    text.key(key)
    if let value { text.write(value) } else { text.null() }
  }

  mutating func present(_ key: String, _ value: inout Bool?) {
    if var isSet = value { flag(key, &isSet, or: nil) }
  }

  mutating func present(_ key: String, _ value: inout Int?) {
    if value != nil { count(key, &value) }
  }

  mutating func present(_ key: String, _ value: inout UInt64?) {
    if var number = value { self.number(key, &number) }
  }

  mutating func present(_ key: String, _ value: inout String?) {
    if value != nil { text(key, &value) }
  }

  mutating func present<Value: ReportFields>(_ key: String, _ value: inout Value?) {
    if value != nil { object(key, &value) }
  }

  mutating func present<Value: ReportFields>(_ key: String, _ values: inout [Value]?) {
    guard let values else { return }
    text.key(key)
    text.list(values) { $0.write($1) }
  }

  mutating func refuse(_ key: String, _ reason: String) {}
}
