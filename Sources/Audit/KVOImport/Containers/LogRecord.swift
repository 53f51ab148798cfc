/// A JSON object that a log collector writes for each line that a program prints.
///
/// See the `json-file` driver of Docker, `journalctl -o json`, `LogEntry` of Google Cloud, `log show --style ndjson`,
/// Bunyan and Pino, and Fluentd.
enum LogRecord {
  /// The keys of the printed text.
  private static let messageKeys = [
    "log", "MESSAGE", "textPayload", "eventMessage", "message", "msg", "@message", "_raw", "line",
  ]
  /// The keys of objects that hold the text in turn, as search engines write them.
  private static let holders = ["_source", "jsonPayload", "result", "attributes"]
  /// The keys that a record has besides its text, each of them a moment, a level or a source.
  private static let marks = [
    "stream", "time", "timestamp", "ts", "@timestamp", "_time", "level", "severity", "PRIORITY",
    "__REALTIME_TIMESTAMP", "_PID", "_index", "logName", "container_id", "container_name",
  ]
  /// Objects and lists under these keys belong to an event of a crash service, which has stacks of its own.
  private static let reportKeys = [
    "crash", "entries", "error", "err", "exception", "exceptions", "frames", "stacktrace",
    "threads",
  ]

  /// The value that holds the text of the record at `node`; nil if the object is not a record.
  static func message(_ tree: JSONTree, _ node: Int = 0) -> Int? {
    guard tree.nodes[node].kind == .object, tree[node, "bug_type"] == nil,
      !reportKeys.contains(where: { key in tree[node, key].map { !isText(tree, $0) } ?? false })
    else { return nil }
    let objects = [node] + holders.compactMap { tree[node, $0] }
    guard objects.contains(where: { object in marks.contains { tree[object, $0] != nil } }) else {
      return nil
    }
    for holder in objects {
      for key in messageKeys {
        guard let value = tree[holder, key] else { continue }
        if tree.nodes[value].kind == .string || isBytes(tree, value) { return value }
      }
    }
    return nil
  }

  private static func isText(_ tree: JSONTree, _ node: Int) -> Bool {
    tree.nodes[node].kind == .string || tree.nodes[node].kind == .other
  }

  /// Whether the value is a list of bytes, in which journald writes a message with control characters.
  private static func isBytes(_ tree: JSONTree, _ node: Int) -> Bool {
    guard tree.nodes[node].kind == .list else { return false }
    let values = tree.values(of: node)
    return !values.isEmpty && values.allSatisfy { byte(tree, $0) != nil }
  }

  private static func byte(_ tree: JSONTree, _ node: Int) -> UInt8? {
    UInt8(String(decoding: tree.raw(node), as: UTF8.self))
  }

  /// The text of a message in one line, and whether a line end follows it: the one at its end is removed, and those inside it
  /// remain escaped.
  static func line(_ tree: JSONTree, message node: Int) -> (bytes: [UInt8], isEnded: Bool) {
    if tree.nodes[node].kind == .list {
      let bytes = tree.values(of: node).compactMap { byte(tree, $0) }
      return ended(bytes.flatMap { $0 == 0x0a ? Array("\\n".utf8) : [$0] })
    }
    return ended(unescaped(tree.raw(node)))
  }

  private static func ended(_ bytes: [UInt8]) -> (bytes: [UInt8], isEnded: Bool) {
    for end in ["\\r\\n", "\\n"] where bytes[...].ends(with: end) {
      return (bytes.dropLast(end.utf8.count), true)
    }
    return (bytes, false)
  }

  /// `raw` without the escapes of JSON, except for those of line ends and of what is not ASCII.
  private static func unescaped(_ raw: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(raw.count)
    var rest = raw
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
        result.append(byte)
        continue
      }
      switch escape {
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "\""), UInt8(ascii: "/"), UInt8(ascii: "\\"): result.append(escape)
      case UInt8(ascii: "u"):
        let code = UInt8(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16)
        if let code, code == 0x1b || (0x20..<0x7f).contains(code) {
          result.append(code)
          rest = rest.dropFirst(4)
        } else {
          result += [byte, escape]
        }
      default: result += [byte, escape]
      }
    }
    return result
  }

  /// The moment of the record at `node`, as spelled.
  static func moment(_ tree: JSONTree, _ node: Int) -> String? {
    for key in ["timestamp", "time", "@timestamp", "ts"] {
      if let text = tree.text(tree[node, key]) { return text }
    }
    return nil
  }
}
