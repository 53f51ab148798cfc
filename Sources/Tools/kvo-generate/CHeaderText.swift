import KVOSchema

/// The headers for code in C that records.
enum CHeaderText {
  /// The numbers of the binary form.
  static var numbers: String {
    header("KVOS_NUMBERS_H", "The numbers of the binary form: Documentation/BinaryLogFormat.md.") {
      source in
      source.line("/// The kinds of records.")
      addEnumeration("", kinds, to: &source)
      for choice in Choice.all {
        source.line()
        let words = choice.words.map { (constant(choice.name, $0.name), $0.number) }
        addEnumeration(
          "KVOS\(choice.name.prefix(1).uppercased())\(choice.name.dropFirst())",
          words,
          to: &source
        )
      }
      addShapes(to: &source)
    }
  }

  /// What puts the fields of events in their order.
  static var fields: String {
    let note = """
      The order of the fields of a record. Strings, ids and objects are the numbers of the log, and one that
      // is 0 is none. Of an event with a list, the list is empty.
      """
    return header("KVOS_FIELDS_H", note) { source in
      source.lines([
        "#include <stdbool.h>",
        "#include <stdint.h>",
        "",
        "/// An object: its id, and the number of its class times four with its kind.",
        "typedef struct {",
        "  uint64_t id, type;",
        "} KVOSObjectField;",
        "",
        "/// A context: 0 absent, 1 null, 2 the string.",
        "typedef struct {",
        "  uint64_t form, name;",
        "} KVOSContextField;",
      ])
      for body in bodies { add(body, to: &source) }
    }
  }

  /// Those that code in C records.
  private static let bodies: [Body] = [
    .process, .module, .threadName, .registration, .registrationEnd, .refusal, .removal,
    .cancellation, .delivery, .deallocation, .scope, .scopeEnd, .classChange, .declaration, .crash,
    .loss,
    .exit,
  ]

  private static func header(
    _ guardName: String,
    _ note: String,
    _ body: (inout SourceText) -> Void
  ) -> String {
    var source = SourceText()
    source.lines(["// \(SourceText.notice)", "//", "// \(note)", ""])
    source.lines(["#ifndef \(guardName)", "#define \(guardName)", ""])
    body(&source)
    source.lines(["", "#endif"])
    return source.text
  }

  private static var kinds: [(String, Int)] {
    EventKind.all.map { (constant("kind", $0.name), $0.number) }
      + OtherRecord.all.map { (constant("kind", $0.name), $0.number) }
  }

  /// `KVOS_CANCEL_CAUSE_USER` of `cancelCause` and `user`.
  private static func constant(_ words: String...) -> String {
    var result = "KVOS"
    for word in words {
      result += "_"
      var wasLower = false
      for character in word {
        if character.isUppercase, wasLower { result += "_" }
        result += character.uppercased()
        wasLower = !character.isUppercase
      }
    }
    return result
  }

  private static func addEnumeration(
    _ name: String,
    _ constants: [(name: String, number: Int)],
    to source: inout SourceText
  ) {
    source.line(name.isEmpty ? "enum {" : "typedef enum {")
    for (index, constant) in constants.enumerated() {
      let comma = index + 1 < constants.count ? "," : ""
      source.line("  \(constant.name) = \(constant.number)\(comma)")
    }
    source.line(name.isEmpty ? "};" : "} \(name);")
  }

  /// The bits of the records that have functions of their own.
  private static func addShapes(to source: inout SourceText) {
    for body in Body.structures where body.frequency == .high {
      source.line()
      source.line(
        "/// The shape of a \(body.name): bits of the fields that follow, and where values begin."
      )
      for field in body.fields {
        switch field.slot {
        case .always: break
        case .bit(let bit, _):
          source.line("#define \(constant(body.name, "has", field.key)) \(1 << bit)u")
        case .shape(let bit):
          source.line("#define \(constant(body.name, field.key, "shift")) \(bit)u")
        }
      }
    }
  }

  // MARK: - Fields

  private static func type(_ body: Body) -> String {
    "KVOS\(body.name.prefix(1).uppercased())\(body.name.dropFirst())Fields"
  }

  private static func add(_ body: Body, to source: inout SourceText) {
    let users = EventKind.all.filter { $0.body.name == body.name }.map { "`\($0.name)`" }
    source.lines(["", "/// The fields of \(users.joined(separator: ", "))."])
    source.lines(["typedef struct {"] + members(of: body).map { "  \($0);" })
    source.lines(["} \(type(body));", ""])
    source.line("/// Puts them at `at`, in the order of the binary form; returns where they end.")
    source.line(
      "static inline uint64_t *\(function(body))(uint64_t *at, const \(type(body)) *of) {"
    )
    source.indent { source in
      for piece in body.pieces {
        switch piece {
        case .shape: addShape(of: body, to: &source)
        case .field(let field): source.lines(put(field))
        }
      }
      source.line("return at;")
    }
    source.line("}")
  }

  private static func function(_ body: Body) -> String {
    constant("put", body.name).lowercased()
  }

  private static func isOptionalNumber(_ field: Field) -> Bool {
    guard case .bit = field.slot else { return false }
    switch field.type {
    case .number, .count, .schema, .short, .byte, .address, .choice, .signed: return true
    default: return false
    }
  }

  private static func has(_ field: Field) -> String {
    "has\(field.key.prefix(1).uppercased())\(field.key.dropFirst())"
  }

  /// A name that C and C++ leave free.
  private static func name(_ field: Field) -> String {
    field.key == "class" ? "className" : field.key
  }

  private static func members(of body: Body) -> [String] {
    body.fields.flatMap { field -> [String] in
      let name = name(field)
      switch field.type {
      case .object: return ["KVOSObjectField \(name)"]
      case .end: return ["KVOSObjectField \(name)", "bool \(name)KindIsUnsaid"]
      case .objects, .strings, .keyPaths, .rules: return []
      case .context: return ["KVOSContextField \(name)"]
      case .fields(let inner): return ["\(type(inner)) \(inner.name)"]
      case .match(_, let flag): return ["uint64_t \(name)", "bool \(flag)"]
      case .flag:
        if case .optional = field.presence {
          return ["/// 0 not said, 1 false, 2 true.\n  uint64_t \(name)"]
        }
        return ["bool \(name)"]
      case .signed: return ["int64_t \(name)"]
      default:
        return isOptionalNumber(field)
          ? ["bool \(has(field))", "uint64_t \(name)"] : ["uint64_t \(name)"]
      }
    }
  }

  private static func isThere(_ field: Field) -> String {
    switch field.type {
    case .object: "of->\(name(field)).id"
    default: isOptionalNumber(field) ? "of->\(has(field))" : "of->\(name(field))"
    }
  }

  private static func addShape(of body: Body, to source: inout SourceText) {
    source.line("uint64_t shape = 0;")
    for field in body.fields.sorted(by: { $0.shift < $1.shift }) {
      let value = "of->\(name(field))"
      switch field.slot {
      case .always: break
      case .bit(let bit, _): source.line("if (\(isThere(field))) shape |= \(mask(bit));")
      case .shape(let bit):
        let shifted = bit == 0 ? "" : " << \(bit)"
        switch field.type {
        case .context: source.line("shape |= \(value).form\(shifted);")
        case .flag:
          if case .optional = field.presence {
            source.line("shape |= \(value)\(shifted);")
          } else {
            source.line("if (\(value)) shape |= \(mask(bit));")
          }
        case .options: source.line("shape |= (\(value) & \(field.widthMask))\(shifted);")
        default: source.line("shape |= \(value)\(shifted);")
        }
      }
      switch field.type {
      case .match(let bit, let flag): source.line("if (of->\(flag)) shape |= \(mask(bit));")
      case .end(let bit):
        source.line("if (of->\(name(field))KindIsUnsaid) shape |= \(mask(bit));")
      default: break
      }
    }
    source.line("*at++ = shape;")
  }

  private static func mask(_ bit: Int) -> String { bit == 0 ? "1" : "1u << \(bit)" }

  private static func put(_ field: Field) -> [String] {
    let value = "of->\(name(field))"
    let lines: [String]
    switch field.type {
    case .object, .end: lines = ["*at++ = \(value).id;", "*at++ = \(value).type;"]
    case .objects, .strings, .keyPaths, .rules: lines = ["*at++ = 0;"]
    case .context: return ["if (\(value).form == 2) *at++ = \(value).name;"]
    case .fields(let inner): lines = ["at = \(function(inner))(at, &of->\(inner.name));"]
    case .signed: lines = ["*at++ = (uint64_t)(\(value) << 1 ^ \(value) >> 63);"]
    default: lines = ["*at++ = \(value);"]
    }
    guard case .bit = field.slot else { return lines }
    if lines.count == 1 { return ["if (\(isThere(field))) \(lines[0])"] }
    return ["if (\(isThere(field))) {"] + lines.map { "  \($0)" } + ["}"]
  }
}
