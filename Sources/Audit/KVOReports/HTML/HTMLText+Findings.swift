import KVOAudit
import KVORules
import KVOText

extension HTMLText {
  /// How many files can be chosen.
  private static let fileLimit = 500

  /// Writes the search field for findings; without a script, it stays hidden.
  mutating func writeFilter(_ findings: [Finding], _ files: FindingFiles) {
    element("form", ["id": "filter", "class": "filter panel", "hidden": "", "role": "search"]) {
      page in
      page.line()
      page.element("label", ["class": "field grows", "for": "search"]) { page in
        page.text("Search in findings, stacks and source")
        page.open(
          "input",
          ["type": "search", "id": "search", "autocomplete": "off", "spellcheck": "false"]
        )
      }
      page.line()
      page.element("label", ["class": "field", "for": "rule"]) { page in
        page.text("Rule")
        page.element("select", ["id": "rule"]) { page in
          page.element("option", ["value": "", "selected": ""], text: "all rules")
          page.writeRules(findings)
        }
      }
      page.line()
      page.element("label", ["class": "field", "for": "file"]) { page in
        page.text("File")
        page.element("select", ["id": "file"]) { page in
          page.element("option", ["value": "", "selected": ""], text: "all files")
          for file in files.files.prefix(Self.fileLimit) {
            let title = "\(file.name) (\(Wording.grouped(file.findingCount)))"
            page.element("option", ["value": file.name], text: title, limit: 200)
          }
        }
      }
      page.line()
      page.element("fieldset") { page in
        page.element("legend", ["class": "unseen"], text: "Severity")
        for severity in Severity.allCases.reversed() {
          page.element("label", ["class": "choice"]) { page in
            page.open(
              "input",
              ["type": "checkbox", "checked": "", "value": severity.rawValue]
            )
            page.badge(severity)
          }
        }
      }
      page.line()
    }
    line()
    element("div", ["id": "tools", "class": "shown quiet small", "hidden": ""]) { page in
      page.element("p", ["id": "shown", "role": "status", "aria-live": "polite"]) { _ in }
      page.element("p", ["class": "hints"]) { page in
        page.hint("j", "next")
        page.hint("k", "previous")
        page.hint("Enter", "open or close")
        page.hint("/", "search")
      }
      page.element("button", ["type": "button", "id": "open-all"], text: "Open all")
      page.element("button", ["type": "button", "id": "close-all"], text: "Close all")
    }
    line()
  }

  private mutating func hint(_ key: String, _ meaning: String) {
    element("span") { page in
      page.element("kbd", text: key)
      page.text(" \(meaning)")
    }
  }

  private mutating func writeRules(_ findings: [Finding]) {
    for tally in RuleTally.all(of: findings).sorted(by: { $0.code < $1.code }) {
      let name = "\(tally.code.rawValue) \(tally.code.slug)"
      element(
        "option",
        ["value": tally.code.rawValue],
        text: "\(name) (\(Wording.grouped(tally.findingCount)))"
      )
    }
  }

  /// Writes the findings, the worst first, as far as the page has space.
  mutating func writeFindings(
    _ report: AuditReport,
    _ files: FindingFiles,
    _ sources: SourceShelf
  ) {
    var anchors: Set<String> = []
    var rest = report.findings[...]
    let held = report.snapshot?.heldBySignature ?? [:]
    element("div", ["class": "findings"]) { page in
      page.line()
      while let finding = rest.first, page.bytes.count < HTMLReportRenderer.detailByteLimit {
        let hasLog = report.inputs.count > 1 && report.inputs.indices.contains(finding.input)
        FindingSection(
          finding: finding,
          file: files[finding],
          isOpen: report.findings.count == 1,
          log: hasLog ? report.inputs[finding.input].path : nil,
          sources: sources,
          held: ([finding] + finding.consequences).flatMap { held[$0.signature] ?? [] }
        ).write(to: &page, &anchors)
        rest = rest.dropFirst()
      }
    }
    line()
    if rest.isEmpty { return }
    element("p", ["class": "panel"]) { page in
      page.text(
        "\(Wording.count(rest.count, "more finding")) without stacks, so that this page stays "
          + "small; the text form has all of them."
      )
    }
    element("ol", ["class": "more"]) { page in
      page.line()
      while let finding = rest.first, page.bytes.count < HTMLReportRenderer.rowByteLimit {
        let isAnchor = anchors.insert(finding.signature).inserted
        page.writeRow(finding, file: files[finding], isAnchor: isAnchor)
        rest = rest.dropFirst()
      }
    }
    line()
    if !rest.isEmpty { element("p", text: "and \(Wording.grouped(rest.count)) more") }
  }

  private mutating func writeRow(_ finding: Finding, file: String, isAnchor: Bool) {
    let attributes: KeyValuePairs<StaticString, String?> = [
      "id": isAnchor ? finding.signature : nil,
      "data-code": finding.code.rawValue,
      "data-severity": finding.severity.rawValue,
      "data-file": file,
      "data-words": StackWords.text(of: finding.stacks.lazy.flatMap(\.frames)),
    ]
    element("li", attributes) { page in
      page.badge(finding.severity)
      page.markup(" ")
      page.element("code", text: finding.code.rawValue)
      page.markup(" ")
      page.text(finding.message, limit: 300)
      page.element("code", ["class": "quiet"], text: " \(finding.shortSignature)")
    }
    line()
  }
}
