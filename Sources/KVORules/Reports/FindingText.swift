/// A finding as text for a person: on a terminal, in a test's failure, on standard error.
///
/// In this room because both halves print it: `kvo-audit` and the layer while a program runs.
package enum FindingText {
  /// As many event numbers are printed; the rest is counted.
  private static let shownEventCount = 10

  /// The finding, without a newline at its end.
  ///
  /// - Parameters:
  ///   - finding: what to print.
  ///   - usesColor: whether to put the escape sequences of a terminal around headings.
  /// - Returns: several lines, of which the first says what is wrong and the last names the
  ///   signature.
  package static func render(_ finding: Finding, usesColor: Bool = false) -> String {
    let rule = RuleCatalogue.entry(finding.code)
    let word = finding.severity == .note ? "NOTE" : "WARNING"
    let heading =
      "\(word): KVOSafety: \(rule.title) (\(finding.code.rawValue) \(rule.slug))"
    var lines = [usesColor ? "\u{1b}[1;31m\(heading)\u{1b}[0m" : heading]
    lines.append("  \(finding.message)")
    let width = functionWidth(of: finding)
    for (index, stack) in finding.stacks.enumerated() {
      if index > 0 { lines.append("  \(title(of: stack))") }
      lines += frames(of: stack, width: width, usesColor: usesColor)
    }
    if finding.isHistoryLost { lines.append("  (earlier history lost)") }
    if finding.confidence == .low {
      lines.append("  (the log allows another reading: events of several threads have no order)")
    }
    lines.append("  Fix: \(finding.hint.replacingNewlines(with: "\n       "))")
    lines.append("  \(lastLine(of: finding))")
    return lines.joined(separator: "\n")
  }

  private static func title(of stack: Finding.Stack) -> String {
    let what =
      switch stack.role {
      case .failed: "Happened at"
      case .removed: "Previously removed at"
      case .registered: "Registered at"
      case .deallocated: "Deallocated at"
      case .changed: "Changed at"
      case .notified: "Notified at"
      case .scope: "Scope opened at"
      }
    guard let thread = stack.thread else { return what }
    return "\(what), on thread \(thread)" + (stack.threadName.map { " (\($0))" } ?? "")
  }

  private static func frames(
    of stack: Finding.Stack,
    width: Int,
    usesColor: Bool
  ) -> [String] {
    guard !stack.frames.isEmpty else {
      return ["    \(stack.site.map { "at \($0)" } ?? "(no stack)")"]
    }
    // Without names nobody can tell the user's frame: the line that the compiler gave stands in.
    let isNamed = stack.frames.contains(where: \.isFirstOwn)
    let site = isNamed ? nil : stack.site.map { "  > at \($0)" }
    let lines = stack.frames.enumerated().map { index, frame in
      let gutter = frame.isFirstOwn ? "  > " : "    "
      let function = name(of: frame)
      let place = place(of: frame)
      let padding = String(repeating: " ", count: max(width - function.count, 0))
      let line = "\(gutter)#\(index) \(function)" + (place.isEmpty ? "" : "\(padding)  \(place)")
      return usesColor && frame.isFirstOwn ? "\u{1b}[1m\(line)\u{1b}[0m" : line
    }
    return [site].compactMap(\.self) + lines
  }

  private static func name(of frame: Finding.StackFrame) -> String {
    if let symbol = frame.symbol { return frame.isInlined ? "\(symbol) [inlined]" : symbol }
    return frame.address.map { "0x\(String($0, radix: 16))" } ?? "?"
  }

  private static func place(of frame: Finding.StackFrame) -> String {
    if let file = frame.file {
      return frame.line > 0 ? "\(baseName(file)):\(frame.line)" : "\(baseName(file))"
    }
    return frame.module.map { "(\(baseName($0)))" } ?? ""
  }

  private static func functionWidth(of finding: Finding) -> Int {
    // One overlong generic name does not push every line out of the window.
    let widths = finding.stacks.flatMap(\.frames).map { name(of: $0).count }.filter { $0 <= 60 }
    return widths.max() ?? 0
  }

  private static func lastLine(of finding: Finding) -> String {
    var parts = ["Signature: \(finding.signature)"]
    parts.append(finding.count == 1 ? "seen once" : "seen \(finding.count) times")
    if !finding.events.isEmpty {
      let shown = finding.events.prefix(shownEventCount).map(String.init).joined(separator: ", ")
      let rest = finding.events.count - shownEventCount
      let more = rest > 0 ? " and \(rest) more" : ""
      parts.append("\(finding.events.count == 1 ? "event" : "events") \(shown)\(more)")
    }
    parts.append("\(finding.severity.rawValue), \(finding.consequence.rawValue)")
    return parts.joined(separator: " · ")
  }

  private static func baseName(_ path: String) -> Substring {
    path.split(separator: "/").last ?? ""
  }
}

extension String {
  fileprivate func replacingNewlines(with separator: String) -> String {
    split(separator: "\n", omittingEmptySubsequences: false).joined(separator: separator)
  }
}
