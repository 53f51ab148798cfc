package import KVOTrace

/// Writes events as lines of the JSON Lines form (`Documentation/LogFormat.md`).
///
/// A line is canonical: no spaces; the keys in the order `event`, `t`, `thread`, `order`, the event's own keys in the
/// grammar's order, `stack`, `scope`; a key whose value is unknown is omitted, and so are `kind` if it is `setting`, or
/// `object` anywhere but in a reference, and empty lists. Ids of objects are strings, all other ids are numbers if they
/// are spelled as numbers.
package struct JSONLinesWriter {
  private let names: TraceNames
  private var line: [UInt8]

  /// Appends the line of `event`, with a newline at its end, to `buffer`.
  ///
  /// Complexity: O(length of the line). Allocates only if `buffer` has to grow.
  ///
  /// - Parameters:
  ///   - event: what to write.
  ///   - names: the table that the event's ids are from; another one traps.
  ///   - buffer: its existing content is kept.
  package static func append(_ event: Event, names: TraceNames, to buffer: inout [UInt8]) {
    var writer = JSONLinesWriter(names: names, line: [])
    swap(&writer.line, &buffer)
    writer.write(event)
    swap(&writer.line, &buffer)
  }

  private mutating func write(_ event: Event) {
    line.append(json: "{\"event\":\"")
    line.append(contentsOf: event.body.name.utf8)
    line.append(UInt8(ascii: "\""))
    number("t", event.time)
    identifier("thread", event.thread)
    number("order", event.order)
    write(event.body)
    if event.stack != .none { write(names.frames(of: event.stack)) }
    identifier("scope", event.scope)
    line.append(json: "}\n")
  }

  private mutating func write(_ frames: ArraySlice<Frame>) {
    key("stack")
    list(frames) { writer, frame in
      let isBare =
        frame.symbol == .none && frame.module == .none && frame.file == .none && frame.line == 0
      guard !isBare || frame.address == 0 else {
        writer.line.append(jsonAddress: frame.address)
        return
      }
      writer.line.append(UInt8(ascii: "{"))
      if frame.address != 0 { writer.address("address", frame.address) }
      writer.string("symbol", frame.symbol)
      writer.string("module", frame.module)
      writer.string("file", frame.file)
      if frame.line != 0 { writer.number("line", UInt64(frame.line)) }
      writer.line.append(UInt8(ascii: "}"))
    }
  }
}

// MARK: - Keys and values

extension JSONLinesWriter {
  mutating func key(_ key: StaticString) {
    if line.last != UInt8(ascii: "{") { line.append(UInt8(ascii: ",")) }
    line.append(UInt8(ascii: "\""))
    line.append(json: key)
    line.append(json: "\":")
  }

  /// Omitted if `value` is nil.
  mutating func number(_ name: StaticString, _ value: UInt64?) {
    guard let value else { return }
    key(name)
    line.append(decimal: value)
  }

  /// Omitted if `value` is nil.
  mutating func number(_ name: StaticString, _ value: Int?) {
    guard let value else { return }
    key(name)
    line.append(decimal: value)
  }

  mutating func address(_ name: StaticString, _ value: UInt64) {
    key(name)
    line.append(jsonAddress: value)
  }

  mutating func null(_ name: StaticString) {
    key(name)
    line.append(json: "null")
  }

  mutating func flag(_ name: StaticString, _ value: Bool) {
    key(name)
    line.append(json: value ? "true" : "false")
  }

  /// Omitted if `value` is nil.
  mutating func text(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    key(name)
    line.append(jsonString: value)
  }

  /// Omitted if `value` is ``StringID/none``.
  mutating func string(_ name: StaticString, _ value: StringID) {
    if value != .none { text(name, names[value]) }
  }

  /// Written even if it is empty, because the grammar requires it.
  mutating func required(_ name: StaticString, _ value: StringID) {
    text(name, names[value])
  }

  /// The codes of rules, `KVO001`, by their numbers.
  mutating func codes(_ name: StaticString, _ numbers: [UInt16]) {
    key(name)
    list(numbers) { writer, number in
      let digits = String(number)
      let zeros = String(repeating: "0", count: max(0, 3 - digits.count))
      writer.line.append(jsonString: "KVO" + zeros + digits)
    }
  }

  mutating func strings(_ name: StaticString, _ values: [StringID]) {
    guard !values.isEmpty else { return }
    key(name)
    list(values) { $0.line.append(jsonString: $0.names[$1]) }
  }

  mutating func keyPaths(_ name: StaticString, _ values: [AffectingPath]) {
    strings(name, values.map(\.text))
  }

  /// Omitted if `value` is nil; a number if it is spelled as one.
  mutating func identifier<Tag>(_ name: StaticString, _ value: Identifier<Tag>?) {
    guard let value else { return }
    key(name)
    if value.name == nil, value.generation == nil, let number = value.number {
      line.append(decimal: number)
    } else {
      spelling(of: value)
    }
  }

  /// The text of an id; a number that a reader assigned begins with `@`, because the log may use the same number as
  /// another id.
  private mutating func spelling<Tag>(of value: Identifier<Tag>) {
    guard let number = value.number else {
      line.append(jsonString: names.text(of: value))
      return
    }
    line.append(UInt8(ascii: "\""))
    if value.generation != nil { line.append(UInt8(ascii: "@")) }
    line.append(decimal: number)
    line.append(UInt8(ascii: "\""))
  }

  /// Omitted if the call has no such argument.
  mutating func context(_ value: Context) {
    switch value {
    case .unspecified: return
    case .null: null("context")
    case .named(let name): required("context", name)
    }
  }

  /// Omitted if `value` is nil.
  mutating func object(_ name: StaticString, _ value: ObjectRef?) {
    guard let value else { return }
    key(name)
    object(value)
  }

  /// The end of a reference, whose kind is written whenever it is known.
  mutating func object(_ name: StaticString, _ value: ObjectRef, isKindSaid: Bool) {
    key(name)
    object(value, isKindSaid: isKindSaid)
  }

  mutating func objects(_ name: StaticString, _ values: [ObjectRef]) {
    guard !values.isEmpty else { return }
    key(name)
    list(values) { $0.object($1) }
  }

  private mutating func object(_ value: ObjectRef, isKindSaid: Bool = false) {
    line.append(UInt8(ascii: "{"))
    required("class", value.className)
    key("id")
    spelling(of: value.id)
    if isKindSaid || value.kind != .object { text("kind", value.kind.rawValue) }
    line.append(UInt8(ascii: "}"))
  }

  mutating func options(_ value: Registration.Options) {
    guard !value.isEmpty else { return }
    key("options")
    list(Registration.Options.named.filter { value.contains($0.option) }) {
      $0.line.append(jsonString: $1.name)
    }
  }

  private mutating func list<Elements: Collection>(
    _ elements: Elements,
    _ write: (inout JSONLinesWriter, Elements.Element) -> Void
  ) {
    line.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { line.append(UInt8(ascii: ",")) }
      write(&self, element)
    }
    line.append(UInt8(ascii: "]"))
  }
}
