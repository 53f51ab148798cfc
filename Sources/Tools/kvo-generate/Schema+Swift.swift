import KVOSchema

/// What the parts of the generator that make Swift have in common.
extension Body {
  /// What stands before the name of a field: the variable that holds the structure, if there is one.
  var base: String { type == nil ? "" : "\(name)." }

  /// The fields in the order in which an initializer or a case takes them.
  var arguments: [Field] { fields.filter(\.isLeading) + fields.filter { !$0.isLeading } }

  /// The field that is required in all events of the body but one.
  private var requiredExcept: Field? { fields.first(where: \.isRequiredSometimes) }

  /// The argument for it in a call for an event that contains the body; nothing if the field is required there.
  func requiredArgument(in kind: EventKind?) -> String {
    guard case .requiredExcept(let event) = requiredExcept?.presence, event == kind?.name,
      let requiredFlag
    else { return "" }
    return ", \(requiredFlag): false"
  }

  /// The parameter that says whether that field is.
  var requiredFlag: String? {
    requiredExcept.map { "is\($0.name.prefix(1).uppercased())\($0.name.dropFirst())Required" }
  }

  var hasEnds: Bool {
    fields.contains { if case .end = $0.type { true } else { false } }
  }

  /// `name`, or `self.name` if a variable of the body hides it.
  func method(_ name: String) -> String {
    let isHidden = type == nil && fields.contains { $0.name == name }
    return isHidden ? "self.\(name)" : name
  }

  /// The same in code that has a local variable for each field.
  func reader(_ name: String) -> String {
    let isHidden = name == "shape" || fields.contains { $0.name == name }
    return isHidden ? "self.\(name)" : name
  }

  /// The construction of the structure, or of the case of `Event.Body`, with a value for each field.
  ///
  /// - Parameters:
  ///   - caseName: the case, if there is no structure.
  ///   - flag: the value of the flag that a `null` of a field is in Swift.
  ///   - unsaidKinds: which ends of a reference have no kind.
  ///   - value: the value of a field.
  /// - Returns: the expression.
  func construction(
    _ caseName: String,
    flag: (String) -> String = { $0 },
    unsaidKinds: String = "unsaid",
    _ value: (Field) -> String
  ) -> String {
    var list: [String] = []
    for field in arguments {
      let label = type == nil ? field.label ?? field.name : field.name
      list.append(label.isEmpty ? value(field) : "\(label): \(value(field))")
      if case .match(_, let name) = field.type { list.append("\(name): \(flag(name))") }
    }
    if hasEnds { list.append("unsaidKinds: \(unsaidKinds)") }
    return "\(type ?? ".\(caseName)")(\(list.joined(separator: ", ")))"
  }
}

extension EventKind {
  /// A pattern that binds what the event holds.
  var pattern: String {
    let names = body.type == nil ? body.arguments.map(\.name) : [body.name]
    return ".\(caseName)(\(names.map { "let \($0)" }.joined(separator: ", ")))"
  }

  /// All events, those with one body together.
  static var byBody: [[EventKind]] {
    var groups: [[EventKind]] = []
    for kind in all {
      if let index = groups.firstIndex(where: { $0[0].body.name == kind.body.name }) {
        groups[index].append(kind)
      } else {
        groups.append([kind])
      }
    }
    return groups
  }
}

extension Body {
  /// All bodies, in the order of their events.
  static var all: [Body] { EventKind.byBody.map { $0[0].body } }

  /// Those that are structures.
  static var structures: [Body] { all.filter { $0.type != nil } }
}

extension Field {
  /// The type of a local variable that holds the field; nil: what it is made from says it.
  ///
  /// - Parameters:
  ///   - isOptional: whether it is nil if the field is absent.
  ///   - isConditional: whether what it is made from is one of two values.
  /// - Returns: the annotation with its colon, or nothing.
  func annotation(isOptional: Bool, isConditional: Bool = false) -> String {
    let type: String
    switch self.type {
    case .string, .stringOrNumber:
      guard isConditional else { return "" }
      return ": StringID"
    case .identifier(let name): type = name
    case .match: type = "RegistrationID"
    case .choice(let choice): type = choice.type
    case .count, .schema, .short, .byte, .signed: type = "Int"
    case .number, .address: type = "UInt64"
    default: return ""
    }
    return ": \(type)\(isOptional ? "?" : "")"
  }

  /// What it is if it is absent.
  var absent: String {
    if case .defaults(let expression, _, _) = presence { return expression }
    switch type {
    case .string, .stringOrNumber: return ".none"
    case .objects, .strings, .keyPaths, .options, .rules: return "[]"
    case .context: return ".unspecified"
    default: return "nil"
    }
  }

  /// Whether what it is if it is absent depends on other fields: it is then put in at the end.
  var isInferred: Bool { absent.contains("(") }

  var isRequiredSometimes: Bool {
    if case .requiredExcept = presence { true } else { false }
  }

  var isRequired: Bool {
    switch presence {
    case .required, .requiredExcept: true
    case .optional, .defaults: false
    }
  }

  /// Whether the writer leaves it out if it is its default.
  var isLeftOut: Bool {
    if case .defaults(_, _, let isWritten) = presence { !isWritten } else { false }
  }
}
