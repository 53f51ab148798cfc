import CKVOScan
import KVOTrace
import KVOTraceJSON

/// The first bytes of an input, and what they show of its kind.
///
/// Most inputs are large texts without an event: what is sought is first searched as bytes, by the C library, and lines are
/// read only if it is found.
struct InputHead {
  private let bytes: ArraySlice<UInt8>

  /// What the first `InputKind.headByteCount` of `bytes` show.
  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes.prefix(InputKind.headByteCount)
  }

  /// Whether it begins with the magic of a binary log, or with that of its first segment after a damaged page.
  var isBinary: Bool {
    bytes.starts(with: BinaryFormat.magic)
      || bytes.dropFirst(BinaryFormat.pageByteCount).starts(with: "KVSG".utf8)
  }

  /// What follows the first brace at the start of a line that is not of markup; nil if there is none.
  var restAfterBrace: ArraySlice<UInt8>? {
    var isAtStart = true
    for index in bytes.indices {
      switch bytes[index] {
      case 0x0a, 0x0d: isAtStart = true
      case UInt8(ascii: "{") where isAtStart:
        let rest = bytes[(index + 1)...]
        if !Self.isMarkup(rest) { return rest }
        isAtStart = false
      case let byte: isAtStart = isAtStart && Self.isBlank(byte)
      }
    }
    return nil
  }

  /// Blanks and the three bytes of a byte order mark.
  private static func isBlank(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20, 0x09, 0xef, 0xbb, 0xbf: true
    default: false
    }
  }

  /// How many bytes after a brace are examined for markup.
  private static let markupReach = 80

  /// Whether what follows the brace at the start of a line is a macro of a wiki, as in issues (`{code:java}`, `{quote}`), or,
  /// in the next line, the first entry of a dictionary that a console printed (`level = 2;`), or code, and not JSON.
  private static func isMarkup(_ rest: ArraySlice<UInt8>) -> Bool {
    func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }
    let near = rest.prefix(markupReach)
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

  private static let eventKey = Array("\"event\"".utf8)

  /// Whether a line is an event.
  var hasEvent: Bool { contains(Self.eventKey) && lines.contains(where: Self.isEvent) }

  /// Whether `line` is an object that has the key of an event itself, with the name of one: what a report has of an app
  /// may contain others, and apps print events of their own.
  ///
  /// Complexity: O(length).
  private static func isEvent(_ line: ArraySlice<UInt8>) -> Bool {
    guard line.first(where: { !isBlank($0) }) == UInt8(ascii: "{") else { return false }
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

  /// Whether it has words of crash reports, or is of one document whose words come later, and no event.
  var isCrashReport: Bool {
    !hasEvent && (Self.reportWords.contains(where: contains) || isOneDocument) && !hasEscapedEvent
  }

  /// Whether it is as long as one may be, and has at most one line that begins with a brace: a usage log has many, also
  /// if all of them are damaged.
  private var isOneDocument: Bool {
    guard bytes.count == InputKind.headByteCount else { return false }
    var previous: UInt8 = 0x0a
    var count = 0
    for byte in bytes {
      if byte == UInt8(ascii: "{"), previous == 0x0a { count += 1 }
      previous = byte
    }
    return count < 2
  }

  /// The escape of a letter; paths in reports have other escapes: `\/`.
  private static let escape = Array("\\u".utf8)

  /// Whether a line is an event whose key is spelled with escapes.
  private var hasEscapedEvent: Bool {
    contains(Self.escape)
      && lines.contains { line in
        let line = line.drop { [0xef, 0xbb, 0xbf].contains($0) }
        guard case .object(let members)? = try? JSONSyntax.parse(line),
          case .text? = members["event"]
        else { return false }
        return true
      }
  }

  private var lines: [ArraySlice<UInt8>] { bytes.split { $0 == 0x0a || $0 == 0x0d } }

  private func contains(_ word: [UInt8]) -> Bool {
    bytes.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return false }
      return kvos_scan_has_word(start, bytes.count, word, word.count)
    }
  }
}
