import KVORules

/// A signature in a suppression: of either version, a prefix of it, or a pattern.
package struct SignaturePattern: Hashable, Sendable {
  /// The text as written.
  package let text: String
  private let glob: GlobPattern?

  package init(_ text: String) {
    self.text = text
    glob = text.contains { "*?\\".contains($0) } ? GlobPattern(text) : nil
  }

  /// Whether it can match any signature.
  var isName: Bool { glob != nil || Signature.isName(text) }

  /// Whether every signature matches it, or every one of the current version.
  package var matchesAll: Bool {
    guard let glob else { return false }
    let isOfVersion = text.hasPrefix(Signature.prefix)
    return glob.matchesAll
      || isOfVersion && GlobPattern(text.dropFirst(Signature.prefix.count)).matchesAll
  }

  /// The part of a finding that a signature matches.
  enum Reach: Hashable {
    case nothing
    /// Lines of it, by index.
    case lines(Set<Int>)
    case all
  }

  /// The part of `finding` that it matches.
  ///
  /// Complexity: O(lines of the finding).
  func reach(of finding: Finding) -> Reach {
    if matches(finding.signature) { return .all }
    let lines = finding.lines.indices.filter { index in
      let line = finding.lines[index]
      return matches(line.signature) || line.version1.map(matches) ?? false
    }
    return lines.isEmpty ? .nothing : .lines(Set(lines))
  }

  /// The signatures of `finding` of which it is a prefix; none if it is complete, or a pattern, which may match
  /// several.
  func completions(in finding: Finding) -> [String] {
    let wholeCount = Signature.prefix.utf8.count + Signature.digitCount
    guard glob == nil, Signature.isCurrent(text), text.utf8.count < wholeCount else { return [] }
    if finding.signature.hasPrefix(text) { return [finding.signature] }
    return finding.lines.map(\.signature).filter { $0.hasPrefix(text) }
  }

  private func matches(_ signature: String) -> Bool {
    if let glob { return glob.matches(signature) }
    return Signature.isCurrent(text) ? signature.hasPrefix(text) : signature == text
  }
}
