import KVORules
import KVOText

extension FixVerification {
  /// The result for people, with a newline at its end.
  package var text: String {
    var lines: [String]
    switch outcome {
    case .fixed: lines = ["\(shownSignature) is gone, and could have been seen:"]
    case .unproven:
      lines = ["\(shownSignature) is not in the log, which does not prove that it is fixed:"]
    case .present: lines = ["\(shownSignature) is still there:"]
    }
    lines += reasons.map { "  \(ShownText.escaped($0))" }
    if let finding { lines += ["", String(FindingText().render(finding).dropLast())] }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The result as JSON, with a newline at its end.
  package var json: [UInt8] {
    var text = JSONText()
    text.object { text in
      text.key("signature")
      text.value(signature)
      text.key("outcome")
      text.value(outcome.rawValue)
      text.key("reasons")
      text.list(reasons) { $0.value($1) }
      text.key("finding")
      text.value(finding.map { "\($0.code.rawValue) \($0.message)" })
    }
    text.end()
    return text.bytes
  }

  private var shownSignature: String { ShownText.escaped(Signature.short(signature)) }
}
