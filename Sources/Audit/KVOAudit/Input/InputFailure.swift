internal import KVORules
import KVOText
import KVOTrace

/// The reason why an input cannot be used.
package struct InputFailure: Error, Hashable, Sendable {
  /// The name of the input.
  package var input: String
  /// The position in the input, 1-based, if there is one.
  package var line: Int?
  package var column: Int?
  /// The error, and what would be correct, without a full stop.
  package var reason: String

  package init(input: String, line: Int? = nil, column: Int? = nil, reason: String) {
    self.input = input
    self.line = line
    self.column = column
    self.reason = reason
  }

  /// One line for standard error: `app.jsonl:3:14: …`.
  package var message: String {
    guard let line, let column else { return ShownText.escaped("\(input): \(reason)") }
    return ShownText.escaped("\(input):\(line):\(column): \(reason)")
  }
}

extension InputFailure {
  /// The failure to find a file, suggesting the member of `commands` that its name may be a misspelling of.
  package func suggesting(commands: [String]) -> InputFailure {
    guard reason == Self.missingReason, let near = Wording.near(input, in: commands).first
    else { return self }
    var copy = self
    copy.reason += "; did you mean the command \"\(near)\"?"
    return copy
  }

  static let missingReason = "no such file"

  static let emptyReason =
    "the input is empty; a usage log has at least one line, so the program stopped before it "
    + "recorded anything, or was not recording"

  /// Describes the first bytes of a binary log without the rest.
  static func cutMagicReason(_ byteCount: Int) -> String {
    "begins like a binary log, and ends after \(Wording.count(byteCount, "byte")): it was cut"
  }

  static let noEventReason =
    "this binary log has no event: it was cut, or its program ended before it recorded anything"

  static let directoryReason = "is a directory; name a file in it"

  static let emptyDirectoryReason =
    "is a directory in which there is no usage log and no crash report"

  static let silentFIFOReason =
    "is a FIFO that no program writes to; start the writer first"

  /// Describes an input that is not a usage log.
  static func unknownKindReason(head: some Collection<UInt8>) -> String {
    var shown: [UInt8] = []
    for byte in head.prefix(24) {
      switch byte {
      case 0x20..<0x7f where byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\"):
        shown.append(byte)
      case 0x0a: shown.append(contentsOf: #"\n"#.utf8)
      default:
        shown.append(contentsOf: #"\x"#.utf8)
        let digits = String(byte, radix: 16)
        shown.append(contentsOf: (digits.count == 1 ? "0" + digits : digits).utf8)
      }
    }
    return "not a usage log: it begins with \"\(String(decoding: shown, as: UTF8.self))\"; "
      + readableKinds
  }

  /// The accepted kinds of input.
  static let readableKinds =
    "kvo-audit reads usage logs, binary ones (.kvolog) and JSON Lines, one object with an "
    + "\"event\" a line"
}
