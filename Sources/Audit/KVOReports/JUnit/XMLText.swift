import KVOTrace

/// Writes XML elements, two spaces a level.
struct XMLText {
  private var text = #"<?xml version="1.0" encoding="UTF-8"?>"# + "\n"
  private var depth = 0

  var bytes: [UInt8] { Array(text.utf8) }

  /// Writes an element whose content `body` writes.
  mutating func element(
    _ name: String,
    _ attributes: KeyValuePairs<String, String> = [:],
    _ body: (inout XMLText) -> Void
  ) {
    begin(name, attributes)
    text += ">\n"
    depth += 1
    body(&self)
    depth -= 1
    text += indentation + "</\(name)>\n"
  }

  /// Writes an element that has text and no elements in it; without text it is empty.
  mutating func element(
    _ name: String,
    _ attributes: KeyValuePairs<String, String> = [:],
    text content: String = ""
  ) {
    begin(name, attributes)
    text += content.isEmpty ? "/>\n" : ">\(Self.escaped(content))</\(name)>\n"
  }

  private mutating func begin(_ name: String, _ attributes: KeyValuePairs<String, String>) {
    text += "\(indentation)<\(name)"
    for (key, value) in attributes {
      text += " \(key)=\"\(Self.escaped(value, isAttribute: true))\""
    }
  }

  private var indentation: String { String(repeating: "  ", count: depth) }

  /// `text` without the characters that are special in XML or to a terminal, or that XML 1.0 cannot hold.
  ///
  /// A line of an attribute could be one that a CI server takes for a command: it stays on its line.
  private static func escaped(_ text: String, isAttribute: Bool = false) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n" where isAttribute: result += "&#10;"
      case "\t" where isAttribute: result += "&#9;"
      case "\n", "\t": result.unicodeScalars.append(scalar)
      case _ where scalar.actsOnTerminals || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
