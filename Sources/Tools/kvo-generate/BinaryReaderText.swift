import KVOSchema

/// The extension of `BinaryRecordDecoder` that decodes the fields of each event.
enum BinaryReaderText {
  static var text: String {
    SourceText.swift(["KVOTrace"]) { source in
      source.block("extension BinaryRecordDecoder") { source in
        addBody(to: &source)
        for body in Body.structures {
          source.line()
          add(body, to: &source)
        }
      }
    }
  }

  private static func addBody(to source: inout SourceText) {
    source.lines([
      "/// Decodes the fields of an event; `isSound` says afterwards whether they were any.",
      "///",
      "/// - Returns: the event; any if `kind` is none.",
      "@inline(__always)",
    ])
    source.block("mutating func body(_ kind: BinaryFormat.Record) -> Event.Body") { source in
      source.line("switch kind {")
      for kind in EventKind.byFrequency where kind.frequency != .low { add(kind, to: &source) }
      source.line("default: return rareBody(kind)")
      source.line("}")
    }
    source.line()
    source.line("@inline(never)")
    source.block(
      "private mutating func rareBody(_ kind: BinaryFormat.Record) -> Event.Body"
    ) { source in
      source.line("switch kind {")
      for kind in EventKind.all where kind.frequency == .low { add(kind, to: &source) }
      source.lines(["default:", "  markMalformed()", "  return .exit(status: 0)", "}"])
    }
  }

  private static func add(_ kind: EventKind, to source: inout SourceText) {
    let body = kind.body
    guard body.type == nil else {
      source.line("case .\(kind.caseName): return .\(kind.caseName)(\(body.name)())")
      return
    }
    if body.fields.count == 1 {
      let value = read(body.fields[0]) { $0 }
      let made = body.construction(kind.caseName) { _ in value }
      source.line("case .\(kind.caseName): return \(made)")
      return
    }
    source.line("case .\(kind.caseName):")
    source.indent { source in
      addLocals(of: body, to: &source)
      source.line("return \(body.construction(kind.caseName) { value($0, body) })")
    }
  }

  private static func add(_ body: Body, to source: inout SourceText) {
    if body.frequency == .high { source.line("@inline(__always)") }
    source.block("private mutating func \(body.name)() -> \(body.type ?? "")") { source in
      addLocals(of: body, to: &source)
      source.line(
        "return "
          + body.construction(
            body.name,
            flag: { _ in "shape & 1 << \(nullBit(of: body)) != 0" },
            unsaidKinds: "unsaid"
          ) { value($0, body) }
      )
    }
  }

  private static func addLocals(of body: Body, to source: inout SourceText) {
    for piece in body.pieces {
      switch piece {
      case .shape:
        source.line("let shape = self.shape(0x\(String(body.shapeMask, radix: 16)))")
      case .field(let field):
        let isOptional = if case .bit = field.slot { true } else { false }
        let annotation = field.annotation(isOptional: isOptional, isConditional: isOptional)
        let name = "let \(field.name)\(annotation)"
        let value = read(field) { body.reader($0) }
        switch field.slot {
        case .bit(let bit, _):
          source.line("\(name) = shape & \(mask(bit)) != 0 ? \(value) : \(field.absent)")
        case .always, .shape: source.line("\(name) = \(value)")
        }
      }
    }
    guard body.hasEnds else { return }
    source.line("var unsaid: Reference.Ends = []")
    for field in body.fields {
      guard case .end(let bit) = field.type else { continue }
      source.line("if shape & \(mask(bit)) != 0 { unsaid.insert(.\(field.name)) }")
    }
  }

  private static func mask(_ bit: Int) -> String { bit == 0 ? "1" : "1 << \(bit)" }

  private static func nullBit(of body: Body) -> Int {
    for field in body.fields {
      if case .match(let bit, _) = field.type { return bit }
    }
    preconditionFailure("\(body.name) has no flag")
  }

  /// What reads the field where it follows.
  private static func read(_ field: Field, _ method: (String) -> String) -> String {
    switch field.type {
    case .object, .end: "\(method("object"))()"
    case .objects: "\(method("objects"))()"
    case .string, .stringOrNumber: "\(method("string"))()"
    case .strings: "\(method("stringList"))()"
    case .keyPaths: "\(method("keyPathList"))()"
    case .text: "\(method("spelledString"))()"
    case .identifier, .match: "\(method("identifier"))()"
    case .choice(let choice): "\(method("choice"))(.\(choice.words[0].name))"
    case .flag: "\(method("flag"))()"
    case .number, .address: "\(method("varint"))()"
    case .count, .schema: "\(method("count"))()"
    case .short: "\(method("count"))(upTo: UInt64(UInt32.max))"
    case .byte: "\(method("count"))(upTo: UInt64(UInt8.max))"
    case .signed: "Int(\(method("zigzag"))())"
    case .rules: "\(method("ruleList"))()"
    case .fields(let body): "self.\(body.name)()"
    case .context: "\(method("context"))(shape >> \(field.shift))"
    case .options: preconditionFailure("\(field.key) does not follow")
    }
  }

  /// What the field is in the construction: its variable, or what the shape has of it.
  private static func value(_ field: Field, _ body: Body) -> String {
    guard case .shape = field.slot else { return field.name }
    let shifted = field.shift == 0 ? "shape" : "shape >> \(field.shift)"
    let bits = "\(shifted) & \(field.widthMask)"
    switch (field.type, field.presence) {
    case (.flag, .optional): return "optionalFlag(\(bits))"
    case (.flag, _): return "shape & \(mask(field.shift)) != 0"
    case (.choice(let choice), .optional):
      return "optionalChoice(\(bits), .\(choice.words[0].name))"
    case (.choice(let choice), _):
      let fallback = field.isInferred ? ".\(choice.words[0].name)" : field.absent
      return "choice(\(bits), \(fallback))"
    case (.options, _):
      return "Registration.Options(rawValue: UInt8(truncatingIfNeeded: \(bits)))"
    default: return field.name
    }
  }
}
