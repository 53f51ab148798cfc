import KVOSchema

/// The extension of `EventDecoder` that makes events of the keys and values of a line.
enum DecoderText {
  static var text: String {
    SourceText.swift(["KVOTrace"]) { source in
      source.block("extension EventDecoder") { source in
        addBody(to: &source)
        for body in Body.structures {
          source.line()
          add(body, to: &source)
        }
      }
    }
  }

  private static func addBody(to source: inout SourceText) {
    source.line("/// The event's own part, or nil if `name` is not the name of an event.")
    source.block(
      "mutating func body(_ name: String, _ line: LineFields) throws(FieldError) -> Event.Body?"
    ) { source in
      source.line("switch name {")
      for kind in EventKind.all {
        add(kind, to: &source)
      }
      source.line("default: return nil")
      source.line("}")
    }
  }

  private static func add(_ kind: EventKind, to source: inout SourceText) {
    let body = kind.body
    let head = "case \"\(kind.name)\":"
    if body.type != nil {
      source.line("\(head) return .\(kind.caseName)(try \(body.name)(line))")
    } else if body.fields.count == 1 {
      source.line("\(head) return \(body.construction(kind.caseName) { read($0, body, in: kind) })")
    } else {
      source.line(head)
      source.indent { source in
        for field in body.fields { source.line(local(field, body, in: kind)) }
        source.line("return \(body.construction(kind.caseName, value))")
      }
    }
  }

  private static func add(_ body: Body, to source: inout SourceText) {
    var parameters = "_ line: LineFields"
    if let flag = body.requiredFlag { parameters += ", \(flag): Bool = true" }
    source.block(
      "private mutating func \(body.name)(\(parameters)) throws(FieldError) -> \(body.type ?? "")"
    ) { source in
      if body.hasEnds { source.line("var unsaid: Reference.Ends = []") }
      for field in body.fields {
        source.line(local(field, body, in: nil))
        if case .match(_, let flag) = field.type {
          source.line("let \(flag) = line.isNull(\"\(field.key)\")")
        }
      }
      source.line("return \(body.construction("", value))")
    }
  }

  private static func value(_ field: Field) -> String {
    field.isInferred ? "\(field.name) ?? \(field.absent)" : field.name
  }

  private static func local(_ field: Field, _ body: Body, in kind: EventKind?) -> String {
    let isOptional = !field.isRequired && (field.absent == "nil" || field.isInferred)
    let annotation = field.annotation(isOptional: isOptional)
    return "let \(field.name)\(annotation) = \(read(field, body, in: kind))"
  }

  private static func read(_ field: Field, _ body: Body, in kind: EventKind?) -> String {
    let key = "\"\(field.key)\""
    /// A value that the line has under the key, or its default.
    func plain(_ value: String) -> String {
      if field.isRequired { return "try line.required(\(key), \(value))" }
      let isNil = field.absent == "nil" || field.isInferred
      return isNil ? "try \(value)" : "try \(value) ?? \(field.absent)"
    }
    func call(_ name: String) -> String { "try \(body.reader(name))(\(key), line)" }
    switch (field.type, field.presence) {
    case (.object, .required): return call("requiredObject")
    case (.object, _): return call("object")
    case (.end, _): return "try requiredEnd(\(key), line, &unsaid, .\(field.name))"
    case (.objects, _): return call("objects")
    case (.string, .required): return call("requiredString")
    case (.string, .requiredExcept):
      let flag = body.requiredFlag ?? "true"
      return "\(flag) ? \(call("requiredString")) : \(call("string"))"
    case (.string, _): return call("string")
    case (.stringOrNumber, .required):
      return "names.id(of: try line.required(\(key), line.textOrNumber(\(key))))"
    case (.stringOrNumber, _): return "names.id(of: try line.textOrNumber(\(key)) ?? \"\")"
    case (.strings, _): return call("strings")
    case (.keyPaths, _): return call("keyPaths")
    case (.text, _): return plain("line.text(\(key))")
    case (.identifier, .required): return call("requiredIdentifier")
    case (.identifier, _), (.match, _): return call("identifier")
    case (.choice, _): return plain("line.choice(\(key))")
    case (.flag, _): return plain("line.flag(\(key))")
    case (.number, _), (.signed, _): return plain("line.number(\(key))")
    case (.count, _), (.schema, _): return plain("line.number(\(key), from: 0)")
    case (.short, _): return "Int(\(plain("line.number(\(key), UInt32.self)")))"
    case (.byte, _): return plain("line.number(\(key), UInt8.self).map(Int.init)")
    case (.address, _): return plain("line.address(\(key))")
    case (.rules, _): return call("rules")
    case (.context, _): return "try self.context(line)"
    case (.options, _): return "try self.options(line)"
    case (.fields(let inner), _):
      return "try self.\(inner.name)(line\(inner.requiredArgument(in: kind)))"
    }
  }
}
