/// What makes two findings the same bug: code, types, key path, and the user's line.
///
/// No address, id, thread or count goes in, so that the signature stays from run to run and from
/// machine to machine. Where no line is known the function's name stands in, and where there is no
/// stack the line that the compiler gave at the call.
struct FindingSignature {
  /// Eight hexadecimal digits.
  let text: String

  init(of finding: Finding) {
    let parts = [
      finding.code.rawValue,
      finding.subject?.className ?? "",
      finding.observer?.className ?? "",
      finding.keyPath ?? "",
      Self.place(of: finding),
    ]
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in parts.joined(separator: "\u{1f}").utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }
    let folded = UInt32(truncatingIfNeeded: hash ^ (hash >> 32))
    let digits = String(folded, radix: 16)
    text = String(repeating: "0", count: 8 - digits.count) + digits
  }

  /// Where the user has to look: the failed stack's first own frame, else the next best.
  private static func place(of finding: Finding) -> String {
    for stack in finding.stacks {
      if let frame = stack.frames.first(where: \.isFirstOwn) {
        if let file = frame.file, frame.line > 0 { return "\(baseName(file)):\(frame.line)" }
        if let symbol = frame.symbol { return symbol }
      }
      if let site = stack.site { return site }
    }
    return ""
  }

  private static func baseName(_ path: String) -> Substring {
    path.split(separator: "/").last ?? ""
  }
}
