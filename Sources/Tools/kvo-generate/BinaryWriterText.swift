import KVOSchema

/// The extension of `RecordFieldWriter` that takes the fields of each event.
enum BinaryWriterText {
  static var text: String {
    SourceText.swift { source in
      source.block("extension RecordFieldWriter") { source in
        source.line("/// Appends the fields of one kind of event, in the order of the format.")
        source.block("package mutating func append(_ body: Event.Body)") { source in
          source.line("switch body {")
          for kinds in EventKind.byBody { add(kinds, to: &source) }
          source.line("}")
        }
        for body in Body.structures {
          source.line()
          source.block("package mutating func append(_ \(body.name): \(body.type ?? ""))") {
            addFields(of: body, to: &$0)
          }
        }
      }
    }
  }

  private static func add(_ kinds: [EventKind], to source: inout SourceText) {
    let body = kinds[0].body
    let patterns = kinds.map(\.pattern).joined(separator: ", ")
    if body.type != nil {
      source.line("case \(patterns): append(\(body.name))")
    } else {
      let isSingle = body.fields.count == 1
      source.line("case \(patterns):\(isSingle ? " " + write(body.fields[0], body) : "")")
      if !isSingle { source.indent { addFields(of: body, to: &$0) } }
    }
  }

  /// The shapes of what is recorded by the million, for the recorder's own functions for these.
  static var shapes: String {
    SourceText.swift(["KVOTrace"]) { source in
      for (index, body) in Body.structures.filter({ $0.frequency == .high }).enumerated() {
        if index > 0 { source.line() }
        source.block("extension \(body.type ?? "")") { source in
          source.line("/// What its record says of its fields.")
          source.line("@inline(__always)")
          source.block("var shape: UInt64") { source in
            addBits(of: body, "", to: &source)
            source.line("return shape")
          }
          let texts = body.fields.filter { field in
            if case (.bit, .string) = (field.slot, field.type) { true } else { false }
          }
          guard !texts.isEmpty else { return }
          let conditions = texts.map { "\($0.name) == .none" }.joined(separator: " && ")
          source.line()
          source.line("/// Whether its record has none of the texts that it may have.")
          source.line("@inline(__always)")
          source.line("var lacksTexts: Bool { \(conditions) }")
        }
      }
    }
  }

  private static func addFields(of body: Body, to source: inout SourceText) {
    for piece in body.pieces {
      switch piece {
      case .shape:
        addBits(of: body, body.base, to: &source)
        source.line("number(shape)")
      case .field(let field): source.line(write(field, body))
      }
    }
  }

  /// Adds what puts the bits of a shape together; `base` is before the name of each field.
  private static func addBits(of body: Body, _ base: String, to source: inout SourceText) {
    source.line("var shape: UInt64 = 0")
    for field in body.fields.sorted(by: { $0.shift < $1.shift }) {
      let value = base + field.name
      switch field.slot {
      case .always: break
      case .bit(let bit, _): source.line("if \(isPresent(field, value)) { shape |= \(mask(bit)) }")
      case .shape(let bit):
        let shifted = bit == 0 ? "" : " << \(bit)"
        switch (field.type, field.presence) {
        case (.flag, .optional):
          let bound = base.isEmpty ? field.name : "\(field.name) = \(value)"
          source.line("if let \(bound) {")
          source.line("  shape |= (\(field.name) ? 2 : 1)\(shifted)")
          source.line("}")
        case (.flag, _): source.line("if \(value) { shape |= \(mask(bit)) }")
        case (.choice, .optional):
          source.line("shape |= (\(value)?.binaryNumber ?? 0)\(shifted)")
        case (.choice, _): source.line("shape |= \(value).binaryNumber\(shifted)")
        case (.context, _): source.line("shape |= \(value).shapeNumber\(shifted)")
        case (.options, _):
          source.line("shape |= UInt64(\(value).rawValue & \(field.widthMask))\(shifted)")
        default: preconditionFailure("\(field.key) cannot be in a shape")
        }
      }
      switch field.type {
      case .match(let bit, let flag):
        source.line("if \(base)\(flag) { shape |= \(mask(bit)) }")
      case .end(let bit):
        source.line(
          "if \(base)unsaidKinds.contains(.\(field.name)) { shape |= \(mask(bit)) }"
        )
      default: break
      }
    }
  }

  private static func mask(_ bit: Int) -> String { bit == 0 ? "1" : "1 << \(bit)" }

  private static func isPresent(_ field: Field, _ value: String) -> String {
    "\(value) != \(field.absent)"
  }

  private static func write(_ field: Field, _ body: Body) -> String {
    let value = body.base + field.name
    switch (field.slot, field.type) {
    case (.always, _): return write(field, value, body)
    case (.shape, .context): return "if case .named(let name) = \(value) { string(name) }"
    case (.bit, .string), (.bit, .stringOrNumber):
      return "if \(isPresent(field, value)) { \(write(field, value, body)) }"
    default: return "if let \(bound(field, body)) { \(write(field, field.name, nil)) }"
    }
  }

  private static func bound(_ field: Field, _ body: Body) -> String {
    body.type == nil ? field.name : "\(field.name) = \(body.base)\(field.name)"
  }

  /// The call that writes `value`; without a body no variable hides a method, but for that of the field.
  private static func write(_ field: Field, _ value: String, _ body: Body?) -> String {
    func call(_ name: String) -> String {
      "\(body?.method(name) ?? (field.name == name ? "self.\(name)" : name))(\(value))"
    }
    switch field.type {
    case .object, .end: return call("object")
    case .objects: return call("objects")
    case .string, .stringOrNumber: return call("string")
    case .strings: return call("strings")
    case .keyPaths: return call("keyPaths")
    case .text: return call("text")
    case .identifier, .match: return call("identifier")
    case .choice: return call("choice")
    case .flag: return call("flag")
    case .number, .count, .schema, .short, .byte, .address: return call("number")
    case .signed: return "number(zigzag: Int64(\(value)))"
    case .rules: return call("rules")
    case .fields: return call("append")
    case .context, .options: preconditionFailure("\(field.key) is in a shape")
    }
  }
}
