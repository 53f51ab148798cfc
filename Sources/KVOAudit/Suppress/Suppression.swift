package import KVORules

/// A fault that a team knows and does not want to be told of for a while.
///
/// What it leaves out matches anything; what it names must all match.
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

  /// `kvo.suppressions:3`.
  package var place: String { "\(file):\(line)" }

  /// Whether it means `finding`, with all its lines.
  ///
  /// Complexity: O(frames of the finding).
  package func matches(_ finding: Finding) -> Bool { reach(of: finding) == .all }

  /// What of `finding` it means: a signature may name one line of several.
  func reach(of finding: Finding) -> SignaturePattern.Reach {
    guard matchesNames(of: finding) else { return .nothing }
    return signature?.reach(of: finding) ?? .all
  }

  /// Whether all that it names beside the signature is as in `finding`.
  private func matchesNames(of finding: Finding) -> Bool {
    matches(finding.code)
      && (keyPath?.matches(any: [finding.keyPath]) ?? true)
      && (className?.matches(any: finding.classNames) ?? true)
      && (frame.map { pattern in finding.stacks.contains { pattern.matches($0) } } ?? true)
  }

  /// Whether it is about the rule behind `code`.
  func matches(_ code: RuleCode) -> Bool {
    rule.matches(code.rawValue) || rule.matches(code.slug)
  }

  /// Whether a fault of registrations made at `site` could be one that it means.
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

  /// Whether a frame of `stack`, or the line that the compiler gave it, is as the pattern says.
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
  /// All that a pattern may call the frame.
  fileprivate var names: [String?] {
    var names = [symbol, file, module]
    for path in [file, module].compactMap(\.self) {
      if let name = path.split(separator: "/").last { names.append(String(name)) }
    }
    if file != nil, line > 0 { names += [file, names[3]].map { $0.map { "\($0):\(line)" } } }
    return names
  }
}
