import Foundation
import TestSupport
import Testing

@Suite("Help and manual") struct HelpTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// What `help` prints for kvo-audit, and for each command, in a terminal of 72 and of 80 columns.
  private static let narrow = Result { try pages(columns: 72) }
  private static let wide = Result { try pages(columns: 80) }

  private static func pages(columns: Int) throws -> [String: String] {
    let folder = try ScratchFolder()
    func help(_ arguments: [String]) throws -> String {
      let environment = ["COLUMNS": "\(columns)"]
      let run = try CommandRun(arguments, in: folder.url, environment: environment)
      #expect(run.status == 0 && run.complaint == "")
      return run.output
    }
    var pages = ["": try help(["--help"])]
    let commands = try #require(pages[""]?.split(separator: "\nSUBCOMMANDS:").last)
    for match in commands.matches(of: #/\n {2}([a-z][a-z-]+) /#) {
      pages[String(match.1)] = try help(["help", String(match.1)])
    }
    #expect(pages.count >= 18, "\(pages.keys)")
    return pages
  }

  /// The lines of the paragraphs before the options that could have taken the first word of the next line.
  ///
  /// ArgumentParser leaves the last column empty.
  private func raggedLines(of page: String, columns: Int) -> [String] {
    let lines = page.components(separatedBy: "\n").prefix { !$0.hasPrefix("USAGE:") }
    return zip(lines, lines.dropFirst()).compactMap { line, next in
      // Headings, and what is indented below them, has lines of its own.
      guard !line.isEmpty, !next.isEmpty, !line.hasPrefix(" "), !next.hasPrefix(" "),
        line.contains(where: \.isLowercase), let word = next.split(separator: " ").first
      else { return nil }
      return line.count + 1 + word.count < columns ? line : nil
    }
  }

  @Test("fill the width of a terminal, and exceed it nowhere", arguments: [72, 80])
  func width(columns: Int) throws {
    for (name, page) in try (columns == 72 ? Self.narrow : Self.wide).get() {
      let long = page.components(separatedBy: "\n").filter { $0.count > columns }
      #expect(long == [], "\(name)")
      #expect(raggedLines(of: page, columns: columns) == [], "\(name)")
    }
    let ragged = "one two\nthree\n\n  a\n  b\nUSAGE: x\ny"
    #expect(raggedLines(of: ragged, columns: 80) == ["one two"])
  }

  @Test("name logs as the recorder does")
  func names() throws {
    for (name, page) in try Self.wide.get() {
      // Converting has both forms.
      let others = page.matches(of: #/\S+\.jsonl/#).map { String($0.0) }
      #expect(others.isEmpty || name == "convert", "\(name): \(others)")
    }
  }

  @Test("look in a terminal of 80 columns as they were written, with a synopsis")
  func manual() throws {
    let run = try CommandRun(
      shell: """
        mkdir built && ln -s "$audit" built/kvo-audit
        '\(ProgramRun.package.path)/Scripts/install' built "$PWD/usr" 2>/dev/null
        groff -k -man -Tutf8 -rLL=80n -P-cbou usr/share/man/man1/kvo-audit.1
        """,
      in: folder.url
    )
    let lines = run.output.components(separatedBy: "\n")
    #expect(run.status == 0 && lines.count > 300)
    let long = lines.filter { $0.count > 80 }
    #expect(long == [])
    // groff writes other dashes and quotes for some characters.
    func plain(_ line: String) -> String { line.filter { $0.isLetter || $0.isNumber } }
    let shown = Set(lines.map(plain))
    for (name, page) in try Self.narrow.get() {
      let missing = page.components(separatedBy: "\n")
        .map { plain($0.replacing("OVERVIEW: ", with: "")) }.filter { !shown.contains($0) }
      #expect(missing == [], "\(name)")
    }
    let start = try #require(lines.firstIndex(of: "SYNOPSIS"))
    let synopsis = lines[(start + 1)...].prefix { $0 != "DESCRIPTION" }
      .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    #expect(synopsis.first == "kvo-audit [options] log ...")
    #expect(synopsis.contains("kvo-audit audit [options] log ..."), "\(synopsis)")
    #expect(synopsis.contains("kvo-audit diff [options] old new"))
  }

  @Test("is refused for a command that does not exist")
  func unknown() throws {
    let run = try ProgramRun(built: "kvo-audit", ["help", "bogus"])
    #expect(
      run
        == ProgramRun(
          complaint: """
            Error: "bogus" is not a command. `kvo-audit --help` lists all commands.
            Usage: kvo-audit <subcommand>
              See 'kvo-audit --help' for more information.

            """,
          status: 64
        )
    )
    #expect(try ProgramRun(built: "kvo-audit", ["help", "help"]).status == 0)
  }

  @Test(
    "that cannot be written is an error",
    arguments: [
      "--help", "help audit", "--generate-completion-script bash", "--version", "explain KVO001",
      "convert a.jsonl --to jsonl", "stats a.jsonl", "export --to perfetto a.jsonl", "a.jsonl",
    ]
  )
  func fullDevice(arguments: String) throws {
    _ = try folder.file("a.jsonl", "{\"event\":\"exit\",\"status\":0}\n")
    let run = try CommandRun(shell: "$audit \(arguments) > /dev/full", in: folder.url)
    #expect(run.status == 74)
    #expect(
      run.complaint == "kvo-audit: standard output cannot be written: No space left on device\n"
    )
  }

  @Test("of a wrong argument does nothing on a terminal")
  func wrongArgument() throws {
    let run = try CommandRun(["stats", "a", "--x\u{1b}[31m\u{202e}"], in: folder.url)
    #expect(run.status == 64)
    #expect(run.complaint.contains(#"--x\u{1b}[31m\u{202e}"#), "\(run.complaint)")
  }
}
