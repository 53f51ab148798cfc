package import KVOTrace
import KVOTraceJSON

/// The source of a usage log.
package enum AuditInput: Sendable {
  /// A file, a FIFO or a device, which may be compressed if `decompression` is given.
  case file(path: String, decompression: (any InputDecompression)? = nil)
  /// Standard input, after the bytes of `beginning`, which were read from it already.
  case standardInput(decompression: (any InputDecompression)? = nil, beginning: [UInt8] = [])
  /// A folder that stands for no other input, because there is none in it or it cannot be read.
  case folder(path: String)
  /// Events that this process recorded itself, with the names for their ids. `label` replaces the path in reports.
  case events([Event], names: TraceNames, label: String)

  /// The input of a command line argument: `-` is standard input.
  package init(argument: String, decompression: (any InputDecompression)? = nil) {
    self =
      argument == "-"
      ? .standardInput(decompression: decompression)
      : .file(path: argument, decompression: decompression)
  }

  /// How reports and messages name the input.
  package var label: String {
    switch self {
    case .file(let path, _), .folder(let path): path
    case .standardInput: "standard input"
    case .events(_, _, let label): label
    }
  }
}

/// The kind of an input, detected from its content.
///
/// The raw values are the kinds in JSON.
package enum InputKind: String, Sendable, CaseIterable {
  case jsonLines = "jsonl"
  /// The binary form.
  case binary = "kvolog"
  /// Events handed over inside a process.
  case memory
  /// Crash reports as text.
  case crash
  /// Crash reports as JSON, and exports of crash services.
  case ips
  /// Console output and pasted text.
  case console

  /// Whether it contains text, not events.
  package var isText: Bool { self == .crash || self == .ips || self == .console }

  /// How many bytes of an input ``init(head:)`` examines.
  package static let headByteCount = 64 << 10

  /// The kind of a usage log that begins with `head`, or nil if it is not one.
  ///
  /// A binary log begins with its magic, or with that of its first segment after a damaged page. In JSON
  /// Lines, which are UTF-8, every line begins with a brace. One such line is enough, so that a log whose first line is
  /// damaged is still a log.
  ///
  /// Complexity: O(bytes).
  package init?(head: some Collection<UInt8>) {
    if Self.isBinary(head: head) {
      self = .binary
      return
    }
    var isAtStart = true
    for (index, byte) in zip(head.indices, head) {
      switch byte {
      case 0x0a, 0x0d: isAtStart = true
      // Blanks and the three bytes of a byte order mark.
      case 0x20, 0x09, 0xef, 0xbb, 0xbf: break
      case UInt8(ascii: "{") where isAtStart && !Self.isMarkup(head[index...].dropFirst()):
        // In UTF-16 or UTF-32 it is text, whose reader names the encoding.
        if head[index...].dropFirst().first == 0 || Self.isCrashReport(head) { return nil }
        self = .jsonLines
        return
      default: isAtStart = false
      }
    }
    return nil
  }

  private static func isBinary(head: some Collection<UInt8>) -> Bool {
    head.starts(with: BinaryFormat.magic)
      || head.dropFirst(BinaryFormat.pageByteCount).starts(with: "KVSG".utf8)
  }

  /// Whether `head` shows the kind of its input whatever follows: an event, or the beginning of a binary log.
  ///
  /// A line with a brace may be of a usage log and of a text, whose words come later.
  ///
  /// Complexity: O(bytes).
  package static func isCertain(head: [UInt8]) -> Bool {
    isBinary(head: head) || hasEvent(head)
  }

  /// How many bytes after a brace are examined for markup.
  private static let markupReach = 80

  /// Whether what follows the brace at the start of a line is a macro of a wiki, as in issues (`{code:java}`, `{quote}`), or,
  /// in the next line, the first entry of a dictionary that a console printed (`level = 2;`), or code, and not JSON.
  private static func isMarkup(_ rest: some Collection<UInt8>) -> Bool {
    func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }
    let near = Array(rest.prefix(markupReach))
    let word = near.prefix(while: isLetter)
    if !word.isEmpty {
      let end = near[word.endIndex...].prefix { $0 >= 0x20 && $0 != UInt8(ascii: "{") }
      return (end.first == UInt8(ascii: "}") || end.first == UInt8(ascii: ":"))
        && end.contains(UInt8(ascii: "}"))
    }
    let lines = near.drop { $0 == 0x0d || $0 == 0x20 || $0 == 0x09 }
    // The keys of JSON that is laid out over several lines have quotation marks.
    guard lines.first == 0x0a, let next = lines.first(where: { $0 > 0x20 }) else { return false }
    return next != UInt8(ascii: "\"") && next != UInt8(ascii: "}")
  }

  /// Parts of the JSON of crash reports and of the services that collect them, and of texts beside JSON.
  private static let reportWords = [
    "app_name", "bug_type", "incident", "procName", "exception", "stacktrace", "stackTrace",
    "threads", "frames", "callStack", "Diagnostics", "crash", "reason", "message", "bserv",
    // The lists that a report may have before all of these.
    "binary_images", "binaryImages", "usedImages", "debug_meta", "breadcrumbs",
    "KeyValue", "NSKVO", "AndNotify", "Exception", "EXC_", "Crashed",
    // The keys in which collectors of logs have the text, and none of which an event has.
    "\"log\"", "\"msg\"", "MESSAGE", "eventMessage", "textPayload",
  ].map { Array($0.utf8) }

  /// Whether a line of `head` is an event whose key is spelled with escapes.
  private static func hasEscapedEvent(_ head: [UInt8]) -> Bool {
    // Paths in reports have other escapes: `\/`.
    let escapes = zip(head, head.dropFirst())
    guard escapes.contains(where: { $0 == UInt8(ascii: "\\") && $1 == UInt8(ascii: "u") })
    else { return false }
    return lines(head).contains { line in
      let line = line.drop { [0xef, 0xbb, 0xbf].contains($0) }
      guard case .object(let members)? = try? JSONSyntax.parse(line),
        case .text? = members["event"]
      else { return false }
      return true
    }
  }

  private static func lines(_ head: [UInt8]) -> [ArraySlice<UInt8>] {
    head.split { $0 == 0x0a || $0 == 0x0d }
  }

  private static func hasEvent(_ head: [UInt8]) -> Bool { lines(head).contains(where: isEvent) }

  private static let eventKey = Array("\"event\"".utf8)

  /// Whether `line` is an object that has the key of an event itself, with the name of one: what a report has of an app
  /// may contain others, and apps print events of their own.
  ///
  /// Complexity: O(length).
  private static func isEvent(_ line: ArraySlice<UInt8>) -> Bool {
    guard line.first(where: { ![0x20, 0x09, 0xef, 0xbb, 0xbf].contains($0) }) == UInt8(ascii: "{")
    else { return false }
    var depth = 0
    var position = line.startIndex
    while position < line.endIndex {
      switch line[position] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: "\""):
        if depth == 1, line[position...].starts(with: eventKey) {
          let value = line[(position + eventKey.count)...].drop { " \t:".utf8.contains($0) }
          let name = value.dropFirst().prefix { $0 != UInt8(ascii: "\"") }
          if value.first == UInt8(ascii: "\""), isEventName(name) { return true }
        }
        // To the end of the string.
        position += 1
        while position < line.endIndex, line[position] != UInt8(ascii: "\"") {
          position += line[position] == UInt8(ascii: "\\") ? 2 : 1
        }
      default: break
      }
      position += 1
    }
    return false
  }

  private static func isEventName(_ name: ArraySlice<UInt8>) -> Bool {
    Event.Body.names.contains { name.elementsEqual($0.utf8) }
  }

  /// Whether `head`, which is as long as one may be, has at most one line that begins with a brace: a usage log has
  /// many, also if all of them are damaged.
  private static func isOneDocument(_ head: [UInt8]) -> Bool {
    head.count == headByteCount
      && head.split(separator: 0x0a).filter { $0.first == UInt8(ascii: "{") }.count < 2
  }

  /// Whether `head` has words of crash reports, or is of one document whose words come later, and no event.
  private static func isCrashReport(_ head: some Collection<UInt8>) -> Bool {
    let bytes = Array(head.prefix(headByteCount))
    if hasEvent(bytes) { return false }
    let isReport =
      isOneDocument(bytes)
      || bytes.indices.contains { index in
        reportWords.contains { $0[0] == bytes[index] && bytes[index...].starts(with: $0) }
      }
    return isReport && !hasEscapedEvent(bytes)
  }
}
