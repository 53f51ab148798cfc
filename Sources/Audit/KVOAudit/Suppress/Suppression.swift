package import KVORules

/// A known issue that a team does not want reported for a while.
///
/// Omitted fields match anything; all given fields must match.
package struct Suppression: Hashable, Sendable {
  /// The file and the 1-based line that it is in.
  package var file: String
  package var line: Int
  /// Code or slug of the rule.
  package var rule: GlobPattern
  /// The class of the observed object, of the observer, or of an object in the cycle.
  package var className: GlobPattern?
  package var keyPath: GlobPattern?
  /// A frame of any of the stacks: its function, its file (with or without folders, with or without
  /// `:line`) or its image.
  package var frame: GlobPattern?
  package var signature: SignaturePattern?
  /// The last day on which it holds.
  package var until: CalendarDay
  package var reason: String

  package init(
    file: String,
    line: Int,
    rule: GlobPattern,
    className: GlobPattern? = nil,
    keyPath: GlobPattern? = nil,
    frame: GlobPattern? = nil,
    signature: SignaturePattern? = nil,
    until: CalendarDay,
    reason: String
  ) {
    self.file = file
    self.line = line
    self.rule = rule
    self.className = className
    self.keyPath = keyPath
    self.frame = frame
    self.signature = signature
    self.until = until
    self.reason = reason
  }

  /// `kvo.suppressions:3`.
  package var location: String { "\(file):\(line)" }

  /// Whether it matches `finding`, with all its lines.
  ///
  /// Complexity: O(frames of the finding).
  package func matches(_ finding: Finding) -> Bool { reach(of: finding) == .all }

  /// The part of `finding` that it matches: a signature may name one line of several.
  func reach(of finding: Finding) -> SignaturePattern.Reach {
    guard matchesNames(of: finding) else { return .nothing }
    return signature?.reach(of: finding) ?? .all
  }

  /// Whether all fields except the signature match `finding`.
  private func matchesNames(of finding: Finding) -> Bool {
    matches(finding.code)
      && (keyPath?.matches(any: [finding.keyPath]) ?? true)
      && (className?.matches(any: finding.classNames) ?? true)
      && (frame.map { pattern in finding.stacks.contains { pattern.matches($0) } } ?? true)
  }

  /// Whether it is about the rule with `code`.
  func matches(_ code: RuleCode) -> Bool {
    rule.matches(code.rawValue) || rule.matches(code.slug)
  }

  /// Whether a fault of registrations made at `site` could be one that it matches.
  func covers(_ site: CallSite) -> Bool {
    (keyPath?.matches(site.keyPath) ?? true)
      && (className?.matches(any: [site.subject, site.observer]) ?? true)
      && (frame.map { $0.matches(site.stack) } ?? true)
  }
}

extension GlobPattern {
  fileprivate func matches(any texts: [String?]) -> Bool {
    texts.contains { text in text.map { matches($0) } ?? false }
  }

  /// Whether a frame of `stack`, or the line that the compiler gave it, matches the pattern.
  fileprivate func matches(_ stack: Finding.Stack) -> Bool {
    matches(any: [stack.site]) || stack.frames.contains { matches(any: $0.names) }
  }
}

extension Finding {
  fileprivate var classNames: [String?] {
    [subject?.className, observer?.className] + cycle.map(\.from.className)
  }
}

extension Finding.StackFrame {
  /// All texts of the frame that a pattern may match.
  fileprivate var names: [String?] {
    var names = [symbol, module]
    if let name = module?.split(separator: "/").last { names.append(String(name)) }
    guard let file else { return names }
    for name in [file] + file.split(separator: "/").suffix(1).map(String.init) {
      names.append(name)
      if line > 0 { names.append("\(name):\(line)") }
    }
    return names
  }
}
