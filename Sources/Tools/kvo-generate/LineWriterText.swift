import KVOSchema

/// The extension of `JSONLinesWriter` that writes the keys of each event.
enum LineWriterText {
  static var text: String {
    SourceText.swift(["KVOTrace"]) { source in
      source.block("extension JSONLinesWriter") { source in
        source.line(
          "/// Writes the keys of one kind of event, in the order in which the grammar lists them."
        )
        source.block("mutating func write(_ body: Event.Body)") { source in
          source.line("switch body {")
          for kinds in EventKind.byBody { add(kinds, to: &source) }
          source.line("}")
        }
        for body in Body.structures {
          source.line()
          add(body, to: &source)
        }
      }
    }
  }

  private static func add(_ kinds: [EventKind], to source: inout SourceText) {
    let body = kinds[0].body
    let patterns = kinds.map(\.pattern).joined(separator: ", ")
    if body.type != nil {
      source.line("case \(patterns): write(\(body.name))")
    } else {
      let lines = body.fields.flatMap { write($0, body, kinds) }
      source.line("case \(patterns):\(lines.count > 1 ? "" : " " + lines[0])")
      if lines.count > 1 { source.indent { $0.lines(lines) } }
    }
  }

  private static func add(_ body: Body, to source: inout SourceText) {
    var parameters = "_ \(body.name): \(body.type ?? "")"
    if let flag = body.requiredFlag { parameters += ", \(flag): Bool = true" }
    source.block("private mutating func write(\(parameters))") { source in
      for field in body.fields { source.lines(write(field, body, [])) }
    }
  }

  private static func write(_ field: Field, _ body: Body, _ kinds: [EventKind]) -> [String] {
    let value = body.base + field.name
    func call(_ name: String, _ value: String = value) -> String {
      "\(body.method(name))(\"\(field.key)\", \(value))"
    }
    switch (field.type, field.presence) {
    case (.object, _): return [call("object")]
    case (.end, _):
      let isSaid = "isKindSaid: !\(body.base)unsaidKinds.contains(.\(field.name))"
      return ["object(\"\(field.key)\", \(value), \(isSaid))"]
    case (.objects, _): return [call("objects")]
    case (.string, .requiredExcept), (.stringOrNumber, .requiredExcept):
      return [
        "if \(body.requiredFlag ?? "true") {", "  \(call("required"))", "} else {",
        "  \(call("string"))", "}",
      ]
    case (.string, .optional), (.stringOrNumber, .optional): return [call("string")]
    case (.string, _), (.stringOrNumber, _): return [call("required")]
    case (.strings, _): return [call("strings")]
    case (.keyPaths, _): return [call("keyPaths")]
    case (.text, .defaults): return ["if !\(value).isEmpty { \(call("text")) }"]
    case (.text, _): return [call("text")]
    case (.identifier, _): return [call("identifier")]
    case (.match(_, let flag), _):
      return [call("identifier"), "if \(body.base)\(flag) { null(\"\(field.key)\") }"]
    case (.choice, .optional): return [call("text", "\(value)?.rawValue")]
    case (.choice, _):
      let write = call("text", "\(value).rawValue")
      return [field.isLeftOut ? "if \(value) != \(field.absent) { \(write) }" : write]
    case (.flag, .optional):
      return ["if let \(field.name) = \(value) { \(call("flag", field.name)) }"]
    case (.flag, _):
      precondition(!field.isLeftOut || field.absent == "false", "\(field.key) is no such flag")
      return [field.isLeftOut ? "if \(value) { \(call("flag", "true")) }" : call("flag")]
    case (.number, _), (.count, _), (.schema, _), (.short, _), (.byte, _), (.signed, _):
      return [call("number")]
    case (.address, _): return [call("address")]
    case (.rules, _): return [call("codes")]
    case (.context, _): return ["context(\(value))"]
    case (.options, _): return ["options(\(value))"]
    case (.fields(let inner), _):
      return ["write(\(value)\(inner.requiredArgument(in: kinds[0])))"]
    }
  }
}
