import KVOAudit
import KVORules

/// The text of a comparison.
struct ComparisonText {
  private let comparison: BaselineComparison

  init(_ comparison: BaselineComparison) { self.comparison = comparison }

  /// A block of a text report: the figures, then the fixed findings.
  var block: String {
    let path = ShownText.escaped(comparison.path)
    var lines = ["COMPARED with \(path): \(figures)"]
    lines += comparison.fixed.map { "  fixed: \(Self.line($0))" }
    lines += comparison.unjudged.map { "  not judged this time: \(Self.line($0))" }
    return lines.joined(separator: "\n")
  }

  /// The same as Markdown, with `escaped` for all text from logs.
  func markdown(_ escaped: (String) -> String) -> String {
    var lines = ["**Compared with \(escaped(comparison.path)):** \(figures)"]
    let gone =
      comparison.fixed.map { "- fixed: \(escaped(Self.line($0)))" }
      + comparison.unjudged.map { "- not judged this time: \(escaped(Self.line($0)))" }
    if !gone.isEmpty { lines += [""] + gone }
    return lines.joined(separator: "\n")
  }

  /// `1 new, 2 unchanged, 1 moved, 3 fixed`.
  private var figures: String {
    var parts = ["\(comparison.newCount) new", "\(comparison.unchangedCount) unchanged"]
    if comparison.movedCount > 0 { parts.append("\(comparison.movedCount) moved") }
    parts.append("\(comparison.fixed.count) fixed")
    if !comparison.unjudged.isEmpty { parts.append("\(comparison.unjudged.count) not judged") }
    return parts.joined(separator: ", ")
  }

  /// `KVO001 2:5f0c2a91d3: Screen#3 removed "balance" twice`.
  static func line(_ finding: Finding) -> String {
    ShownText.escaped("\(finding.code.rawValue) \(finding.shortSignature): \(finding.message)")
  }
}
