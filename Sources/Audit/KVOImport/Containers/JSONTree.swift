/// A JSON text as a flat list of its values, in order of occurrence.
///
/// Made for crash reports: a hundred kilobytes, of which a dozen values matter. Nothing is decoded until it is
/// requested, and parsing is not recursive, so that hostile nesting costs a counter instead of stack.
struct JSONTree {
  enum Kind: UInt8 {
    case object
    case list
    case string
    /// A number, `true`, `false` or `null`.
    case other
  }

  struct Node {
    var kind: Kind
    /// The range of its text, without quotation marks.
    var start: Int32
    var end: Int32
    /// The node after it and all its descendants.
    var next: Int32
    /// The node of its key, or -1.
    var key: Int32
  }

  /// Why a text is not JSON.
  struct Problem: Error, Hashable {
    /// The byte in the text.
    var offset: Int
    var message: String
  }

  let bytes: ArraySlice<UInt8>
  private(set) var nodes: [Node] = []
  /// Where the value ends.
  private(set) var end: Int
  /// The line of the input that `bytes` begin with.
  let firstLine: Int

  /// How deep values may be nested.
  static let depthLimit = 512

  /// Reads the value at the start of `bytes`.
  ///
  /// - Parameters:
  ///   - bytes: may have more after the value.
  ///   - firstLine: the line of the input that they begin with.
  /// - Throws: ``Problem`` if there is none, or it does not end.
  /// - Complexity: O(length).
  init(_ bytes: ArraySlice<UInt8>, firstLine: Int = 1) throws(Problem) {
    self.bytes = bytes
    self.firstLine = firstLine
    end = bytes.startIndex
    try read()
  }

  private mutating func read() throws(Problem) {
    var open: [Int] = []
    var key: Int32 = -1
    var position = bytes.startIndex
    while true {
      position = skipBlanks(position)
      guard position < bytes.endIndex else {
        throw problem(position, "the text ends inside a value")
      }
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard open.count < Self.depthLimit else {
          throw problem(position, "values are nested deeper than \(Self.depthLimit)")
        }
        append(byte == UInt8(ascii: "{") ? .object : .list, position, position, key)
        key = -1
        open.append(nodes.count - 1)
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard let last = open.popLast(),
          (nodes[last].kind == .object) == (byte == UInt8(ascii: "}"))
        else { throw problem(position, "\"\(Character(Unicode.Scalar(byte)))\" closes nothing") }
        position += 1
        nodes[last].next = Int32(nodes.count)
        nodes[last].end = Int32(position)
      case UInt8(ascii: ","), UInt8(ascii: ":"): position += 1
      case UInt8(ascii: "\""):
        let close = try endOfString(position + 1)
        let colon = skipBlanks(close + 1)
        let isKey =
          key < 0 && open.last.map { nodes[$0].kind == .object } == true
          && colon < bytes.endIndex && bytes[colon] == UInt8(ascii: ":")
        append(.string, position + 1, close, isKey ? -2 : key)
        key = isKey ? Int32(nodes.count - 1) : -1
        position = close + 1
      default:
        let stop =
          bytes[position...].firstIndex { byte in
            byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
              || byte <= 0x20
          } ?? bytes.endIndex
        guard stop > position, byte.isNamePart || byte == UInt8(ascii: "-") else {
          throw problem(position, "no value begins with \"\(Character(Unicode.Scalar(byte)))\"")
        }
        append(.other, position, stop, key)
        key = -1
        position = stop
      }
      if open.isEmpty, !nodes.isEmpty { break }
    }
    end = position
  }

  private mutating func append(_ kind: Kind, _ start: Int, _ end: Int, _ key: Int32) {
    nodes.append(
      Node(kind: kind, start: Int32(start), end: Int32(end), next: Int32(nodes.count + 1), key: key)
    )
  }

  private func problem(_ position: Int, _ message: String) -> Problem {
    Problem(offset: position - bytes.startIndex, message: message)
  }

  private func skipBlanks(_ position: Int) -> Int {
    var position = position
    while position < bytes.endIndex, bytes[position] <= 0x20 { position += 1 }
    return position
  }

  private func endOfString(_ start: Int) throws(Problem) -> Int {
    var position = start
    while position < bytes.endIndex {
      switch bytes[position] {
      case UInt8(ascii: "\""): return position
      case UInt8(ascii: "\\"): position += 2
      default: position += 1
      }
    }
    throw problem(start - 1, "a string has no end")
  }
}

extension JSONTree {
  /// The values of the object or list at `node`; those of an object are after their keys.
  func values(of node: Int) -> [Int] {
    guard nodes[node].kind == .object || nodes[node].kind == .list else { return [] }
    var result: [Int] = []
    var at = node + 1
    while at < Int(nodes[node].next) {
      if nodes[at].key != -2 { result.append(at) }
      at = Int(nodes[at].next)
    }
    return result
  }

  /// The value under `name` of the object at `node`.
  subscript(node: Int, name: String) -> Int? {
    guard nodes[node].kind == .object else { return nil }
    var at = node + 1
    while at < Int(nodes[node].next) {
      if nodes[at].key >= 0, isKey(Int(nodes[at].key), name) { return at }
      at = Int(nodes[at].next)
    }
    return nil
  }

  /// The value at the path `names` from `node`.
  func value(_ node: Int, _ names: String...) -> Int? {
    names.reduce(node) { at, name in at.flatMap { self[$0, name] } }
  }

  /// The line of the input in which the value at `node` begins.
  ///
  /// - Complexity: O(length before it).
  func line(of node: Int) -> Int {
    var lines = AscendingLines(self)
    return lines.line(of: node)
  }

  /// The lines in which values begin, for nodes in ascending order.
  ///
  /// - Complexity: O(length) for all of them together.
  struct AscendingLines {
    private let tree: JSONTree
    private var line: Int
    private var counted: Int

    init(_ tree: JSONTree) {
      self.tree = tree
      line = tree.firstLine
      counted = tree.bytes.startIndex
    }

    mutating func line(of node: Int) -> Int {
      let start = Int(tree.nodes[node].start)
      line += LineCounter.count(in: tree.bytes[counted..<start])
      counted = start
      return line
    }
  }

  /// The text of a string, its escapes resolved once; nil if one of them is invalid.
  static func unescaped(_ raw: ArraySlice<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    var position = raw.startIndex
    while position < raw.endIndex {
      guard raw[position] == UInt8(ascii: "\\") else {
        result.append(raw[position])
        position += 1
        continue
      }
      guard position + 1 < raw.endIndex else { return nil }
      switch raw[position + 1] {
      case UInt8(ascii: "n"): result.append(0x0a)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "r"), UInt8(ascii: "b"), UInt8(ascii: "f"): result.append(0x20)
      case UInt8(ascii: "u"):
        let digits = raw[(position + 2)...].prefix(4)
        guard digits.count == 4,
          let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { return nil }
        result += Array(String(Unicode.Scalar(code) ?? "?").utf8)
        position += 4
      default: result.append(raw[position + 1])
      }
      position += 2
    }
    return result
  }

  func isKey(_ node: Int, _ name: String) -> Bool {
    // Most names have other lengths.
    Int(nodes[node].end - nodes[node].start) == name.utf8.count
      && raw(node).elementsEqual(name.utf8)
  }

  /// The key of the value at `node`, or nil.
  func key(of node: Int) -> String? {
    nodes[node].key < 0 ? nil : String(decoding: raw(Int(nodes[node].key)), as: UTF8.self)
  }

  func raw(_ node: Int) -> ArraySlice<UInt8> {
    bytes[Int(nodes[node].start)..<Int(nodes[node].end)]
  }

  /// The string or number at `node`, with its escapes resolved as far as names need it.
  func text(_ node: Int?) -> String? {
    guard let node, nodes[node].kind == .string || nodes[node].kind == .other else { return nil }
    let raw = raw(node)
    let text = String(decoding: raw, as: UTF8.self)
    if nodes[node].kind == .other, text == "null" { return nil }
    guard raw.contains(UInt8(ascii: "\\")) else { return text }
    return CleanText(raw).string
  }

  func number(_ node: Int?) -> Int? { text(node).flatMap { Int($0) } }

  /// An address, as a number or in hexadecimal.
  func address(_ node: Int?) -> UInt64? {
    guard let text = text(node) else { return nil }
    return text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
  }

  func isTrue(_ node: Int?) -> Bool { node.map { raw($0).elementsEqual("true".utf8) } ?? false }
}
