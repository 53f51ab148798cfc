import KVORules
import KVOText

/// Builds the bytes of a page.
///
/// The content of a report may come from an untrusted source: texts and values of attributes are escaped, and the names
/// of elements and attributes can only be those in this source code.
struct HTMLText {
  /// The longest text of a report that a page shows at once, in Unicode scalars.
  static let textLimit = 1_000

  private(set) var bytes: [UInt8] = []

  init() {}

  /// Writes an element with the output of `content` in it.
  ///
  /// An attribute without a value is omitted; one with an empty value is written alone, as a flag.
  mutating func element(
    _ name: StaticString,
    _ attributes: KeyValuePairs<StaticString, String?> = [:],
    _ content: (inout HTMLText) -> Void
  ) {
    open(name, attributes)
    content(&self)
    bytes += Array("</".utf8)
    write(name)
    bytes.append(UInt8(ascii: ">"))
  }

  /// Writes an element with a text in it.
  mutating func element(
    _ name: StaticString,
    _ attributes: KeyValuePairs<StaticString, String?> = [:],
    text: String,
    limit: Int = HTMLText.textLimit
  ) {
    element(name, attributes) { $0.text(text, limit: limit) }
  }

  /// Writes the opening tag of an element; alone, if the element has no content.
  mutating func open(
    _ name: StaticString,
    _ attributes: KeyValuePairs<StaticString, String?> = [:]
  ) {
    bytes.append(UInt8(ascii: "<"))
    write(name)
    for (attribute, value) in attributes {
      guard let value else { continue }
      bytes.append(UInt8(ascii: " "))
      write(attribute)
      if value.isEmpty { continue }
      bytes += Array("=\"".utf8)
      text(value)
      bytes.append(UInt8(ascii: "\""))
    }
    bytes.append(UInt8(ascii: ">"))
  }

  /// Writes a line of a drawing, however many points it has.
  mutating func path(_ style: StaticString, _ points: String) {
    markup("<path class=\"")
    write(style)
    markup("\" d=\"")
    text(points, limit: .max)
    markup("\"></path>")
  }

  /// Writes a text so that a browser shows it as it is, control characters escaped, truncated if it is longer than
  /// `limit` Unicode scalars.
  ///
  /// Complexity: O(`limit`), plus O(length) to count what is cut.
  mutating func text(_ text: String, limit: Int = HTMLText.textLimit) {
    var shown = text
    var cutCount = 0
    if text.utf8.count > limit {
      let kept = text.unicodeScalars.prefix(limit)
      cutCount = text.unicodeScalars.count - kept.count
      if cutCount > 0 { shown = String(kept) }
    }
    for byte in ShownText.escaped(shown).utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += Array("&amp;".utf8)
      case UInt8(ascii: "<"): bytes += Array("&lt;".utf8)
      case UInt8(ascii: ">"): bytes += Array("&gt;".utf8)
      case UInt8(ascii: "\""): bytes += Array("&quot;".utf8)
      case UInt8(ascii: "'"): bytes += Array("&#39;".utf8)
      default: bytes.append(byte)
      }
    }
    if cutCount > 0 { bytes += Array("… (\(Wording.grouped(cutCount)) more characters)".utf8) }
  }

  /// Writes a text in which code is between backticks.
  mutating func prose(_ text: String) {
    let parts = text.split(separator: "`", maxSplits: 40, omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      // A backtick without a partner is only a backtick.
      if index.isMultiple(of: 2) {
        self.text(String(part))
      } else if index == parts.count - 1 {
        self.text("`" + part)
      } else {
        element("code", text: String(part))
      }
    }
  }

  /// Writes trusted markup of this program.
  mutating func markup(_ markup: StaticString) { write(markup) }

  /// Writes a file that is part of this program.
  mutating func markup(_ file: [UInt8]) { bytes += file }

  /// Writes a file that is part of this program from a line of its own on.
  mutating func block(_ file: [UInt8]) {
    line()
    markup(file)
  }

  /// Begins a new line of the file, which a browser does not show.
  mutating func line() { bytes.append(UInt8(ascii: "\n")) }

  private mutating func write(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }
}

extension HTMLText {
  /// A coordinate or a share as an attribute has it: with two digits after the point at most.
  static func number(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    let digits = hundredths.magnitude
    var text = "\(hundredths < 0 ? "-" : "")\(digits / 100)"
    if digits % 100 != 0 {
      text += digits % 100 < 10 ? ".0\(digits % 100)" : ".\(digits % 100)"
      if text.hasSuffix("0") { text.removeLast() }
    }
    return text
  }
}
