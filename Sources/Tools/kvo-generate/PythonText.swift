import KVOSchema

/// The tables of `Documentation/read_kvolog.py`.
enum PythonText {
  /// The lines between the marks.
  static var text: String {
    var source = SourceText()
    source.line("EVENTS = \"\"\"")
    for kinds in EventKind.byBody {
      let words = record(of: kinds[0].body, in: kinds[0]).joined(separator: " ")
      source.lines(wrapped("\(names(kinds)) = \(words)"))
    }
    source.line("\"\"\"")
    source.line("# The keys of each, in the order of a line.")
    source.line("LINES = \"\"\"")
    for kinds in EventKind.byBody {
      let keys = kinds[0].body.allFields.map(\.key).joined(separator: " ")
      source.lines(wrapped("\(names(kinds)) = \(keys)"))
    }
    source.line("\"\"\"")
    return source.text
  }

  private static func names(_ kinds: [EventKind]) -> String {
    kinds.map(\.name).joined(separator: " ")
  }

  /// Lines of up to 100 characters; those after the first begin with a space.
  private static func wrapped(_ text: String) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if line.count + 1 + word.count > 100 {
        lines.append(line)
        line = ""
      }
      line += lines.isEmpty && line.isEmpty ? String(word) : " \(word)"
    }
    return lines + [line]
  }

  private static func record(of body: Body, in kind: EventKind) -> [String] {
    var words: [String] = []
    for piece in body.pieces {
      switch piece {
      case .shape: words += ["shape"] + body.fields.compactMap { inShape($0) }
      case .field(let field):
        if case .fields(let inner) = field.type {
          words += record(of: inner, in: kind)
        } else {
          words += following(field, in: kind)
        }
      }
    }
    return words
  }

  /// What the shape has of the field.
  private static func inShape(_ field: Field) -> String? {
    if case .end(let bit) = field.type { return "\(field.key)!\(bit)" }
    guard case .shape(let bit) = field.slot else { return nil }
    switch (field.type, field.presence) {
    case (.context, _): return nil
    case (.flag, .optional): return "\(field.key)@\(bit):|false|true"
    case (.flag, _): return "\(field.key)@\(bit):\(field.isLeftOut ? "" : "false")|true"
    case (.options, _): return "\(field.key)@\(bit):\(Choice.options.joined(separator: "+"))"
    case (.choice(let choice), _): return "\(field.key)@\(bit):\(words(choice, field))"
    default: return nil
    }
  }

  private static func words(_ choice: Choice, _ field: Field) -> String {
    var words = Array(repeating: "", count: choice.words.first?.number ?? 0)
    for word in choice.words {
      words.append(field.isLeftOut && field.absent == ".\(word.name)" ? "" : word.text)
    }
    return words.joined(separator: "|")
  }

  private static func following(_ field: Field, in kind: EventKind) -> [String] {
    switch field.slot {
    case .always: return ["\(field.key):\(type(field, in: kind))"]
    case .bit(let bit, _):
      let word = "\(field.key)?\(bit):\(type(field, in: kind))"
      if case .match(let nullBit, _) = field.type { return ["\(field.key)?\(nullBit):null", word] }
      return [word]
    case .shape(let bit):
      guard case .context = field.type else { return [] }
      return ["\(field.key)@\(bit):context"]
    }
  }

  private static func type(_ field: Field, in kind: EventKind) -> String {
    switch (field.type, field.presence) {
    case (.object, _), (.end, _): "obj"
    case (.objects, _): "obj*"
    case (.string, .requiredExcept(kind.name)): "sid"
    case (.string, .required), (.string, .requiredExcept): "text"
    case (.stringOrNumber, .required), (.text, .required), (.text, .optional): "text"
    case (.string, _), (.stringOrNumber, _), (.text, _): "sid"
    case (.strings, _), (.keyPaths, _): "text*"
    case (.identifier, _), (.match, _): "id"
    case (.choice(let choice), _): words(choice, field)
    case (.flag, _): "false|true"
    case (.number, _): "u"
    case (.count, _), (.schema, _): "u63"
    case (.short, _): "u32"
    case (.byte, _): "u8"
    case (.signed, _): "zigzag"
    case (.address, _): "address"
    case (.rules, _): "rule*"
    case (.context, _), (.options, _), (.fields, _): preconditionFailure("\(field.key)")
    }
  }
}
