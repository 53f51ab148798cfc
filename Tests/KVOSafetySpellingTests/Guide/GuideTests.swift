import Foundation
import TestSupport
import Testing

/// Holds the tables of the documents against the sources of this folder, which are compiled: a row whose
/// code stands in none of them fails.
@Suite("Each call of the guide's tables is compiled")
struct GuideTests {
  @Test(
    "the code of each row stands in a source that is compiled",
    arguments: [
      "README.md", "Sources/KVOSafety/KVOSafety.docc/Wrapping.md",
    ]
  )
  func rows(document: String) throws {
    let text = try String(
      contentsOf: ProgramRun.package.appendingPathComponent(document),
      encoding: .utf8
    )
    let tables = GuideTable.tables(in: text)
    #expect(!tables.isEmpty)
    let sources = try CompiledCalls(folder: URL(fileURLWithPath: #filePath))
    for row in tables.flatMap(\.rows) {
      for span in row.spans {
        #expect(sources.contain(span), "\(document): `\(span)`, in the row of \(row.before)")
      }
    }
  }

  @Test("a row whose call is in no source is found, also one with an ellipsis or a label alone")
  func missing() throws {
    let text = """
      | before | after | what differs |
      |---|---|---|
      | `a` | `account.watch(\\.balance)`, `observe(account) { … } until: x` | `nothing(with:)` |
      """
    let spans = GuideTable.tables(in: text).flatMap(\.rows).flatMap(\.spans)
    #expect(spans.count == 3)
    let sources = try CompiledCalls(folder: URL(fileURLWithPath: #filePath))
    #expect(spans.filter { sources.contain($0) } == [])
  }
}

/// A table of calls before and after, in Markdown.
private struct GuideTable {
  struct Row {
    var before: String
    /// The code after porting.
    var spans: [String]
  }

  var rows: [Row] = []

  static func tables(in text: String) -> [GuideTable] {
    var tables: [GuideTable] = []
    var isOfCalls = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("| ") else {
        if !line.hasPrefix("|---") { isOfCalls = false }
        continue
      }
      let cells = line.dropFirst(2).components(separatedBy: " | ")
      if cells.first == "before" {
        isOfCalls = true
        tables.append(GuideTable())
      } else if isOfCalls {
        tables[tables.count - 1].rows.append(row(cells))
      }
    }
    return tables
  }

  private static func row(_ cells: [String]) -> Row {
    let isSame = cells.count > 1 && cells[1].hasPrefix("the same")
    let written = (isSame ? code(in: cells[0]) : []) + (cells.count > 1 ? code(in: cells[1]) : [])
    // Of what differs only what is code of ours: a call, an attribute, a declaration.
    let differing = cells.dropFirst(2).flatMap(code(in:)).filter { span in
      span.contains("(") || span.contains("=") || span.contains(":") && !span.hasSuffix(":")
    }
    return Row(before: cells[0], spans: written + differing)
  }

  private static func code(in cell: String) -> [String] {
    cell.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
  }
}

/// The sources of the guide's calls, without comments and white space.
private struct CompiledCalls {
  private var sources: [String] = []

  init(folder: URL) throws {
    let folder = folder.deletingLastPathComponent()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    for name in names where name.hasSuffix(".swift") && name != "GuideTests.swift" {
      let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
      let lines = text.components(separatedBy: "\n").filter {
        !$0.trimmingCharacters(in: .whitespaces).hasPrefix("//")
      }
      sources.append(Self.bare(lines.joined()))
    }
  }

  /// Whether one of the sources has the code, in which `…` stands for anything short.
  func contain(_ span: String) -> Bool {
    var parts = span.components(separatedBy: "…").map(Self.bare).filter { !$0.isEmpty }
    // `func willChangeValue(for:)` names a function by its labels.
    if let name = span.wholeMatch(of: #/(?:func )?([\w.]+)\((?:\w+:)+\)(?: -> \w+)?/#)?.1 {
      parts = ["\(name)("]
    }
    return sources.contains { source in
      var starts = source[...]
      while let first = parts.first, let start = starts.range(of: first) {
        let near = source[start.upperBound...].prefix(400)
        if Self.follow(parts.dropFirst(), in: near) { return true }
        starts = source[source.index(after: start.lowerBound)...]
      }
      return false
    }
  }

  private static func follow(_ parts: ArraySlice<String>, in text: Substring) -> Bool {
    var rest = text
    for part in parts {
      guard let found = rest.range(of: part) else { return false }
      rest = rest[found.upperBound...]
    }
    return true
  }

  /// Layout aside: no white space, and no comma at the end of a list.
  private static func bare(_ text: String) -> String {
    text.filter { !$0.isWhitespace }
  }
}
