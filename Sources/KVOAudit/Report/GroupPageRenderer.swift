import KVORules

/// Renders the findings of crash reports as a page: groups by signature, the most frequent first.
///
/// The page is one file that loads nothing. Every text from a report is escaped.
package struct GroupPageRenderer {
  package init() {}

  /// The page as UTF-8.
  ///
  /// Complexity: O(size of the report).
  package func render(_ report: AuditReport) -> [UInt8] {
    var page = Self.head
    page += "<h1>Faults of key-value observing</h1>\n<p>\(Self.escaped(summary(report)))</p>\n"
    if !report.findings.isEmpty {
      page +=
        "<table>\n<tr><th>reports</th><th>rule</th><th>what happened</th><th>first own frame</th>"
      page += "<th>versions</th><th>systems</th><th>seen</th></tr>\n"
      for finding in report.findings { page += row(finding) }
      page += "</table>\n"
    }
    for finding in report.findings { page += section(finding) }
    if !report.failures.isEmpty {
      page += "<h2>Not read</h2>\n<ul>\n"
      for failure in report.failures { page += "<li>\(Self.escaped(failure.message))</li>\n" }
      page += "</ul>\n"
    }
    return Array((page + "</body>\n</html>\n").utf8)
  }

  private func summary(_ report: AuditReport) -> String {
    let groups = Wording.count(report.findings.count, "group")
    let inputs = Wording.count(report.inputs.count, "input")
    return
      "\(groups) of faults in \(Wording.count(report.summary.reportCount, "report")) from \(inputs)"
  }

  private func row(_ finding: Finding) -> String {
    let facts = finding.crashFacts
    let cells = [
      Wording.grouped(facts?.reportCount ?? finding.count),
      "<a href=\"#\(finding.signature)\">\(finding.code.rawValue)</a>",
      Self.escaped(finding.message),
      "<code>\(Self.escaped(ownFrame(finding)))</code>",
      Self.escaped(facts.map { CrashFacts.list($0.versions) } ?? ""),
      Self.escaped(facts.map { CrashFacts.list($0.systems) } ?? ""),
      Self.escaped(seen(facts)),
    ]
    return "<tr class=\"\(finding.severity.rawValue)\">"
      + cells.map { "<td>\($0)</td>" }.joined() + "</tr>\n"
  }

  private func seen(_ facts: CrashFacts?) -> String {
    guard let first = facts?.firstSeen, let last = facts?.lastSeen else { return "" }
    return first == last ? first : "\(first) to \(last)"
  }

  private func ownFrame(_ finding: Finding) -> String {
    guard let frame = finding.stacks.first?.frames.first(where: \.isFirstOwn) else { return "" }
    let place = frame.file.map { frame.line > 0 ? " (\($0):\(frame.line))" : " (\($0))" } ?? ""
    return (frame.symbol ?? "") + place
  }

  private func section(_ finding: Finding) -> String {
    let title = RuleCatalogue.entry(finding.code).title
    var page = "<section id=\"\(finding.signature)\">\n"
    page += "<h2>\(finding.code.rawValue) \(Self.escaped(title))</h2>\n"
    page += "<p>\(Self.escaped(finding.message)).</p>\n"
    let advice = CrashAdvice(finding.code)
    var terms = [("Why", advice.why), ("Systems", advice.systems)]
    if finding.confidence == .low {
      terms.append(("Certainty", "the text allows another reading; it fails no build"))
    }
    terms += [("Find", advice.search), ("Fix", finding.hint), ("Catch the rest", CrashAdvice.rest)]
    if let facts = finding.crashFacts {
      if let exception = facts.exception { terms.append(("Exception", exception)) }
      if !facts.observances.isEmpty {
        terms.append(("Registered", facts.observances.joined(separator: "; ")))
      }
    }
    page += "<dl>\n"
    for (term, text) in terms { page += "<dt>\(term)</dt><dd>\(Self.escaped(text))</dd>\n" }
    page += "</dl>\n"
    if let frames = finding.stacks.first?.frames, !frames.isEmpty {
      page += "<pre>"
      for (number, frame) in frames.enumerated() {
        let name = frame.symbol ?? frame.address.map { "0x" + String($0, radix: 16) } ?? "?"
        let place =
          frame.file.map { frame.line > 0 ? "\($0):\(frame.line)" : $0 } ?? frame.module ?? ""
        let line = Self.escaped("#\(number) \(name)  \(place)")
        page += frame.isFirstOwn ? "<b>\(line)</b>\n" : "\(line)\n"
      }
      page += "</pre>\n"
    }
    return page + "</section>\n"
  }

  /// `text` as a page may show it: its markup and its control characters spelled out.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in ShownText.escaped(text).unicodeScalars {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }

  private static let head = """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
    <title>Faults of key-value observing</title>
    <style>
    body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; }
    table { border-collapse: collapse; width: 100%; }
    th, td { border-bottom: 1px solid #8884; padding: .3em .6em; text-align: left; vertical-align: top; }
    td:first-child { font-variant-numeric: tabular-nums; text-align: right; }
    tr.error td:first-child { border-left: 4px solid #c33; }
    tr.warning td:first-child { border-left: 4px solid #c90; }
    tr.note td:first-child { border-left: 4px solid #69c; }
    section { border-top: 1px solid #8884; margin-top: 2em; }
    dt { font-weight: 600; }
    pre { background: #8881; overflow-x: auto; padding: .6em; }
    @media (prefers-color-scheme: dark) { body { background: #1b1b1b; color: #ddd; } a { color: #8bf; } }
    </style>
    </head>
    <body>

    """
}
