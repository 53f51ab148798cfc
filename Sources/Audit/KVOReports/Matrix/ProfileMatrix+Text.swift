package import KVOAudit
import KVOFindings
import KVORules
import KVOText

extension ProfileMatrix {
  /// The matrix as a table for people, as UTF-8, with a newline at its end.
  package var text: [UInt8] {
    if inputs.isEmpty, !failures.isEmpty {
      return Array((TextReportRenderer.notRead(failures, all: true) + "\n").utf8)
    }
    let profiles = Profile.allCases
    var lines = ["PROFILES: what becomes of each fault on each runtime (-: not a fault there)"]
    var table = [["rule", "signature"] + profiles.map(\.rawValue)]
    table += rows.map { row in
      [row.code.rawValue, Signature.short(row.signature)]
        + profiles.map { row.cells[$0]?.text ?? "-" }
    }
    table.append(["errors", ""] + profiles.map { Wording.grouped(count(.error, on: $0)) })
    table.append(["warnings", ""] + profiles.map { Wording.grouped(count(.warning, on: $0)) })
    table.append(
      ["not judged", ""] + profiles.map { Wording.grouped(notJudged[$0]?.count ?? 0) }
    )
    let widths = table[0].indices.map { column in table.map(\.[column].count).max() ?? 0 }
    for (index, cells) in table.enumerated() {
      let padded = cells.enumerated().map { column, cell in
        cell + String(repeating: " ", count: widths[column] - cell.count)
      }
      lines.append("  " + padded.joined(separator: "  ").trimmingEnd)
      if index > 0, index <= rows.count {
        lines.append("    " + ShownText.escaped(rows[index - 1].message))
      }
    }
    if rows.contains(where: { $0.cells.values.contains { !$0.counts } }) {
      lines.append("In parentheses: a test expects it, or it is suppressed, and it does not count.")
    }
    let crashesByInput = Dictionary(grouping: crashes, by: \.input)
    for input in crashedInputs where inputs.indices.contains(input) {
      let crash = crashesByInput[input, default: []]
        .sentences(after: "a process crashed, and nothing was found in it")
      lines.append(ShownText.escaped("CRASH: \(inputs[input].path): \(crash)"))
    }
    let outcomes = suppressions.compactMap(\.line)
    if !outcomes.isEmpty {
      lines += ["SUPPRESSIONS to look at:"] + outcomes.map { "  \($0)" }
    }
    lines.append("Not judged is not clean; with one runtime, kvo-audit lists those rules, and why.")
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  /// How many faults are of `severity` on the runtime of `profile`, without those that follow from others there.
  private func count(_ severity: Severity, on profile: Profile) -> Int {
    rows.count { row in
      row.cells[profile].map { $0.severity == severity && !$0.isConsequence && $0.counts } ?? false
    }
  }
}

extension ProfileMatrix.Cell {
  /// The consequence as the table shows it.
  fileprivate var text: String { counts ? consequence.rawValue : "(\(consequence.rawValue))" }
}

extension String {
  /// The text without the blanks at its end.
  fileprivate var trimmingEnd: String {
    var rest = self[...]
    while rest.last == " " { rest.removeLast() }
    return String(rest)
  }
}
