import Foundation
import TestSupport
import Testing

/// JSON, which takes 100 MB, is in `ReportLimitTests` alone: a debug build needs minutes for it here.
@Suite("kvo-audit with more findings than the readers of a report take")
struct ReportLimitCommandTests {
  /// A form with a limit.
  struct Form: CustomTestStringConvertible {
    /// As `--format` names it.
    let name: String
    let byteLimit: Int
    /// Whether the limit is that of the file after compression.
    var isCompressed = false
    var testDescription: String { name }

    // A debug build needs a minute for ten megabytes, which only the long form has.
    static let all =
      Rounds.areMany
      ? [
        Form(name: "sarif", byteLimit: 10_000_000, isCompressed: true),
        Form(name: "junit", byteLimit: 10_000_000),
      ] : [Form(name: "markdown", byteLimit: 65_536)]
    static let withSchema = all.filter { $0.name != "markdown" }

    /// The size of a report, as the form's limit counts it.
    func byteCount(of text: String) throws -> Int {
      guard isCompressed else { return text.utf8.count }
      let script = "gzip -c report | wc -c"
      let folder = try ScratchFolder()
      _ = try folder.file("report", text)
      let run = try ProgramRun(shell: script, in: folder.url)
      return try #require(Int(run.output.trimmingCharacters(in: .whitespacesAndNewlines)))
    }
  }

  /// The reports of one run, by form.
  private struct Reports {
    let run: CommandRun
    let texts: [String: String]

    init(_ options: [String]) throws {
      let folder = try ScratchFolder()
      try ReportLimitCommandTests.writeLog(findingCount, keyPathLength: keyPathLength, in: folder)
      let formats = Form.all.flatMap { ["--format", "\($0.name)=\($0.name)"] }
      run = try CommandRun(formats + options + ["log.jsonl"], in: folder.url)
      texts = try Form.all.reduce(into: [:]) {
        $0[$1.name] = try String(contentsOfFile: folder.path($1.name), encoding: .utf8)
      }
    }
  }

  // A key path longer than the 32 KB in which gzip finds repetitions counts each time that a report has it.
  private static let findingCount = Rounds.areMany ? 250 : 70
  private static let keyPathLength = Rounds.areMany ? 40_000 : 9_000
  private static let limited = Result { try Reports([]) }
  private static let unlimited = Result { try Reports(["--no-limits"]) }

  @Test("omits what exceeds the limit, and reports how much", arguments: Form.all)
  func limited(form: Form) throws {
    let reports = try Self.limited.get()
    #expect(reports.run.status == 1 && reports.run.complaint.isEmpty)
    let text = try #require(reports.texts[form.name])
    let byteCount = try form.byteCount(of: text)
    #expect(byteCount <= form.byteLimit)
    #expect(byteCount > form.byteLimit / 10 * 8)
    let shownCount = classes(text).count
    #expect(shownCount > 0 && shownCount < Self.findingCount)
    let omitted = try #require(text.firstMatch(of: /([\d,]+) findings left out/))
    #expect(number(omitted.1) == Self.findingCount - shownCount)
  }

  @Test("writes every finding with --no-limits", arguments: Form.all)
  func unlimited(form: Form) throws {
    let reports = try Self.unlimited.get()
    #expect(reports.run.status == 1 && reports.run.complaint.isEmpty)
    let text = try #require(reports.texts[form.name])
    #expect(try form.byteCount(of: text) > form.byteLimit)
    #expect(classes(text) == Set(100_000..<100_000 + Self.findingCount))
    #expect(!text.contains("left out"))
  }

  @Test(
    "stays valid, limited or not",
    .enabled(if: Rounds.areMany, "is in the long form"),
    .enabled(if: Schemas.areAvailable, "needs KVO_SAFETY_SCHEMAS, xmllint and Python's jsonschema"),
    arguments: Form.withSchema,
    [true, false]
  )
  func valid(form: Form, isLimited: Bool) throws {
    let reports = try isLimited ? Self.limited.get() : Self.unlimited.get()
    let text = try #require(reports.texts[form.name])
    let folder = try ScratchFolder()
    let file = try folder.file("report", text)
    #expect(Schemas.accepts(URL(filePath: file), as: form.name))
  }

  // The page has a limit of its own, which --no-limits leaves as it is.
  @Test("keeps the page small, with the number of omitted findings")
  func page() throws {
    let findingCount = 10_000
    let folder = try ScratchFolder()
    try Self.writeLog(findingCount, keyPathLength: 300, in: folder)
    let run = try CommandRun(["--format", "html", "--no-limits", "log.jsonl"], in: folder.url)
    #expect(run.output.utf8.count <= 5_000_000)
    let detailedCount = run.output.matches(of: /<details class="finding/).count
    let rowCount = run.output.matches(of: /<li id="[^"]*" data-code=/).count
    let rest = try #require(run.output.firstMatch(of: /([\d,]+) more findings without stacks/))
    let more = try #require(run.output.firstMatch(of: /and ([\d,]+) more</))
    #expect(detailedCount > 0 && rowCount > 0)
    #expect(detailedCount + number(rest.1) == findingCount)
    #expect(detailedCount + rowCount + number(more.1) == findingCount)
  }

  /// Writes a log of removals that no registration precedes, each of another class, of one key path that compression
  /// cannot shorten.
  private static func writeLog(_ count: Int, keyPathLength: Int, in folder: ScratchFolder) throws {
    var random = SplitMix64(seed: 1)
    let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$")
    let keyPath = String((0..<keyPathLength).map { _ in letters[Int(random.next() % 64)] })
    let observer = #""observer":{"class":"Screen","id":"2"}"#
    var text = ""
    for number in 0..<count {
      text += #"{"event":"remove","thread":1,"subject":{"class":"Class"#
      text += "\(100_000 + number)\",\"id\":\"1\"},\(observer),\"keyPath\":\"\(keyPath)\"}\n"
    }
    _ = try folder.file("log.jsonl", text + "{\"event\":\"exit\",\"status\":0}\n")
  }

  /// The numbers of the classes that `text` has findings of.
  private func classes(_ text: String) -> Set<Int> {
    Set(text.matches(of: /Class(\d{6})/).compactMap { Int($0.1) })
  }

  /// The number that `text` spells, with its digits in groups of three.
  private func number(_ text: Substring) -> Int { Int(text.filter { $0 != "," }) ?? -1 }
}
