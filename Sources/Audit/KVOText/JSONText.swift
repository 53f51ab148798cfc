import KVOTrace
import KVOTraceJSON

/// Writes JSON with its keys in the order in which they are given, two spaces a level.
package struct JSONText {
  package private(set) var bytes: [UInt8] = []
  private var depth = 0

  /// Creates a text, or one that is put into another at `depth`.
  package init(depth: Int = 0) { self.depth = depth }

  /// Writes an object; `body` writes its keys.
  package mutating func object(_ body: (inout JSONText) -> Void) {
    enclose("{", "}", body)
  }

  /// Writes a list; `write` writes each element.
  package mutating func list<Element>(
    _ elements: [Element],
    _ write: (inout JSONText, Element) -> Void
  ) {
    enclose("[", "]") { text in
      for element in elements {
        text.separate()
        write(&text, element)
      }
    }
  }

  /// Writes a key; the value must follow.
  package mutating func key(_ key: String) {
    separate()
    bytes.append(jsonString: key)
    bytes.append(contentsOf: ": ".utf8)
  }

  package mutating func value(_ text: String?) {
    guard let text else { return null() }
    bytes.append(jsonString: text)
  }

  package mutating func value(_ number: Int?) {
    guard let number else { return null() }
    bytes.append(decimal: number)
  }

  package mutating func value(_ number: UInt64) {
    bytes.append(decimal: number)
  }

  package mutating func value(_ flag: Bool) {
    bytes.append(contentsOf: (flag ? "true" : "false").utf8)
  }

  package mutating func null() {
    bytes.append(contentsOf: "null".utf8)
  }

  /// Writes an address as `"0x…"`, null for nil.
  package mutating func address(_ address: UInt64?) {
    guard let address else { return null() }
    bytes.append(jsonAddress: address)
  }

  /// Writes numbers in one line, as `[1, 2, 3]`.
  package mutating func numbers(_ numbers: [Int]) {
    bytes.append(UInt8(ascii: "["))
    for (index, number) in numbers.enumerated() {
      if index > 0 { bytes.append(contentsOf: ", ".utf8) }
      bytes.append(decimal: number)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// Ends the text with a newline.
  package mutating func end() { bytes.append(UInt8(ascii: "\n")) }

  private mutating func enclose(
    _ open: Unicode.Scalar,
    _ close: Unicode.Scalar,
    _ body: (inout JSONText) -> Void
  ) {
    bytes.append(UInt8(ascii: open))
    let start = bytes.count
    depth += 1
    body(&self)
    depth -= 1
    if bytes.count > start { newLine() }
    bytes.append(UInt8(ascii: close))
  }

  /// Starts the next element of an object or list on a separate line.
  private mutating func separate() {
    let last = bytes.last
    if last != UInt8(ascii: "{"), last != UInt8(ascii: "[") { bytes.append(UInt8(ascii: ",")) }
    newLine()
  }

  private mutating func newLine() {
    bytes.append(UInt8(ascii: "\n"))
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
  }
}
