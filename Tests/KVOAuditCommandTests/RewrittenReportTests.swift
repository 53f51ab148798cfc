import Foundation
import TestSupport
import Testing

/// JSON reports as other tools write them again: keys sorted, without blanks, compressed.
@Suite("A JSON report that another tool wrote again") struct RewrittenReportTests {
  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    let one = LogText.doubleRemove(process: 1)
    let other = LogText.doubleRemove(process: 2).replacing("Screen", with: "Sheet")
    _ = try folder.file("one.jsonl", one + LogText.exit)
    _ = try folder.file("two.jsonl", one + other + LogText.exit)
    for name in ["one", "two"] {
      let run = try run("--fail-on never --format json=\(name).json \(name).jsonl")
      #expect(run.status == 0, "\(run)")
    }
    try rewrite("two.json", as: "sorted.json", [.prettyPrinted, .sortedKeys])
    try rewrite("two.json", as: "short.json", [])
    try rewrite("one.json", as: "one-short.json", [.sortedKeys])
  }

  private func rewrite(
    _ name: String,
    as other: String,
    _ options: JSONSerialization.WritingOptions
  ) throws {
    let data = try Data(contentsOf: folder.url.appending(path: name))
    let value = try JSONSerialization.jsonObject(with: data)
    try JSONSerialization.data(withJSONObject: value, options: options)
      .write(to: folder.url.appending(path: other))
  }

  private func run(_ words: String) throws -> CommandRun {
    try CommandRun(words.split(separator: " ").map(String.init), in: folder.url)
  }

  @Test(
    "is compared as the report that it is",
    arguments: ["two.json", "sorted.json", "short.json"]
  )
  func difference(name: String) throws {
    for old in ["one.jsonl", "one.json", "one-short.json"] {
      let run = try run("diff \(old) \(name)")
      #expect(run.output.contains("SUMMARY: 1 new, "), "\(old): \(run)")
      #expect(run.status == 1, "\(old): \(run)")
      #expect(run.complaint == "", "\(old)")
    }
    // The twin: nothing is new.
    let same = try run("diff two.jsonl \(name)")
    #expect(same.output.contains("SUMMARY: 0 new, ") && same.status == 0, "\(same)")
  }

  @Test("is compared on standard input, too, as a log is")
  func standardInput() throws {
    for old in [
      "< one.json", "< one.jsonl", "< one-short.json", "< one.json.gz", "< one.jsonl.gz",
    ] {
      let file = String(old.dropFirst(2))
      if file.hasSuffix(".gz") {
        #expect(
          try CommandRun(shell: "gzip -k \(file.dropLast(3))", in: folder.url).status == 0
        )
      }
      for script in ["$audit diff - two.jsonl \(old)", "cat \(file) | $audit diff - two.jsonl"] {
        let run = try CommandRun(shell: script, in: folder.url)
        #expect(run.output.contains("SUMMARY: 1 new, 0 fixed"), "\(script): \(run)")
        #expect(run.status == 1 && run.complaint == "", "\(script): \(run)")
      }
    }
  }

  @Test("is what verify-fix compares with", arguments: ["two.json", "sorted.json", "short.json"])
  func before(name: String) throws {
    let text = try run("--fail-on never two.jsonl").output
    let signature = try #require(text.firstMatch(of: #/Signature: (2:[0-9a-f]{10})/#)).output.1
    let expected = try run("verify-fix \(signature) --before two.jsonl one.jsonl")
    let fix = try run("verify-fix \(signature) --before \(name) one.jsonl")
    #expect(fix.output == expected.output && fix.status == expected.status, "\(fix)")
    #expect(fix.complaint == "")
  }

  @Test(
    "is not a log in a folder, and is refused as one",
    arguments: ["sorted.json", "short.json"]
  )
  func notALog(name: String) throws {
    let make = try CommandRun(
      shell: "mkdir logs && cp one.jsonl \(name) logs; $audit --format json logs > a.json; echo $?",
      in: folder.url
    )
    #expect(make.output == "1\n" && make.complaint == "", "\(make)")
    let run = try run(name)
    #expect(run.status == 65)
    #expect(
      run.complaint
        == "kvo-audit: \(name): a report of kvo-audit, not a log; `kvo-audit merge` reads it\n"
    )
  }

  @Test("is read compressed, by every command for reports", arguments: ["gzip", "xz", "zstd"])
  func compressed(tool: String) throws {
    let ending = tool == "gzip" ? "gz" : tool == "zstd" ? "zst" : "xz"
    let run = try CommandRun(
      shell: """
        \(tool) -kq one.json two.json
        $audit --baseline one.json two.jsonl | sed 's/one.json/one.json.\(ending)/' > plain
        $audit --baseline one.json.\(ending) two.jsonl | cmp - plain; echo $?
        $audit merge one.json two.json > plain
        $audit merge one.json.\(ending) two.json.\(ending) | cmp - plain; echo $?
        $audit diff one.json.\(ending) two.json.\(ending) | tail -n 1
        """,
      in: folder.url
    )
    #expect(run.complaint == "", "\(run)")
    #expect(run.output.hasPrefix("0\n0\nSUMMARY: 1 new, 0 fixed"), "\(run)")
  }

  @Test("is refused if it is compressed and cut")
  func cut() throws {
    for command in ["--baseline cut.gz two.jsonl", "merge cut.gz", "diff cut.gz two.jsonl"] {
      let run = try CommandRun(
        shell: "gzip -c one.json | head -c -40 > cut.gz; $audit \(command)",
        in: folder.url
      )
      #expect(run.status == 65, "\(command)")
      #expect(
        run.complaint.contains("cut.gz: a damaged report: byte ")
          && run.complaint.contains("ends in the middle of its gzip data"),
        "\(command): \(run.complaint)"
      )
    }
  }
}
