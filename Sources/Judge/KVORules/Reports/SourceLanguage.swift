private import KVOTrace

/// The language of the code that advice is for.
package enum SourceLanguage: Hashable, Sendable, CaseIterable {
  case swift
  /// Objective-C, and Objective-C++, which has more reserved words.
  case objectiveC

  /// The object that a call is sent to, named as its class, in lower case; `…` if a programmer would choose another name:
  /// that of a `UITableView`, or of a class whose name is a reserved word.
  package func variable(of className: String) -> String {
    let type = className.plainTypeName
    guard type[...].isWord, let first = type.first, first.isUppercase,
      type.dropFirst().first?.isUppercase != true
    else { return "…" }
    let name = first.lowercased() + type.dropFirst()
    return reserves(name) || name == "self" ? "…" : name
  }

  /// `text` as the content of a string literal, without the quotes around it.
  ///
  /// A backtick is escaped too: in advice it ends the code.
  package func literal(_ text: String) -> String {
    var literal = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", "\"": literal += "\\\(scalar)"
      case "\n": literal += #"\n"#
      case "\r": literal += #"\r"#
      case "\t": literal += #"\t"#
      case _ where scalar == "`" || scalar.actsOnTerminals: literal += escape(scalar)
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return literal
  }

  /// By its number; of its bytes in Objective-C, where only some characters have an escape by their number.
  private func escape(_ scalar: Unicode.Scalar) -> String {
    switch self {
    case .swift: return "\\u{\(String(scalar.value, radix: 16))}"
    case .objectiveC:
      return String(scalar).utf8.map { byte in
        let digits = String(byte, radix: 8)
        return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
      }.joined()
    }
  }

  /// Whether `text` can be the name of a property: letters, digits and underscores, of which the first is not a digit.
  package static func isName(_ text: String) -> Bool { text[...].isWord }

  /// Whether an argument of a call can be written like this: a name, or several with periods between them, also with the
  /// `&` of an address before them.
  func isArgument(_ text: String) -> Bool {
    let names = (text.first == "&" ? text.dropFirst() : text[...])
      .split(separator: ".", omittingEmptySubsequences: false)
    return names.allSatisfy(\.isWord) && !reserves(String(names[0]))
  }

  /// Whether the language reserves `name`: Swift has such a variable in backticks only, Objective-C has none.
  private func reserves(_ name: String) -> Bool {
    switch self {
    case .swift: Self.wordsOfSwift.contains(name)
    case .objectiveC: Self.wordsOfC.contains(name)
    }
  }

  /// The words of declarations, statements and expressions in lowercase.
  private static let wordsOfSwift: Set<String> = [
    "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer",
    "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
    "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil",
    "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows",
    "return", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true",
    "try", "typealias", "var", "where", "while",
  ]

  /// The keywords of C and C++ in lowercase, and the names that Objective-C's headers define.
  private static let wordsOfC: Set<String> = [
    "alignas", "alignof", "and", "asm", "assert", "auto", "bitand", "bitor", "bool", "break",
    "case", "catch", "char", "class", "compl", "complex", "concept", "const", "consteval",
    "constexpr", "constinit", "continue", "decltype", "default", "delete", "do", "double", "else",
    "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "id", "if",
    "inline", "int", "long", "mutable", "namespace", "new", "nil", "noexcept", "not", "nullptr",
    "operator", "or", "private", "protected", "public", "register", "requires", "restrict",
    "return", "short", "signed", "sizeof", "static", "struct", "super", "switch", "template",
    "this", "throw", "true", "try", "typedef", "typeid", "typename", "typeof", "union",
    "unsigned", "using", "virtual", "void", "volatile", "while", "xor",
  ]
}
