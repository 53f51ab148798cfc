/// The text form of findings, as a terminal and a CI log show it.
///
///     WARNING: KVOSafety: observation removed twice (KVO001 double-remove)
///       Screen#3 removed its observation of "balance" from Account#12 a second time, on thread 1
///       > #0 Screen.deinit               Screen.swift:41
///         #1 main                        main.swift:9
///       Previously removed at, on thread 1 (main)
///       > #0 Screen.viewDidDisappear()   Screen.swift:29
///       Registered at, on thread 1 (main)
///       > #0 Screen.init(account:)       Screen.swift:12
///       Fix: …
///       Signature: 2:5f0c2a91d3 · seen 3 times · events 118, 240, 377 · error, contained
///
/// The mark in the gutter is at the first frame of the user's own code.
package struct FindingText: Sendable {
  /// Whether headings and own frames are colored with ANSI escapes.
  package var isColored: Bool

  /// How many events a finding lists.
  package static let eventLimit = 10
  /// How many other lines it lists.
  private static let lineLimit = 8
  /// The widest column of functions, in characters.
  private static let functionLimit = 60

  package init(isColored: Bool = false) { self.isColored = isColored }

  /// The lines of `finding`, each ended by a line feed.
  ///
  /// Control characters from a log are spelled out (``ShownText``).
  ///
  /// Complexity: O(frames).
  package func render(_ finding: Finding) -> String {
    let finding = finding.shown
    var lines = [heading(finding), "  \(finding.message)"]
    let width = functionWidth(finding.stacks)
    for (index, stack) in finding.stacks.enumerated() {
      // An event without a location is not proof to a reader.
      if index > 0 && stack.frames.isEmpty && stack.site == nil { continue }
      if index > 0 { lines.append("  \(stack.heading)") }
      lines += self.lines(of: stack, width: width, isEvent: finding.crashFacts == nil)
    }
    if let others = Self.otherLines(finding) { lines.append("  Also at \(others)") }
    if finding.isHistoryLost { lines.append("  (earlier history lost)") }
    lines += Self.drawing(of: finding.cycle)
    lines += Self.lines(of: finding.consequences)
    lines.append("  Fix: \(finding.hint)")
    if let note = finding.suppression {
      lines.append("  Suppressed until \(note.until) at \(note.location): \(note.reason)")
    }
    lines.append("  \(Self.trailer(finding))")
    return lines.joined(separator: "\n") + "\n"
  }

  /// The lines of `stack`, as those of a finding.
  package func lines(of stack: Finding.Stack) -> [String] {
    lines(of: stack, width: functionWidth([stack]))
  }

  // MARK: - Parts

  /// The lines of the finding that the first stacks do not show: `Screen.swift:41, Screen.swift:52`.
  package static func otherLines(_ finding: Finding) -> String? {
    let shown = Set(finding.stacks.compactMap(\.location))
    let others = finding.lines.compactMap(\.location).filter { !shown.contains($0) }
    guard finding.lines.count > 1, !others.isEmpty else { return nil }
    let more = others.count > lineLimit ? " and \(others.count - lineLimit) more lines" : ""
    return others.prefix(lineLimit).joined(separator: ", ") + more
  }

  private func heading(_ finding: Finding) -> String {
    // Like the sanitizers, regardless of the severity, which is in the last line.
    let word =
      switch finding.severity {
      case .error: painted("WARNING:", "1;31")
      case .warning: painted("WARNING:", "1;33")
      case .note: painted("NOTE:", "1;36")
      }
    let title = RuleCatalogue.entry(finding.code).title
    return "\(word) KVOSafety: \(title) (\(finding.code.rawValue) \(finding.code.slug))"
  }

  private func lines(of stack: Finding.Stack, width: Int, isEvent: Bool = true) -> [String] {
    if stack.frames.isEmpty {
      if let site = stack.site {
        return [painted("  > #0 \(pad(stack.function ?? "(call)", width))\(site)", "1")]
      }
      return ["    (no stack" + (stack.event > 0 && isEvent ? ", event \(stack.event))" : ")")]
    }
    // Without symbols the user's frame cannot be found, and one that the optimizer merged with others has no line: the
    // line from the compiler is shown as well.
    let isNamed = stack.frames.contains { $0.isFirstOwn && $0.line > 0 }
    let function = stack.function.map { " in \($0)" } ?? ""
    let site = isNamed ? nil : stack.site.map { painted("  > at \($0)\(function)", "1") }
    let frames = FoldedFrames(stack.frames).runs.flatMap { run in
      let lines = (run.start..<run.start + run.count).map { number in
        line(of: stack.frames[number], number: number, width: width)
      }
      let frames = run.count == 1 ? "this frame" : "these \(run.count) frames"
      return run.repeatCount == 1 ? lines : lines + ["    … \(frames) \(run.repeatCount) times"]
    }
    return [site].compactMap(\.self) + frames
  }

  private func line(of frame: Finding.StackFrame, number: Int, width: Int) -> String {
    let location = Self.location(of: frame)
    let function = frame.shownFunction
    let label = "#\(number) "
    // From the eleventh frame on, the number is wider, and the function's column narrower.
    let room = width + 3 - label.count
    let text = label + (location.isEmpty ? function : pad(function, room) + location)
    return frame.isFirstOwn ? painted("  > \(text)", "1") : "    \(text)"
  }

  /// The consequences of a finding, in short: they disappear when it does.
  private static func lines(of consequences: [Finding]) -> [String] {
    guard !consequences.isEmpty else { return [] }
    return ["  It leads to"]
      + consequences.map { finding in
        let count = finding.count == 1 ? "once" : "\(finding.count) times"
        let rule = "\(finding.code.rawValue) \(finding.code.slug), \(finding.shortSignature)"
        return "    \(finding.message) (\(rule), seen \(count))"
      }
  }

  /// The retain cycle of a finding as a drawing; empty if it has none.
  package static func cycle(of finding: Finding) -> String {
    drawing(of: finding.shown.cycle).joined(separator: "\n")
  }

  /// A retain cycle from top to bottom, its first object at both ends; the reference that is best made weak is
  /// underlined.
  private static func drawing(of cycle: [Finding.Edge]) -> [String] {
    guard let first = cycle.first else { return [] }
    let steps = cycle.flatMap { edge in
      let label = edge.label.isEmpty ? edge.strength : edge.label
      let doubt = edge.certainty == "suspected" ? " (suspected)" : ""
      let underline = "        " + String(repeating: "~", count: label.count) + " make this weak"
      return ["      ↓ \(label)\(doubt)"] + (edge.shouldBeWeak ? [underline] : [])
        + ["    \(edge.to)"]
    }
    return ["  The cycle", "    \(first.from)"] + steps
  }

  private static func trailer(_ finding: Finding) -> String {
    var parts = ["Signature: \(finding.shortSignature)"]
    parts.append(finding.count == 1 ? "seen once" : "seen \(finding.count) times")
    if !finding.events.isEmpty {
      let shown = finding.events.prefix(eventLimit).map(String.init).joined(separator: ", ")
      let more = finding.events.count - eventLimit
      let what = finding.crashFacts == nil ? "event" : "line"
      let word = finding.events.count == 1 ? what : what + "s"
      parts.append("\(word) \(shown)" + (more > 0 ? " and \(more) more" : ""))
    }
    if finding.isExpected { parts.append("expected by a test") }
    if finding.confidence == .low { parts.append("low confidence") }
    switch finding.baseline {
    case .moved(let previous): parts.append("moved, was \(previous)")
    case let state?: parts.append(state.name)
    case nil: break
    }
    let profile = finding.profile == .swift ? "" : " on \(finding.profile.rawValue)"
    parts.append("\(finding.severity.rawValue), \(finding.consequence.rawValue)\(profile)")
    return parts.joined(separator: " · ")
  }

  // MARK: - Columns

  /// File and line of a frame; its image in brackets if the file is not known, or nothing.
  package static func location(of frame: Finding.StackFrame) -> String {
    if let file = frame.file {
      return FrameClassifier.baseName(file) + (frame.line > 0 ? ":\(frame.line)" : "")
    }
    return frame.module.map { "(\(FrameClassifier.baseName($0)))" } ?? ""
  }

  private func functionWidth(_ stacks: [Finding.Stack]) -> Int {
    let names = stacks.flatMap { stack in
      stack.frames.isEmpty ? [stack.function ?? "(call)"] : stack.frames.map(\.shownFunction)
    }
    let widest = names.map(\.count).filter { $0 <= Self.functionLimit }.max() ?? 0
    return widest + 3
  }

  private func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  package func painted(_ text: String, _ code: String) -> String {
    isColored ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
  }
}
