/// A value in the text format in which Foundation describes collections.
///
/// Strings other than words are quoted; collections take several lines, one for each element.
enum PropertyListText {
  /// A string, which may need quotes.
  case text(String)
  /// A text that is written unchanged.
  case verbatim(String)
  case list([PropertyListText])
  case set([PropertyListText])
  case dictionary([(String, PropertyListText)])

  /// The text of any value.
  ///
  /// Elements of sets, and entries of dictionaries, are sorted by their text, so that equal values are
  /// described equally.
  init(_ value: Any) {
    switch Optional(value).flattened {
    case nil:
      self = .verbatim("<null>")
    case let string as any StringProtocol:
      self = .text(String(string))
    case let bool as Bool:
      self = .verbatim(bool ? "1" : "0")
    case let dictionary as [AnyHashable: Any]:
      let entries = dictionary.map { ("\($0.key.base)", PropertyListText($0.value)) }
      self = .dictionary(Self.order(of: entries.map(\.0)).map { entries[$0] })
    case let set as Set<AnyHashable>:
      let elements = set.map { PropertyListText($0.base) }
      self = .set(Self.order(of: elements.map { $0.written() }).map { elements[$0] })
    case let range as any RangeExpression:
      // Not its elements, of which there may be any number.
      self = .verbatim("\(range)")
    case let list as any RandomAccessCollection:
      self = .list(list.map { PropertyListText($0) })
    case .some(let other):
      self = .verbatim("\(other)")
    }
  }

  /// The indices of `texts`, sorted by text.
  ///
  /// Indices, because the compiler specializes the sort for each type of element, and its code for a large enumeration
  /// takes 16 KB of every observed program.
  private static func order(of texts: [String]) -> [Int] {
    texts.indices.sorted { texts[$0] < texts[$1] }
  }

  /// The text, at an indentation of `level` steps of four.
  func written(level: Int = 0) -> String {
    switch self {
    case .text(let string): Self.quotedIfNeeded(string)
    case .verbatim(let text): text
    case .list(let elements): Self.list(elements, "(", ")", level)
    case .set(let elements): Self.list(elements, "{(", ")}", level)
    case .dictionary(let entries): Self.dictionary(entries, level)
    }
  }

  private static func list(
    _ elements: [PropertyListText],
    _ open: String,
    _ close: String,
    _ level: Int
  ) -> String {
    let lines = elements.map { indentation(level + 1) + $0.written(level: level + 1) }
    return "\(open)\n\(lines.joined(separator: ",\n"))\(lines.isEmpty ? "" : "\n")"
      + "\(indentation(level))\(close)"
  }

  private static func dictionary(_ entries: [(String, PropertyListText)], _ level: Int) -> String {
    let lines = entries.map { key, value in
      // A collection is as far from its key as the key is indented.
      let gap = value.isCollection ? indentation(level + 1) : ""
      return "\(indentation(level + 1))\(quotedIfNeeded(key)) = \(gap)"
        + "\(value.written(level: level + 1));\n"
    }
    return "{\n\(lines.joined())\(indentation(level))}"
  }

  private var isCollection: Bool {
    switch self {
    case .text, .verbatim: false
    case .list, .set, .dictionary: true
    }
  }

  private static func indentation(_ level: Int) -> String {
    String(repeating: " ", count: 4 * level)
  }

  private static func quotedIfNeeded(_ string: String) -> String {
    let isWord = string.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"):
        true
      default: false
      }
    }
    guard !isWord || string.isEmpty else { return string }
    var quoted = "\""
    for character in string {
      switch character {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      default: quoted.append(character)
      }
    }
    return quoted + "\""
  }
}
