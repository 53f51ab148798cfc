import KVORules

/// A signature as a suppression names it: of either version, its beginning, or a pattern.
package struct SignaturePattern: Hashable, Sendable {
  /// As it was written.
  package let text: String
  private let glob: GlobPattern?

  package init(_ text: String) {
    self.text = text
    glob = text.contains { "*?\\".contains($0) } ? GlobPattern(text) : nil
  }

  /// Whether it can name a signature at all.
  var isName: Bool { glob != nil || Signature.isName(text) }

  /// Whether it says nothing: every signature matches it.
  package var matchesAll: Bool { glob?.matchesAll ?? false }

  /// What of a finding a signature names.
  enum Reach: Hashable {
    case nothing
    /// Lines of it, by index.
    case lines(Set<Int>)
    case all
  }

  /// What of `finding` it names.
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

  /// The signatures of `finding` that it is the beginning of; none where it is whole, or a pattern,
  /// which may mean several.
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
