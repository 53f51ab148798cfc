package import KVOTrace

/// Where a usage log comes from.
package enum AuditInput: Sendable {
  /// A file, a FIFO or a device.
  case file(path: String)
  case standardInput
  /// Events that this process recorded itself, with the names behind their ids. `label` stands for
  /// the path in reports.
  case events([Event], names: TraceNames, label: String)

  /// The input of a command line argument: `-` is standard input.
  package init(argument: String) {
    self = argument == "-" ? .standardInput : .file(path: argument)
  }

  /// How reports and messages name the input.
  package var label: String {
    switch self {
    case .file(let path): path
    case .standardInput: "standard input"
    case .events(_, _, let label): label
    }
  }
}

/// What an input is, found from its content.
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
  /// Crash reports as JSON, and what crash services export.
  case ips
  /// What consoles print, and what people paste.
  case console

  /// Whether it holds words of people and runtimes, not events.
  package var isText: Bool { self == .crash || self == .ips || self == .console }

  /// How many bytes of an input ``init(head:)`` looks at.
  package static let headByteCount = 64 << 10

  /// The kind of a usage log that begins with `head`, or nil where it is none.
  ///
  /// A binary log has its magic in front, or that of its first segment behind a damaged page. In JSON
  /// Lines every line begins with a brace. One such line is enough, so that a log whose first line is
  /// damaged is still a log.
  ///
  /// Complexity: O(bytes).
  package init?(head: some Collection<UInt8>) {
    if head.starts(with: BinaryFormat.magic)
      || head.dropFirst(BinaryFormat.pageByteCount).starts(with: "KVSG".utf8)
    {
      self = .binary
      return
    }
    var isAtStart = true
    for byte in head {
      switch byte {
      case 0x0a, 0x0d: isAtStart = true
      // Blanks and the three bytes of a byte order mark.
      case 0x20, 0x09, 0xef, 0xbb, 0xbf: break
      case UInt8(ascii: "{") where isAtStart:
        if Self.isReport(head) { return nil }
        self = .jsonLines
        return
      default: isAtStart = false
      }
    }
    return nil
  }

  /// What stands in the JSON of crash reports and of the services that gather them.
  private static let reportWords = [
    "app_name", "bug_type", "incident", "procName", "exception", "stacktrace", "stackTrace",
    "threads", "frames", "callStack", "Diagnostics", "crash", "reason", "message", "bserv",
    "KeyValue",
  ].map { Array($0.utf8) }

  /// Whether `head` has words of crash reports, and no event.
  private static func isReport(_ head: some Collection<UInt8>) -> Bool {
    let bytes = Array(head.prefix(headByteCount))
    let key = Array("\"event\"".utf8)
    var position = 0
    while let quote = bytes[position...].firstIndex(of: UInt8(ascii: "\"")) {
      position = quote + 1
      guard bytes[quote...].starts(with: key) else { continue }
      let value = bytes[(quote + key.count)...].drop { $0 == 0x20 || $0 == UInt8(ascii: ":") }
      if value.first == UInt8(ascii: "\"") { return false }
    }
    return bytes.indices.contains { place in
      reportWords.contains { $0[0] == bytes[place] && bytes[place...].starts(with: $0) }
    }
  }
}
