import KVOAudit
import KVOFindings
import KVORules
import KVOText

/// One finding on a page: a line with its summary, and then the proof.
struct FindingSection {
  /// How many stacks of a finding are shown, and how many frames of each.
  static let stackLimit = 6
  static let frameLimit = 40
  private static let consequenceLimit = 20

  let finding: Finding
  /// As ``FindingFiles`` calls it.
  let file: String
  let isOpen: Bool
  /// The log that it is from, if there are several.
  let log: String?
  let sources: SourceShelf
  /// What holds its objects, and those of its consequences, in a heap snapshot.
  var held: [SnapshotReport.Held] = []

  /// Writes it; `anchors` holds the signatures that already have a link target.
  func write(to page: inout HTMLText, _ anchors: inout Set<String>) {
    let attributes: KeyValuePairs<StaticString, String?> = [
      "class": "finding \(finding.severity.rawValue)",
      "data-code": finding.code.rawValue,
      "data-severity": finding.severity.rawValue,
      "data-file": file,
      "data-words": StackWords.text(of: hiddenFrames),
      "open": isOpen ? "" : nil,
    ]
    let isAnchor = anchors.insert(finding.signature).inserted
    page.element("details", attributes) { page in
      page.line()
      page.element("summary", [:], headline)
      page.line()
      // A link to what is inside opens it, even if no script runs.
      page.element("div", ["class": "body", "id": isAnchor ? finding.signature : nil]) { page in
        page.line()
        writeTerms([("Fix", finding.hint)], "terms fix", &page)
        writeStacks(&page)
        if !finding.cycle.isEmpty { page.write(CycleDrawing(finding.cycle)) }
        writeConsequences(&page, &anchors)
        writeHeld(&page)
        writeTerms(terms, "terms small", &page)
      }
    }
    page.line()
  }

  private func headline(_ page: inout HTMLText) {
    page.element("span", ["class": "headline"]) { page in
      page.badge(finding.severity)
      page.markup(" ")
      page.element("h3", text: RuleCatalogue.entry(finding.code).title)
      page.markup(" ")
      page.element(
        "code",
        ["class": "quiet"],
        text: "\(finding.code.rawValue) \(finding.code.slug)"
      )
      for mark in marks { page.element("span", ["class": "quiet small"], text: " \(mark)") }
      page.markup(" ")
      page.element("span", ["class": "times quiet small"], text: times)
    }
    page.element("span", ["class": "message"], text: finding.message, limit: 400)
    if let location { page.element("span", ["class": "place"], text: location, limit: 200) }
  }

  private var marks: [String] {
    (finding.baseline.map { [$0.name] } ?? []) + (finding.isLibrary ? ["in a library"] : [])
      + (finding.isExpected ? ["meant"] : []) + (finding.isSuppressed ? ["suppressed"] : [])
      + (finding.confidence == .low ? ["low confidence"] : [])
  }

  private var times: String {
    if let facts = finding.crashFacts { return Wording.count(facts.reportCount, "report") }
    return finding.count == 1 ? "once" : "\(Wording.grouped(finding.count)) times"
  }

  /// The first own frame of the first stack that has one, or the line that the compiler gave.
  private var location: String? {
    for stack in finding.stacks {
      if let frame = stack.frames.first(where: \.isFirstOwn) {
        let location = FindingText.location(of: frame)
        return [frame.symbol, location.isEmpty ? nil : location].compactMap(\.self)
          .joined(separator: "  ")
      }
      if let site = stack.site { return site }
    }
    return nil
  }

  // MARK: - The proof

  /// The stacks that say something.
  private var stacks: [Finding.Stack] {
    finding.stacks.enumerated()
      .filter { $0.offset == 0 || !$0.element.frames.isEmpty || $0.element.site != nil }
      .map(\.element)
  }

  /// The frames that the page has no space for.
  private var hiddenFrames: [Finding.StackFrame] {
    let stacks = stacks
    return stacks.prefix(Self.stackLimit).flatMap { $0.frames.dropFirst(Self.frameLimit) }
      + stacks.dropFirst(Self.stackLimit).flatMap(\.frames)
  }

  private func writeStacks(_ page: inout HTMLText) {
    let shown = stacks
    page.element("div", ["class": "stacks"]) { page in
      page.line()
      for stack in shown.prefix(Self.stackLimit) {
        page.write(stack, isEvent: finding.crashFacts == nil, sources)
      }
    }
    page.line()
    if shown.count > Self.stackLimit {
      let count = Wording.count(shown.count - Self.stackLimit, "more stack")
      page.element("p", ["class": "quiet small"], text: "\(count) in the JSON form")
    }
    if finding.isHistoryLost {
      page.element("p", ["class": "quiet small"], text: "Earlier history is lost.")
    }
  }

  private func writeConsequences(_ page: inout HTMLText, _ anchors: inout Set<String>) {
    guard !finding.consequences.isEmpty else { return }
    page.element("div") { page in
      page.element("h4", text: "It leads to")
      page.element("ul", ["class": "leads"]) { page in
        for consequence in finding.consequences.prefix(Self.consequenceLimit) {
          let isAnchor = anchors.insert(consequence.signature).inserted
          page.element("li", ["id": isAnchor ? consequence.signature : nil]) { page in
            page.text(consequence.message)
            let rule = "\(consequence.code.rawValue) \(consequence.code.slug)"
            let times =
              consequence.count == 1 ? "once" : "\(Wording.grouped(consequence.count)) times"
            page.element(
              "span",
              ["class": "quiet small"],
              text: " (\(rule), \(consequence.shortSignature), seen \(times))"
            )
            if !consequence.cycle.isEmpty { page.write(CycleDrawing(consequence.cycle)) }
          }
          page.line()
        }
        let more = finding.consequences.count - Self.consequenceLimit
        if more > 0 { page.element("li", text: "and \(Wording.grouped(more)) more") }
      }
    }
    page.line()
  }

  private func writeHeld(_ page: inout HTMLText) {
    guard !held.isEmpty else { return }
    page.element("div") { page in
      page.element("h4", text: "In the heap snapshot")
      page.writeHeld(held)
    }
    page.line()
  }

  // MARK: - Terms

  private func writeTerms(
    _ terms: [(String, String)],
    _ style: String,
    _ page: inout HTMLText
  ) {
    page.element("dl", ["class": style]) { page in
      for (term, text) in terms {
        page.element("dt", text: term)
        page.element("dd") { page in
          if term == Self.signatureTerm {
            page.element("a", ["href": "#\(finding.signature)"]) { page in
              page.element("code", text: text)
            }
          } else {
            page.prose(text)
          }
        }
        page.line()
      }
    }
    page.line()
  }

  private static let signatureTerm = "Signature"

  private var terms: [(String, String)] {
    var terms = crashTerms
    terms.append((Self.signatureTerm, finding.shortSignature))
    if let others = FindingText.otherLines(finding) { terms.append(("Also at", others)) }
    if !finding.events.isEmpty {
      let shown = finding.events.prefix(FindingText.eventLimit).map { Wording.grouped($0) }
      let more = finding.events.count - FindingText.eventLimit
      let term = finding.crashFacts == nil ? "Events" : "Lines"
      let rest = more > 0 ? " and \(Wording.grouped(more)) more" : ""
      terms.append((term, shown.joined(separator: " · ") + rest))
    }
    terms.append(("Consequence", "\(finding.consequence.rawValue) on \(finding.profile.rawValue)"))
    if finding.confidence == .low, finding.crashFacts == nil {
      terms.append(("Certainty", "the events allow another reading"))
    }
    if let baseline { terms.append(("Since the baseline", baseline)) }
    if let note = finding.suppression {
      terms.append(("Suppressed", "\(note.reason), until \(note.until) (\(note.location))"))
    }
    if let seen = Wording.seen(finding) { terms.append(("Seen", String(seen.dropFirst(5)))) }
    if let log { terms.append(("Log", log)) }
    return terms
  }

  /// Its state compared with a previous report, or nil if there is none.
  private var baseline: String? {
    switch finding.baseline {
    case nil: nil
    case .new: "new"
    case .unchanged: "unchanged"
    case .moved(let from): "moved to another line; it was \(from)"
    }
  }

  /// The section of a fault from crash reports.
  private var crashTerms: [(String, String)] {
    guard let facts = finding.crashFacts else { return [] }
    let advice = CrashAdvice(finding)
    var terms = [("Why", advice.why), ("Systems", advice.systems), ("Find", advice.search)]
    if finding.confidence == .low {
      terms.append(("Certainty", "the text allows another reading; it fails no build"))
    }
    terms.append(("Catch the rest", CrashAdvice.rest))
    if let exception = facts.exception { terms.append(("Exception", exception)) }
    if !facts.masked.isEmpty { terms.append(("Masked", CrashFacts.words(facts.masked))) }
    if let options = facts.options { terms.append(("Options", options)) }
    if !facts.observances.isEmpty {
      terms.append(("Registered", facts.observances.joined(separator: "; ")))
    }
    return terms
  }
}
