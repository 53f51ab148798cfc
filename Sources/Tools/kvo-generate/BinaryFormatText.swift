import KVOSchema

/// The table of `Documentation/BinaryLogFormat.md`.
enum BinaryFormatText {
  static var text: String {
    var source = SourceText()
    source.lines(["| kind | event | fields |", "|---|---|---|"])
    for kinds in EventKind.byBody {
      let first = kinds[0]
      // A table has its rows by number.
      let others = kinds.dropFirst()
      let numbers = kinds.map { "\($0.number)" }.joined(separator: ", ")
      precondition(
        others.enumerated().allSatisfy { $1.number == first.number + $0 + 1 },
        "\(first.body.name): its events have numbers that are apart"
      )
      let names = kinds.map { "`\($0.name)`" }.joined(separator: ", ")
      source.line("| \(numbers) | \(names) | \(fields(of: first.body)) |")
    }
    return source.text
  }

  private static func fields(of body: Body) -> String {
    var always: [String] = []
    var others: [String] = []
    for piece in body.pieces {
      switch piece {
      case .shape: always.append("shape (\(shape(of: body)))")
      case .field(let field):
        if case .always = field.slot {
          always.append(following(field))
        } else {
          others.append(following(field))
        }
      }
    }
    if others.isEmpty { return always.joined(separator: ", ") }
    return "\(always.joined(separator: ", ")), then those of: \(others.joined(separator: ", "))"
  }

  private static func shape(of body: Body) -> String {
    var parts: [(bit: Int, text: String)] = []
    for field in body.fields {
      let last = field.shift + field.width - 1
      let bits = field.width > 1 ? "\(field.shift)–\(last)" : "\(field.shift)"
      switch (field.slot, field.type, field.presence) {
      case (.bit(let bit, _), _, _): parts.append((bit, "\(bit) \(field.key)"))
      case (.shape(let bit), .context, _):
        parts.append((bit, "\(bits) \(field.key): 0 absent, 1 null, 2 named"))
      case (.shape(let bit), .options, _):
        parts.append((bit, "\(bits) \(field.key): \(Choice.options.joined(separator: ", "))"))
      case (.shape(let bit), .flag, .optional):
        parts.append((bit, "\(bits) \(field.key): 0 not said, 1 false, 2 true"))
      case (.shape(let bit), .flag, _):
        parts.append((bit, "\(bits) \(field.key), the flag itself"))
      case (.shape(let bit), .choice(let choice), .optional):
        let words = choice.words.map { "\($0.number) \($0.text)" }.joined(separator: ", ")
        parts.append((bit, "\(bits) \(field.key): 0 not said, \(words)"))
      case (.shape(let bit), _, _): parts.append((bit, "\(bits) \(field.key)"))
      case (.always, _, _): break
      }
      switch field.type {
      case .match(let bit, _):
        parts.append((bit, "\(bit) `\(field.key)` is null, which \(field.shift) overrides"))
      case .end(let bit): parts.append((bit, "\(bit) the kind of `\(field.key)` is not said"))
      default: break
      }
    }
    return parts.sorted { $0.bit < $1.bit }.map(\.text).joined(separator: "; ")
  }

  private static func following(_ field: Field) -> String {
    switch field.type {
    case .object, .end: "\(field.key) obj"
    case .objects: "\(field.key) count *u*, as many obj"
    case .string, .stringOrNumber, .text: "\(field.key) sid"
    case .strings, .keyPaths: "\(field.key) count *u*, as many sid"
    case .identifier, .match: "\(field.key) id"
    case .choice: "\(field.key) choice"
    case .flag: "\(field.key) flag"
    case .number, .count, .schema, .address: "\(field.key) *u*"
    case .short: "\(field.key) *u* up to 2³² − 1"
    case .byte: "\(field.key) *u* up to 255"
    case .signed: "\(field.key) *zigzag*"
    case .rules: "\(field.key) count *u*, as many numbers of rules *u*, up to 999"
    case .context: "\(field.key) sid"
    case .fields(let body): "those of `\(users(of: body))`"
    case .options: preconditionFailure("\(field.key) does not follow")
    }
  }

  private static func users(of body: Body) -> String {
    EventKind.all.last { $0.body.name == body.name }?.name ?? body.name
  }
}
