import KVORules
import KVOText

extension JSONText {
  /// Writes a rule as services show it beside its findings.
  mutating func write(sarifRule entry: RuleCatalogue.Entry) {
    let explanation = entry.explanation
    object { text in
      text.key("id")
      text.value(entry.code.rawValue)
      text.key("name")
      text.value(Self.camelCase(entry.slug))
      text.key("shortDescription")
      text.write(sarifMessage: entry.title)
      text.key("fullDescription")
      text.write(sarifMessage: explanation.happened)
      text.key("help")
      text.object { text in
        text.key("text")
        text.value(
          "\(explanation.matters)\n\n\(explanation.fix)\n\n"
            + "Before:\n\(explanation.before)\n\nAfter:\n\(explanation.after)"
        )
        text.key("markdown")
        text.value(entry.sarifHelp)
      }
      text.key("defaultConfiguration")
      text.object { text in
        text.key("level")
        text.value(entry.severity.rawValue)
      }
      text.writeSarifProperties(precision: entry.severity.sarifPrecision, entry.severity)
    }
  }

  /// Writes the properties by which GitHub's code scanning filters and orders.
  mutating func writeSarifProperties(precision: String, _ severity: Severity) {
    key("properties")
    object { text in
      text.key("tags")
      text.list(["correctness", "key-value-observing"]) { $0.value($1) }
      text.key("precision")
      text.value(precision)
      text.key("problem.severity")
      text.value(severity == .note ? "recommendation" : severity.rawValue)
    }
  }

  /// `double-remove` as `DoubleRemove`.
  static func camelCase(_ slug: String) -> String {
    slug.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}

extension Severity {
  /// How often a finding of this severity is a fault, in the words of GitHub's code scanning.
  ///
  /// An error went wrong in the recorded run. A warning also happened, but may be intended; a note reports something
  /// that some programs do and that need not be harmful.
  fileprivate var sarifPrecision: String {
    switch self {
    case .error: "very-high"
    case .warning: "high"
    case .note: "medium"
    }
  }
}

extension RuleCatalogue.Entry {
  /// The explanation, with its code as code.
  fileprivate var sarifHelp: String {
    """
    \(MarkdownReportRenderer.escaped(explanation.matters))

    **Fix.** \(MarkdownReportRenderer.escaped(explanation.fix))

    Before:

    ```swift
    \(explanation.before)
    ```

    After:

    ```swift
    \(explanation.after)
    ```

    `kvo-audit explain \(code.rawValue)` says the same.

    """
  }
}
