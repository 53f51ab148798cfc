/// The text of a document of JSON, a line for each string, without its frames.
struct JSONWords {
  private(set) var bytes: [UInt8] = []
  /// For each line of `bytes` the line of the input.
  private(set) var lines: [Int] = []
  /// Documents that are in strings, without their escapes, and the line of the string.
  private(set) var embedded: [(bytes: [UInt8], line: Int)] = []
  /// Whether they are the messages of a log.
  private(set) var isLog = false
  private let tree: JSONTree

  /// Collects the strings of `node` and all its descendants.
  ///
  /// - Parameters:
  ///   - tree: the document.
  ///   - node: the value in it.
  ///   - isSkipped: returns which values to skip.
  /// - Complexity: O(length).
  init(_ tree: JSONTree, _ node: Int = 0, isSkipped: (Int) -> Bool = { _ in false }) {
    self.tree = tree
    if let list = Self.records(tree, node) {
      isLog = true
      for (message, line) in list {
        append(LogRecord.line(tree, message: message).bytes[...], line)
      }
      return
    }
    var line = tree.line(of: node)
    var counted = Int(tree.nodes[node].start)
    var at = node
    let end = max(node + 1, Int(tree.nodes[node].next))
    while at < end {
      let item = tree.nodes[at]
      if item.key >= 0, isSkipped(at) || isSource(at) {
        at = Int(item.next)
        continue
      }
      let start = Int(item.start)
      if start > counted {
        line += LineCounter.count(in: tree.bytes[counted..<start])
        counted = start
      }
      if item.kind == .object, let reason = reason(of: at) {
        append(reason[...], line)
        at = Int(item.next)
        continue
      }
      if item.kind == .string, item.key != -2 {
        let raw = tree.raw(at)
        if Self.isDocument(raw), let inner = JSONTree.unescaped(raw) {
          embedded.append((inner, line))
        } else {
          append(raw, line)
        }
      }
      at += 1
    }
  }

  /// The messages of a list of log records, the oldest first, and their lines; nil if it is not one.
  ///
  /// Services give the newest first.
  private static func records(_ tree: JSONTree, _ node: Int) -> [(message: Int, line: Int)]? {
    guard tree.nodes[node].kind == .list else { return nil }
    var counted = Int(tree.nodes[node].start)
    var line = tree.line(of: node)
    var list: [(message: Int, line: Int)] = []
    var moments: [String] = []
    for record in tree.values(of: node) {
      guard let message = LogRecord.message(tree, record) else { return nil }
      let start = Int(tree.nodes[message].start)
      line += LineCounter.count(in: tree.bytes[counted..<start])
      counted = start
      list.append((message, line))
      if let moment = LogRecord.moment(tree, record) { moments.append(moment) }
    }
    guard list.count > 1 else { return nil }
    let isNewestFirst =
      moments.count == list.count && moments[0] > moments[moments.count - 1]
      && zip(moments, moments.dropFirst()).allSatisfy { $0 >= $1 }
    return isNewestFirst ? list.reversed() : list
  }

  /// Collects the messages of `records`, each of which is a log record.
  ///
  /// - Complexity: O(length).
  init(records: [JSONTree]) {
    tree = records[0]
    isLog = true
    for record in records {
      guard let message = LogRecord.message(record) else { continue }
      append(LogRecord.line(record, message: message).bytes[...], record.line(of: message))
    }
  }

  /// Whether the value at `node` is the code around a frame, as Sentry's events have it, or that of a notebook's cell.
  ///
  /// A line of it alone does not show what it is. See https://nbformat.readthedocs.io, and
  /// https://develop.sentry.dev/sdk/data-model/event-payloads/stacktrace/.
  private func isSource(_ node: Int) -> Bool {
    let key = Int(tree.nodes[node].key)
    if ["context_line", "pre_context", "post_context"].contains(where: { tree.isKey(key, $0) }) {
      return true
    }
    guard tree.isKey(key, "source") else { return false }
    var holder = key - 1
    while holder >= 0, Int(tree.nodes[holder].next) <= node { holder -= 1 }
    return holder >= 0 && tree.text(tree[holder, "cell_type"]) == "code"
  }

  /// Whether a string begins like a document: with a brace and a key, perhaps on a separate line.
  private static func isDocument(_ raw: ArraySlice<UInt8>) -> Bool {
    guard raw.first == UInt8(ascii: "{") else { return false }
    var rest = raw.dropFirst()
    while let first = rest.first {
      let next = rest.dropFirst().first ?? 0
      let isEscape = first == UInt8(ascii: "\\")
      if isEscape, next == UInt8(ascii: "\"") { return true }
      let isLineEnd =
        isEscape
        && (next == UInt8(ascii: "n") || next == UInt8(ascii: "t") || next == UInt8(ascii: "r"))
      guard isLineEnd || first == 0x20 else { return false }
      rest = rest.dropFirst(isLineEnd ? 2 : 1)
    }
    return false
  }

  private mutating func append(_ word: ArraySlice<UInt8>, _ line: Int) {
    let start = bytes.count
    bytes.append(contentsOf: word)
    bytes.append(0x0a)
    for byte in bytes[start...] where byte == 0x0a { lines.append(line) }
  }

  // MARK: - Reasons in parts

  /// The sentence of an exception that is given as a format and its arguments, as in MetricKit and reports of iOS 17;
  /// parts that the system redacted are reported as hidden.
  private func reason(of node: Int) -> [UInt8]? {
    guard let composed = tree[node, "composedMessage"] ?? tree[node, "composed_message"] else {
      return nil
    }
    let name =
      tree.text(tree[node, "exceptionName"] ?? tree[node, "name"] ?? tree[node, "exceptionType"])
      ?? "NSException"
    let message = Array(tree.raw(composed))
    let format = tree[node, "formatString"] ?? tree[node, "format_string"]
    let arguments = tree[node, "arguments"].map(tree.values(of:)) ?? []
    var text = message
    if let format, Self.hasDirective(message) || message.isEmpty {
      text = Self.filled(Array(tree.raw(format)), arguments.map { Array(tree.raw($0)) })
    }
    return Array("Terminating app due to uncaught exception '\(name)', reason: '".utf8) + text
      + Array("'".utf8)
  }

  private static func hasDirective(_ text: [UInt8]) -> Bool {
    text.contains(UInt8(ascii: "%"))
  }

  /// `format` with its placeholders replaced by `arguments`; `<redacted>` if there are none.
  private static func filled(_ format: [UInt8], _ arguments: [[UInt8]]) -> [UInt8] {
    var result: [UInt8] = []
    var next = 0
    var position = 0
    while position < format.count {
      guard format[position] == UInt8(ascii: "%"), position + 1 < format.count else {
        result.append(format[position])
        position += 1
        continue
      }
      position += 1
      while position < format.count, !format[position].isASCIILetter,
        format[position] != UInt8(ascii: "@"), format[position] != UInt8(ascii: "%")
      {
        position += 1
      }
      while position + 1 < format.count, format[position] | 0x20 == UInt8(ascii: "l") {
        position += 1
      }
      position += 1
      result += next < arguments.count ? arguments[next] : Array("<redacted>".utf8)
      next += 1
    }
    return result
  }
}
