import KVORules
import KVOText

extension HTMLText {
  /// How many groups are in the table.
  private static let groupLimit = 200

  /// Writes the groups of crash reports as a table, the most frequent first.
  mutating func writeGroups(_ findings: [Finding]) {
    let groups = findings.filter { $0.crashFacts != nil }
    let headings = [
      "reports", "rule", "what happened", "first own frame", "versions", "systems", "seen",
    ]
    element("div", ["class": "panel scrolls"]) { page in
      page.element("table") { page in
        page.line()
        page.element("thead") { page in
          page.element("tr") { page in
            for (index, heading) in headings.enumerated() {
              let style = index == 0 ? "figure" : nil
              page.element("th", ["scope": "col", "class": style], text: heading)
            }
          }
        }
        page.line()
        page.element("tbody") { page in
          page.line()
          for finding in groups.prefix(Self.groupLimit) { page.writeGroup(finding) }
        }
      }
      let more = groups.count - Self.groupLimit
      if more > 0 { page.element("p", text: "and \(Wording.count(more, "more group"))") }
    }
    line()
  }

  private mutating func writeGroup(_ finding: Finding) {
    let facts = finding.crashFacts
    element("tr") { page in
      let count = facts?.reportCount ?? finding.count
      page.element("td", ["class": "figure"], text: Wording.grouped(count))
      page.element("td", ["class": finding.severity.rawValue]) { page in
        page.sign(finding.severity.rawValue)
        page.markup(" ")
        page.element("a", ["href": "#\(finding.signature)"], text: finding.code.rawValue)
      }
      page.cell(finding.message)
      page.element("td") { page in
        page.element("code") { $0.text(Self.ownFrame(finding), limit: 300) }
      }
      page.cell(facts.map { CrashFacts.list($0.versions) } ?? "")
      page.cell(facts.map { CrashFacts.list($0.systems) } ?? "")
      page.cell(Self.seen(facts))
    }
    line()
  }

  private mutating func cell(_ text: String) { element("td") { $0.text(text, limit: 300) } }

  private static func seen(_ facts: CrashFacts?) -> String {
    guard let first = facts?.firstSeen, let last = facts?.lastSeen else { return "" }
    return first == last ? first : "\(first) to \(last)"
  }

  private static func ownFrame(_ finding: Finding) -> String {
    guard let frame = finding.stacks.first?.frames.first(where: \.isFirstOwn) else { return "" }
    let location = FindingText.location(of: frame)
    return (frame.symbol ?? "") + (location.isEmpty || frame.file == nil ? "" : " (\(location))")
  }
}
