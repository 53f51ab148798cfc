import KVOSchema

/// The extension of `CanonicalScanner` that makes events of the bytes of canonical lines.
enum CanonicalText {
  static var text: String {
    SourceText.swift(["KVOTrace"]) { source in
      source.line(
        "// One file although it has more than 400 lines: the functions that read the structures of events are private."
      )
      source.block("extension CanonicalScanner") { source in
        addRead(to: &source)
        for body in Body.structures {
          source.line()
          add(body, to: &source)
        }
      }
    }
  }

  /// The functions that read the words of choices with their keys.
  static var words: String {
    SourceText.swift(["KVOTrace"]) { source in
      source.block("extension CanonicalScanner") { source in
        var keys: Set<String> = []
        for body in Body.all {
          for field in body.fields {
            guard case .choice(let choice) = field.type else { continue }
            guard keys.insert(field.key).inserted else { continue }
            if keys.count > 1 { source.line() }
            add(field, choice, isInline: body.frequency != .low, to: &source)
          }
        }
      }
    }
  }

  private static let parameters = "_ line: inout LineCursor, _ names: inout TraceNames"

  private static func addRead(to source: inout SourceText) {
    source.lines([
      "/// Reads the event's own part: its keys in the order of the grammar, each of them once or not at",
      "/// all.",
      "@inline(__always)",
    ])
    source.block(
      "mutating func read(_ body: inout Event.Body, _ kind: CanonicalKind, \(parameters))"
        + " throws(NotCanonical)"
    ) { source in
      source.line("switch kind {")
      for kind in EventKind.byFrequency where kind.frequency == .high {
        add(kind, "body =", to: &source)
      }
      source.line("default: body = try rareBody(kind, &line, &names)")
      source.line("}")
    }
    source.line()
    source.line("@inline(never)")
    source.block(
      "private mutating func rareBody(_ kind: CanonicalKind, \(parameters))"
        + " throws(NotCanonical) -> Event.Body"
    ) { source in
      source.line("switch kind {")
      for kind in EventKind.all where kind.frequency != .high {
        add(kind, "return", to: &source)
      }
      source.line("default: throw NotCanonical()")
      source.line("}")
    }
  }

  private static func add(_ kind: EventKind, _ verb: String, to source: inout SourceText) {
    let body = kind.body
    if body.type != nil {
      source.line("case .\(kind.name): \(verb) .\(kind.caseName)(try \(body.name)(&line, &names))")
      return
    }
    let field = body.fields[0]
    if body.fields.count == 1, !field.isRequired {
      let value = "line.take(\(key(field))) ? \(read(field, body, in: kind)) : \(field.absent)"
      source.line("case .\(kind.name): \(verb) \(body.construction(kind.caseName) { _ in value })")
      return
    }
    source.line("case .\(kind.name):")
    if body.fields.count == 1 {
      source.line("  try line.expect(\(key(field)))")
      let made = body.construction(kind.caseName) { read($0, body, in: kind) }
      source.line("  \(verb) \(made)")
      return
    }
    source.indent { source in
      addLocals(of: body, in: kind, to: &source)
      source.line("\(verb) \(body.construction(kind.caseName, value))")
    }
  }

  private static func add(_ body: Body, to source: inout SourceText) {
    if body.frequency != .low { source.line("@inline(__always)") }
    let flag = body.requiredFlag.map { ", \($0): Bool = true" } ?? ""
    source.block(
      "private mutating func \(body.name)(\(parameters)\(flag)) throws(NotCanonical) -> \(body.type ?? "")"
    ) { source in
      if body.hasEnds { source.line("var unsaid: Reference.Ends = []") }
      addLocals(of: body, in: nil, to: &source)
      source.line("return \(body.construction("", value))")
    }
  }

  private static func value(_ field: Field) -> String {
    field.isInferred ? "\(field.name) ?? \(field.absent)" : field.name
  }

  private static func addLocals(
    of body: Body,
    in kind: EventKind?,
    to source: inout SourceText
  ) {
    for field in body.fields { addLocal(field, body, in: kind, to: &source) }
  }

  private static func addLocal(
    _ field: Field,
    _ body: Body,
    in kind: EventKind?,
    to source: inout SourceText
  ) {
    let key = key(field)
    let read = read(field, body, in: kind)
    let isOptional = !field.isRequired && (field.absent == "nil" || field.isInferred)
    let isConditional = !field.isRequired || field.isRequiredSometimes
    let annotation = field.annotation(isOptional: isOptional, isConditional: isConditional)
    let name = "let \(field.name)\(annotation)"
    switch (field.type, field.presence) {
    case (.fields, _): source.line("\(name) = \(read)")
    case (.choice, .defaults) where !field.isInferred:
      source.line("\(name) = \(read) ?? \(field.absent)")
    case (.choice, _): source.line("\(name) = \(read)")
    case (_, .requiredExcept):
      let has = "has\(field.name.prefix(1).uppercased())\(field.name.dropFirst())"
      source.lines([
        "let \(has) = line.take(\(key))",
        "guard \(has) || !\(body.requiredFlag ?? "true") else { throw NotCanonical() }",
        "\(name) = \(has) ? \(read) : \(field.absent)",
      ])
    case (_, .required): source.lines(["try line.expect(\(key))", "\(name) = \(read)"])
    case (.match(_, let flag), _):
      source.line("let \(flag) = line.take(#\",\"\(field.key)\":null\"#)")
      source.line("\(name) = line.take(\(key)) ? \(read) : nil")
    default:
      let absent = field.isInferred ? "nil" : field.absent
      source.line("\(name) = line.take(\(key)) ? \(read) : \(absent)")
    }
    if case .schema = field.type {
      source.line("// A later schema is for the reader to refuse.")
      source.line("guard \(field.name) <= ProcessInfo.schema else { throw NotCanonical() }")
    }
  }

  /// How a line has the key, with what is before and after it.
  private static func key(_ field: Field) -> String { "#\",\"\(field.key)\":\"#" }

  private static func read(_ field: Field, _ body: Body, in kind: EventKind?) -> String {
    func call(_ name: String) -> String { "try \(body.reader(name))(&line, &names)" }
    func plain(_ name: String) -> String { "try \(body.reader(name))(&line)" }
    switch field.type {
    case .object: return call("object")
    case .end: return "try end(&line, &names, &unsaid, .\(field.name))"
    case .objects: return call("objects")
    case .string, .stringOrNumber: return call("string")
    case .strings: return call("strings")
    case .keyPaths: return call("keyPaths")
    case .text: return plain("text")
    case .identifier, .match: return call("identifier")
    case .choice: return plain("\(field.key)Word")
    case .flag: return plain("flag")
    case .number: return plain("number")
    case .count, .schema: return plain("count")
    case .signed: return plain("integer")
    case .short: return plain("short")
    case .byte: return plain("byte")
    case .address: return plain("address")
    case .rules: return plain("rules")
    case .context: return call("context")
    case .options: return plain("options")
    case .fields(let inner):
      return "try self.\(inner.name)(&line, &names\(inner.requiredArgument(in: kind)))"
    }
  }

  /// A function that reads one of a few words with its key.
  ///
  /// What writers always write is tried as a whole.
  private static func add(
    _ field: Field,
    _ choice: Choice,
    isInline: Bool,
    to source: inout SourceText
  ) {
    if isInline { source.line("@inline(__always)") }
    let type = field.isRequired ? choice.type : "\(choice.type)?"
    source.block(
      "func \(field.key)Word(_ line: inout LineCursor) throws(NotCanonical) -> \(type)"
    ) { source in
      var words = choice.words
      if case .defaults(_, _, isWritten: true) = field.presence,
        let common = words.first(where: { field.isInferred || field.absent == ".\($0.name)" })
      {
        source.line(
          "if line.take(#\",\"\(field.key)\":\"\(common.text)\"\"#) { return .\(common.name) }"
        )
        words.removeAll { $0.name == common.name }
      }
      let key = key(field)
      source.line(
        field.isRequired ? "try line.expect(\(key))" : "guard line.take(\(key)) else { return nil }"
      )
      for word in words.dropLast() {
        source.line("if line.take(#\"\"\(word.text)\"\"#) { return .\(word.name) }")
      }
      if let last = words.last {
        source.line("try line.expect(#\"\"\(last.text)\"\"#)")
        source.line("return .\(last.name)")
      }
    }
  }
}
