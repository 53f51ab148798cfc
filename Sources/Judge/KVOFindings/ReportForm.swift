/// How a JSON report of kvo-audit is told from a usage log and from other text, whatever wrote it.
package enum ReportForm {
  /// Whether an input that begins with `head` is a report, not a log.
  ///
  /// A report is one object with a schema and findings: its keys may be in any order and on any lines. If `head` ends
  /// before one of the two, the other is enough, unless the object is an event. The schema alone is enough if nothing
  /// follows the object.
  ///
  /// - Parameter head: the beginning, in UTF-8: 64 KiB at least, or the whole input.
  /// - Returns: whether it is a report.
  /// - Complexity: O(bytes) of the first object.
  package static func isReport(head: some Collection<UInt8>) -> Bool {
    var scan = TopLevelKeys()
    let rest = head.drop { scan.take($0) }
    if scan.isEvent { return false }
    if scan.hasSchema, scan.hasFindings { return true }
    if rest.isEmpty { return scan.hasSchema || scan.hasFindings }
    return scan.hasSchema && rest.first == UInt8(ascii: "}")
      && rest.dropFirst().allSatisfy { " \t\r\n".utf8.contains($0) }
  }

  /// Whether a report may begin with `head`, so that more of it is worth reading.
  ///
  /// - Parameter head: the beginning, in any encoding.
  /// - Returns: false if what follows can make no report of it.
  /// - Complexity: as of ``isReport(head:)``.
  package static func mayBegin(with head: some Collection<UInt8>) -> Bool {
    // UTF-16 and UTF-32.
    if head.starts(with: [0xff, 0xfe]) || head.prefix(4).contains(where: { $0 == 0 || $0 == 0xfe })
    {
      return true
    }
    var scan = TopLevelKeys()
    let rest = head.drop { scan.take($0) }
    if scan.isEvent { return false }
    // The scan ends at the end of the object, or as soon as it knows both keys.
    return rest.isEmpty || rest.first == UInt8(ascii: "}") || (scan.hasSchema && scan.hasFindings)
  }
}

/// Looks for the keys of the first JSON object of a text that distinguish a report from a log.
///
/// The text need not be valid: the scan ends where an object cannot go on.
private struct TopLevelKeys {
  private enum Expectation {
    case object, key, colon, value, comma
  }

  /// Whether there is the number of a schema.
  private(set) var hasSchema = false
  /// Whether there is a list of findings.
  private(set) var hasFindings = false
  /// Whether there is the name of an event.
  private(set) var isEvent = false
  private var expected = Expectation.object
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  private var key: [UInt8] = []

  /// Takes the next byte.
  ///
  /// - Returns: whether the object goes on after it, and it is not known yet what the object is.
  mutating func take(_ byte: UInt8) -> Bool {
    if isInString {
      takeOfString(byte)
      return true
    }
    switch byte {
    case 0x20, 0x09, 0x0a, 0x0d: return true
    // A byte order mark.
    case 0xef, 0xbb, 0xbf: return expected == .object
    default: break
    }
    if depth > 1 {
      takeOfValue(byte)
      return true
    }
    switch (expected, byte) {
    case (.object, UInt8(ascii: "{")):
      (depth, expected) = (1, .key)
    case (.key, UInt8(ascii: "\"")):
      isInString = true
      key = []
    case (.colon, UInt8(ascii: ":")): expected = .value
    case (.value, _):
      beginValue(byte)
      return !isEvent && !(hasSchema && hasFindings)
    case (.comma, UInt8(ascii: ",")): expected = .key
    // The rest of a number or a word.
    case (.comma, UInt8(ascii: "0")...UInt8(ascii: "9")),
      (.comma, UInt8(ascii: "a")...UInt8(ascii: "z")), (.comma, UInt8(ascii: "E")),
      (.comma, UInt8(ascii: ".")), (.comma, UInt8(ascii: "+")), (.comma, UInt8(ascii: "-")):
      break
    default: return false
    }
    return true
  }

  private mutating func takeOfString(_ byte: UInt8) {
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInString = false
      if expected == .key { expected = .colon }
      return
    }
    if expected == .key { key.append(byte) }
  }

  private mutating func takeOfValue(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): isInString = true
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
    default: break
    }
  }

  private mutating func beginValue(_ byte: UInt8) {
    expected = .comma
    switch byte {
    case UInt8(ascii: "["):
      if key.elementsEqual("findings".utf8) { hasFindings = true }
    case UInt8(ascii: "\""):
      if key.elementsEqual("event".utf8) { isEvent = true }
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      if key.elementsEqual("schema".utf8) { hasSchema = true }
    default: break
    }
    takeOfValue(byte)
  }
}
