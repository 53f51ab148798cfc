import KVORules
import KVOText

/// The text of `kvo-audit explain`.
package enum RuleExplanation {
  /// A name that does not belong to a rule.
  package struct UnknownRule: Error {
    /// The error, and what would be correct.
    package let message: String
  }

  /// The maximum number of columns of the text.
  private static let width = 80

  /// All rules, a line each, with a newline at the end.
  package static var list: String {
    RuleCatalogue.entries.map { entry in
      let code = entry.code.rawValue
      return "\(code)  \(padded(entry.slug, 32))  \(padded(usual(entry).rawValue, 7))  "
        + entry.title
    }
    .joined(separator: "\n") + "\n"
  }

  /// The explanation of the rule called `name` (a code or a slug), with a newline at the end.
  ///
  /// - Throws: ``UnknownRule`` if there is none; the message offers the names nearest to it.
  package static func text(of name: String) throws(UnknownRule) -> String {
    guard let entry = RuleCatalogue.entry(named: name) else {
      let known = RuleCatalogue.entries.flatMap { [$0.code.rawValue, $0.slug] }
      let near = Wording.near(name, in: known)
      let offer =
        near.isEmpty
        ? "" : " Did you mean \(near.map { "\"\($0)\"" }.joined(separator: " or "))?"
      throw UnknownRule(
        message: "\"\(name)\" is not a rule.\(offer) `kvo-audit explain` lists all rules."
      )
    }
    return text(of: entry)
  }

  private static func text(of entry: RuleCatalogue.Entry) -> String {
    let explanation = entry.explanation
    let judged =
      entry.isLive ? "while the program runs, and in its log" : "in the log of the program"
    let consequences = Profile.allCases.map { profile in
      "  \(padded(profile.rawValue, 15))\(entry.consequences[profile].rawValue)"
    }
    return """
      \(entry.code.rawValue) \(entry.slug): \(entry.title)
      \(severity(of: entry)), judged \(judged)

      What happened
      \(wrapped(explanation.happened))

      Why it matters
      \(wrapped(explanation.matters))

      What to do
      \(wrapped(explanation.fix))

      Before
      \(indented(explanation.before))

      After
      \(indented(explanation.after))

      What becomes of the program, by --profile
      \(consequences.joined(separator: "\n"))

      """
  }

  /// The severity that reports have if no runtime is named.
  private static func usual(_ entry: RuleCatalogue.Entry) -> Severity {
    entry.consequences[.swift] == .none ? entry.severity.lowered : entry.severity
  }

  /// The severity, and when another one holds: a fault without consequence is one step lower.
  private static func severity(of entry: RuleCatalogue.Entry) -> String {
    let usual = usual(entry)
    let others = Profile.allCases.filter { profile in
      (entry.consequences[profile] == .none) != (entry.consequences[.swift] == .none)
    }
    guard !others.isEmpty else { return usual.rawValue }
    let other = entry.consequences[.swift] == .none ? entry.severity : entry.severity.lowered
    let names = others.map(\.rawValue).joined(separator: ", ")
    return "\(usual.rawValue) (\(other.rawValue) on \(names))"
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func indented(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "" : "  \($0)" }.joined(separator: "\n")
  }

  /// Breaks `text` between words, each line two columns in.
  private static func wrapped(_ text: String) -> String {
    var lines: [String] = []
    var line = ""
    for word in text.split(whereSeparator: \.isWhitespace) {
      if !line.isEmpty, line.count + 1 + word.count > width - 2 {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " \(word)"
    }
    lines.append(line)
    return lines.map { "  \($0)" }.joined(separator: "\n")
  }
}
