import Foundation
import TestSupport
import Testing

@Suite(
  "A report on a terminal",
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "needs script(1)")
)
struct TerminalReportTests {
  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    let object = #"{"class": "Account", "id": "1"}"#
    let removal =
      #"{"event": "remove", "subject": \#(object), "observer": \#(object), "keyPath": "balance"}"#
    _ = try folder.file("log.jsonl", removal + "\n")
  }

  /// What a terminal of this size shows when `command` runs there.
  private func screen(
    _ command: String,
    columns: Int,
    rows: Int
  ) throws -> (text: String, status: Int32) {
    let run = try CommandRun(
      shell: """
        export TERM=xterm PAGER='cat > paged'
        script -qec 'stty cols \(columns) rows \(rows); \(command)' /dev/null </dev/null
        """,
      in: folder.url
    )
    return (
      String(String.UnicodeScalarView(run.output.unicodeScalars.filter { $0 != "\r" })), run.status
    )
  }

  private var paged: String? {
    try? String(contentsOf: folder.url.appending(path: "paged"), encoding: .utf8)
  }

  @Test("is folded between words at its width, and colored")
  func folded() throws {
    let wide = try screen("$audit log.jsonl", columns: 400, rows: 100)
    let narrow = try screen("$audit log.jsonl", columns: 50, rows: 100)
    #expect(wide.status == 1 && narrow.status == 1 && paged == nil)
    #expect(narrow.text.contains("\u{1b}["))
    func plain(_ text: String) -> String { text.replacing(#/\u{1b}\[[0-9;]*m/#, with: "") }
    let lines = plain(narrow.text).components(separatedBy: "\n")
    #expect(lines.filter { $0.count > 50 } == [])
    #expect(lines.count > plain(wide.text).components(separatedBy: "\n").count)
    // The same words in the same order.
    func words(_ text: String) -> [Substring] { plain(text).split { $0 == " " || $0 == "\n" } }
    #expect(words(narrow.text) == words(wide.text))
    #expect(lines.contains { $0.hasPrefix("      ") && !$0.hasPrefix("       ") })
  }

  @Test("goes through the pager if it is longer than the screen, and only then")
  func pager() throws {
    let long = try screen("$audit log.jsonl", columns: 80, rows: 10)
    #expect(long.text == "" && long.status == 1)
    #expect(paged?.contains("SUMMARY: ") == true)
    try FileManager.default.removeItem(at: folder.url.appending(path: "paged"))
    for command in [
      "$audit --no-pager log.jsonl", "PAGER= $audit log.jsonl",
      "PAGER=no-such-pager $audit log.jsonl",
    ] {
      let run = try screen(command, columns: 80, rows: 10)
      #expect(run.text.contains("SUMMARY: ") && run.status == 1 && paged == nil, "\(command)")
    }
  }

  @Test("is left to a pager that an interrupt ends")
  func interruptedPager() throws {
    // The process that runs these tests may ignore the signal.
    let run = try screen(
      #"PAGER="cat > paged; kill -INT \$\$; touch survived" env --default-signal $audit log.jsonl"#,
      columns: 80,
      rows: 10
    )
    #expect(run.status == 1 && run.text == "")
    #expect(try folder.names == ["log.jsonl", "paged"])
  }

  @Test("is as wide as it is elsewhere")
  func elsewhere() throws {
    let run = try CommandRun(
      shell: "PAGER='cat > paged' COLUMNS=40 $audit log.jsonl",
      in: folder.url
    )
    #expect(run.output.split(separator: "\n").contains { $0.count > 80 } && paged == nil)
  }

  @Test("--open writes a page that only its user can read, and opens it")
  func open() throws {
    let run = try CommandRun(
      shell: """
        printf '#!/bin/sh\\ncp "$1" opened.html; stat -c %%a "$(dirname "$1")" > mode; echo noise\\n' > browser
        chmod +x browser
        TMPDIR=$PWD BROWSER=./browser $audit --open log.jsonl
        """,
      in: folder.url
    )
    #expect(run.status == 1 && run.output == "")
    #expect(run.complaint.hasPrefix("kvo-audit: the page is \"\(folder.path)/kvo-audit-"))
    let page = try String(contentsOf: folder.url.appending(path: "opened.html"), encoding: .utf8)
    #expect(page.contains("<h1>KVO audit: 1 error</h1>"))
    #expect(try String(contentsOf: folder.url.appending(path: "mode"), encoding: .utf8) == "700\n")
    let named = try CommandRun(
      shell: "BROWSER=false $audit --open --format text --format html=mine.html log.jsonl",
      in: folder.url
    )
    #expect(named.status == 1 && named.output.contains("SUMMARY: "))
    #expect(
      named.complaint == """
        kvo-audit: the page is "mine.html"
        kvo-audit: "false" did not open it; BROWSER names the command that opens a page

        """
    )
    #expect(FileManager.default.fileExists(atPath: folder.path("mine.html")))
    // An empty name is none.
    let usual = try CommandRun(
      shell: """
        mv browser xdg-open; export PATH=$PWD:$PATH
        BROWSER= $audit --open --format html=own.html log.jsonl
        """,
      in: folder.url
    )
    #expect(usual.complaint == "kvo-audit: the page is \"own.html\"\n")
  }

  @Test("--open leaves nothing behind if there is no page")
  func notOpened() throws {
    let run = try CommandRun(
      shell: """
        mkdir temporary; export TMPDIR=$PWD/temporary
        $audit --open --show-config log.jsonl > shown; echo $?
        $audit --open --suppressions none log.jsonl 2> refused; echo $?
        $audit record --open -- ./none 2> refused; echo $?
        ls temporary
        """,
      in: folder.url
    )
    #expect(run.output == "0\n65\n127\n")
  }
}
