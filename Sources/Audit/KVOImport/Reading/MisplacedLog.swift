import KVOFindings
import KVOTrace

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Finds a usage log that is read as text, which would have no findings and look clean.
///
/// A log is recognized by its first bytes; one after a long text, in another encoding or inside other JSON ends up
/// here.
struct MisplacedLog {
  private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]
  private static let mark = Array("\n{\"event\":".utf8)
  /// How many bytes a mark has with the name of an event, its quotation marks and a blank, at the most.
  private static let reach = mark.count + 3 + (Event.Body.names.map(\.utf8.count).max() ?? 0)

  /// Where the line of the first event begins, in bytes of the text; nil: there is none so far.
  private(set) var offset: Int?
  private var byteCount = 0
  /// The beginning of the text, which shows how its lines look.
  private var head: [UInt8] = []
  private static let headByteCount = 64 << 10
  /// The end of what was read, in which a mark may begin; the start of the text also begins a line.
  private var carried: [UInt8] = [UInt8(ascii: "\n")]

  /// Searches the next piece of the text.
  ///
  /// Complexity: O(bytes), brace by brace.
  mutating func look(at text: ArraySlice<UInt8>) {
    guard offset == nil else { return }
    head += text.prefix(Self.headByteCount - head.count)
    var text = text
    if byteCount == 0, text.starts(with: Self.byteOrderMark) {
      byteCount = Self.byteOrderMark.count
      text = text.dropFirst(byteCount)
    }
    let seam = carried + text.prefix(Self.reach)
    if let index = Self.index(in: seam[...]) {
      offset = byteCount - carried.count + index + 1
    } else if let index = Self.index(in: text) {
      offset = byteCount + index + 1
    }
    byteCount += text.count
    // A slice: the `suffix` of a sequence would walk the whole text.
    let end = carried + text[max(text.startIndex, text.endIndex - Self.reach)...]
    carried = Array(end[max(0, end.count - Self.reach + 1)...])
  }

  private static func index(in bytes: ArraySlice<UInt8>) -> Int? {
    bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return nil }
      var position = 1
      while position < bytes.count,
        let found = memchr(start + position, Int32(UInt8(ascii: "{")), bytes.count - position)
      {
        let index = UnsafeRawPointer(found) - start - 1
        if bytes.count - index >= mark.count, memcmp(start + index, mark, mark.count) == 0,
          beginsWithEvent(bytes[(index + mark.count)...])
        {
          return index
        }
        position = index + 2
      }
      return nil
    }
  }

  /// Whether `value` is the name of an event: apps print events of their own.
  private static func beginsWithEvent(_ value: Slice<UnsafeRawBufferPointer>) -> Bool {
    let text = value.drop { $0 == 0x20 }
    guard text.first == UInt8(ascii: "\"") else { return false }
    let name = text.dropFirst().prefix(reach).prefix { $0 != UInt8(ascii: "\"") }
    guard name.endIndex < text.endIndex else { return false }
    return isEvent(Substring(decoding: name, as: UTF8.self))
  }

  /// Why the text, which was in `encoding` if that is not UTF-8, must not be read as text, or nil.
  func refusal(from encoding: String?) -> String? {
    switch offset {
    case nil: nil
    case _ where encoding != nil, 0, Self.byteOrderMark.count:
      "a usage log in another encoding than UTF-8; convert it first: iconv -f \(encoding ?? "…") -t UTF-8"
    case .some(let offset):
      "a usage log begins at byte \(offset), after other text; give it alone: tail -c +\(offset + 1)"
    }
  }

  /// Why the text is not read, if nothing is known in it, or nil: its lines are events after other words, or in texts of
  /// other JSON, as log collectors write them.
  var doubt: String? {
    guard offset == nil else { return nil }
    let text = String(decoding: head, as: UTF8.self)
    if text.matches(of: Self.event).contains(where: { Self.isEvent($0.output.name) }) {
      return "its lines have events of a usage log after other words; give the events alone: "
        + "sed 's/^[^{]*//'"
    }
    if text.matches(of: Self.printedEvent).contains(where: { Self.isEvent($0.output.name) }) {
      return "its lines are events as Python prints dictionaries, which are not JSON: "
        + "write json.dumps(event)"
    }
    let quoted = text.matches(of: Self.quotedEvent)
    guard let found = quoted.first(where: { Self.isEvent($0.output.name) }) else { return nil }
    return "it has a usage log in texts of other JSON; take it out first: "
      + "jq -r '.\(found.output.key)'"
  }

  /// Other programs log events, too.
  private static func isEvent(_ name: Substring) -> Bool {
    Event.Body.names.contains { $0 == name }
  }

  /// An event that names an object.
  private static var event: Regex<(Substring, name: Substring)> {
    #/
      \{\s*"event"\s*:\s*"(?<name>[A-Za-z]+)"[^\r\n]{0,400}?
      "(?:subject|observer|object)"\s*:\s*\{\s*"class"\s*:\s*"
    /#
  }
  /// The same with the quotation marks of Python.
  private static var printedEvent: Regex<(Substring, name: Substring)> {
    #/
      \{\s*'event'\s*:\s*'(?<name>[A-Za-z]+)'[^\r\n]{0,400}?
      '(?:subject|observer|object)'\s*:\s*\{\s*'class'\s*:\s*'
    /#
  }
  /// The same in a text of JSON, the value of a key.
  private static var quotedEvent: Regex<(Substring, key: Substring, name: Substring)> {
    #/
      "(?<key>[A-Za-z_]\w*)"\s*:\s*"\{\s*
      \\"event\\"\s*:\s*\\"(?<name>[A-Za-z]+)\\"[^\r\n]{0,400}?
      \\"(?:subject|observer|object)\\"\s*:\s*\{\s*\\"class\\"\s*:
    /#
  }

  /// Why a document of JSON is not a crash report, or nil.
  static func refusal(ofJSON bytes: [UInt8]) -> String? {
    if ReportForm.isReport(head: bytes) { return ImportedText.reportReason }
    let head = String(decoding: bytes.prefix(1 << 16), as: UTF8.self)
    if head.prefixMatch(of: #/\s*\[\s*\{\s*"event"\s*:/#) != nil {
      return "a list of events; a usage log has one event in each line: jq -c '.[]'"
    }
    return nil
  }
}
