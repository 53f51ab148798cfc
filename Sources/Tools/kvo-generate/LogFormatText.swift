import KVOSchema

/// The tables of `Documentation/LogFormat.md`.
enum LogFormatText {
  /// The keys of the events of `names`.
  static func table(of names: [String]) -> String {
    var source = SourceText()
    source.lines(["| event | key | type | meaning |", "|---|---|---|---|"])
    let kinds = names.map { name in
      guard let kind = EventKind.all.first(where: { $0.name == name }) else {
        preconditionFailure("LogFormat.md: there is no event \(name)")
      }
      return kind
    }
    for group in EventKind.byBody {
      let body = group[0].body
      let users = kinds.filter { kind in
        kind.body.name == body.name
          || kind.body.fields.contains { field in
            if case .fields(let inner) = field.type { inner.name == body.name } else { false }
          }
      }
      guard users.contains(where: { $0.body.name == body.name }) else { continue }
      let fields = body.fields.filter { !$0.key.isEmpty }
      for (index, field) in fields.enumerated() {
        let events = index > 0 ? "" : users.map { "`\($0.name)`" }.joined(separator: ", ")
        let since = field.version > 1 ? ". Since version \(field.version)" : ""
        source.line("| \(events) | `\(field.key)` | \(type(field)) | \(field.meaning)\(since) |")
      }
    }
    return source.text
  }

  private static func type(_ field: Field) -> String {
    switch field.presence {
    case .required: return "\(kind(field)), r"
    case .requiredExcept(let event): return "\(kind(field)), r but in `\(event)`"
    case .optional: return kind(field)
    case .defaults(let expression, let shown, _):
      var shown = shown ?? expression
      if case .choice = field.type, shown.hasPrefix(".") { shown = "`\(shown.dropFirst())`" }
      return shown.isEmpty ? kind(field) : "\(kind(field)), default \(shown)"
    }
  }

  private static func kind(_ field: Field) -> String {
    switch field.type {
    case .object, .end: return "object"
    case .objects: return "list of objects"
    case .string, .text: return "text"
    case .stringOrNumber: return "text or whole number"
    case .strings, .keyPaths: return "list of texts"
    case .identifier: return "id"
    case .match: return "id or null"
    case .choice(let choice): return choice.words.map { "`\($0.text)`" }.joined(separator: ", ")
    case .flag: return "flag"
    case .number, .count, .schema: return "whole number"
    case .short: return "whole number up to 4,294,967,295"
    case .byte: return "whole number up to 255"
    case .signed: return "whole number"
    case .address: return "address"
    case .rules: return "list of codes"
    case .context: return "context"
    case .options:
      return "list of " + Choice.options.map { "`\($0)`" }.joined(separator: ", ")
    case .fields: preconditionFailure("a body is not a key")
    }
  }
}
