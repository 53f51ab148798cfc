import KVOFindings
import KVORules
import KVOText

extension CrashFacts {
  /// The facts of a finding's crash reports, as lines of its text, each ended by a line feed.
  func lines(of finding: Finding) -> String {
    let advice = CrashAdvice(finding)
    var parts = ["Why: \(advice.why)", "Systems: \(advice.systems)", "Find: \(advice.search)"]
    if let exception { parts.append("Exception: \(exception)") }
    if let options { parts.append("Options: \(options)") }
    if observances.count > 1 {
      parts.append("Registered: " + observances.joined(separator: "; "))
    }
    if !masked.isEmpty { parts.append("Masked in the text: \(Self.words(masked))") }
    var seen = [Wording.count(reportCount, "report")]
    if let firstSeen, let lastSeen {
      seen.append(firstSeen == lastSeen ? firstSeen : "\(firstSeen) to \(lastSeen)")
    }
    for counts in [processes, versions, systems] where !counts.isEmpty {
      seen.append(Self.list(counts))
    }
    parts.append("In: " + seen.joined(separator: " · "))
    return parts.map { "  \(ShownText.escaped($0))\n" }.joined()
  }

  /// `observer, key path`.
  static func words(_ masked: [String]) -> String {
    masked.map { ["subject": "observed object", "keyPath": "key path"][$0] ?? $0 }
      .joined(separator: ", ")
  }

  /// `iOS 13.3 (12), iOS 12.1 (3)`, the most frequent first.
  static func list(_ counts: [String: Int]) -> String {
    let names = counts.keys.sorted { (counts[$1] ?? 0, $0) < (counts[$0] ?? 0, $1) }
    let shown = names.prefix(5).map { counts.count == 1 ? $0 : "\($0) (\(counts[$0] ?? 0))" }
    let more = names.count > 5 ? " and \(names.count - 5) more" : ""
    return shown.joined(separator: ", ") + more
  }
}
