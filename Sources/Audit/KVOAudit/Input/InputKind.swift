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
  package init?(head: ArraySlice<UInt8>) {
    let head = InputHead(head)
    if head.isBinary {
      self = .binary
      return
    }
    // In UTF-16 or UTF-32 it is text, whose reader names the encoding.
    guard let rest = head.restAfterBrace, rest.first != 0, !head.isCrashReport else { return nil }
    self = .jsonLines
  }

  /// Whether `head` shows the kind of its input whatever follows: an event, or the beginning of a binary log.
  ///
  /// A line with a brace may be of a usage log and of a text, whose words come later.
  ///
  /// Complexity: O(bytes).
  package static func isCertain(head: [UInt8]) -> Bool {
    let head = InputHead(head[...])
    return head.isBinary || head.hasEvent
  }
}
