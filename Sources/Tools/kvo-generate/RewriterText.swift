import KVOSchema

/// The extension of `EventRewriter` that makes events with other names of events.
enum RewriterText {
  static var text: String {
    SourceText.swift(["KVOTrace"]) { source in
      source.block("extension EventRewriter") { source in
        source.line("/// What happened, with other names.")
        source.block(
          "mutating func body(_ body: Event.Body, _ source: TraceNames) -> Event.Body"
        ) { source in
          source.line("switch body {")
          for kind in EventKind.all { add(kind, to: &source) }
          source.line("}")
        }
        for body in Body.structures {
          source.line()
          source.block(
            "private mutating func \(body.name)(_ \(body.name): \(body.type ?? ""), _ source: TraceNames) -> \(body.type ?? "")"
          ) { source in
            source.line(
              body.construction(
                "",
                flag: { body.base + $0 },
                unsaidKinds: "\(body.base)unsaidKinds"
              ) { value($0, body) }
            )
          }
        }
      }
    }
  }

  private static func add(_ kind: EventKind, to source: inout SourceText) {
    let body = kind.body
    source.line("case \(kind.pattern):")
    let rewritten =
      body.type == nil
      ? body.construction(kind.caseName) { value($0, body) }
      : ".\(kind.caseName)(self.\(body.name)(\(body.name), source))"
    source.line("  \(rewritten)")
  }

  private static func value(_ field: Field, _ body: Body) -> String {
    let value = body.base + field.name
    let isOptional = !field.isRequired && field.absent == "nil"
    func call(_ name: String, _ rest: String) -> String {
      let method = body.method(name)
      return isOptional
        ? "\(value).map { \(method)($0, \(rest)) }" : "\(method)(\(value), \(rest))"
    }
    switch field.type {
    case .object, .end, .context, .identifier, .match:
      let name =
        switch field.type {
        case .context: "context"
        case .identifier, .match: "identifier"
        default: "object"
        }
      return call(name, "source")
    case .objects: return "\(value).map { object($0, source) }"
    case .string, .stringOrNumber: return call("string", ".\(role(field)), source")
    case .strings: return "\(value).map { string($0, .\(role(field)), source) }"
    case .keyPaths: return "\(value).map { keyPath($0, .\(role(field)), source) }"
    case .text:
      guard case .moment = field.role else { return call("text", ".\(role(field))") }
      return isOptional ? "\(value).map { moment($0) }" : "moment(\(value))"
    case .fields(let inner): return "self.\(inner.name)(\(value), source)"
    case .choice, .flag, .number, .count, .schema, .short, .byte, .signed, .address, .rules,
      .options:
      return value
    }
  }

  private static func role(_ field: Field) -> String {
    if case .none = field.role { preconditionFailure("\(field.key) has a text, and no role") }
    return field.role.rawValue
  }
}
