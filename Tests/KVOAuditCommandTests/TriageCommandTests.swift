import Foundation
import TestSupport
import Testing

@Suite("kvo-audit with known issues") struct TriageCommandTests {
  private let folder: ScratchFolder

  private static func removal(_ key: String) -> String {
    """
    {"event":"remove","thread":1,"subject":{"class":"Account","id":"12"},"observer":{"class":"Screen","id":"3"},"keyPath":"\(key)","site":"Screen.swift:\(key.count)"}

    """
  }

  init() throws {
    folder = try ScratchFolder()
    _ = try folder.file("one.jsonl", Self.removal("a"))
    _ = try folder.file("two.jsonl", Self.removal("a") + Self.removal("bb"))
    _ = try folder.file("known", "KVO002 path=a until=2027-01-31 because of #1\n")
    _ = try folder.file("bad", "KVO002\nKVO999 until=2027-01-31 because x\n")
    _ = try folder.file("base.json", #"{"schema": 1, "findings": []}"#)
    _ = try folder.file("later.json", #"{"schema": 2, "findings": []}"#)
  }

  private func run(_ arguments: String...) throws -> CommandRun {
    try CommandRun(arguments, in: folder.url)
  }

  @Test(
    "gives its verdict as exit status",
    arguments: [
      (["--suppressions", "known", "--today", "2027-01-31", "one.jsonl"], 0),
      (["--suppressions", "known", "--today", "2027-02-01", "one.jsonl"], 1),
      (["--suppressions", "known", "--today", "2027-01-31", "two.jsonl"], 1),
      (["--suppressions", "bad", "one.jsonl"], 65), (["--suppressions", "none", "one.jsonl"], 65),
      (["--suppressions", "known", "--no-suppressions", "one.jsonl"], 64),
      (["--today", "tomorrow", "one.jsonl"], 64), (["--fail-on-new", "one.jsonl"], 64),
      (["--baseline", "none.json", "one.jsonl"], 65),
      (["--baseline", "later.json", "one.jsonl"], 65),
      (["--baseline", "one.jsonl", "one.jsonl"], 65),
      (["--profile", "all", "--baseline", "later.json", "one.jsonl"], 64),
      (["--profile", "all", "--suppressions", "known", "--today", "2027-01-31", "one.jsonl"], 0),
      (["diff", "one.jsonl", "one.jsonl"], 0), (["diff", "one.jsonl", "two.jsonl"], 1),
      (["diff", "two.jsonl", "one.jsonl"], 0),
      (["diff", "--fail-on", "never", "one.jsonl", "two.jsonl"], 0),
      (["diff", "one.jsonl"], 64), (["diff", "-", "-"], 64),
      (["diff", "later.json", "one.jsonl"], 65),
      (["diff", "--format", "sarif", "one.jsonl", "two.jsonl"], 64),
      (["merge", "later.json"], 65), (["merge", "one.jsonl"], 65), (["merge"], 64),
      (["--format", "json=x", "--format", "sarif=x", "one.jsonl"], 64),
      (["--summary", "none/x.json", "one.jsonl"], 74), (["--format", "json=.", "one.jsonl"], 74),
      (["--format", "json=one.jsonl", "one.jsonl"], 74),
      (["--suppressions", "known", "--format", "text=known", "one.jsonl"], 74),
      (["--baseline", "base.json", "--format", "text=./base.json", "one.jsonl"], 74),
      (["--format", "json=new", "--format", "html=./new", "one.jsonl"], 74),
      (["--format", "json=/dev/null", "--format", "sarif=/dev/null", "one.jsonl"], 64),
      (["--profile", "all", "--summary", "new.json", "one.jsonl"], 64),
      (["--format", "text=-", "one.jsonl"], 1),
    ] as [([String], Int32)]
  )
  func status(arguments: [String], status: Int32) throws {
    let run = try CommandRun(arguments, in: folder.url)
    #expect(run.status == status, "\(run.output)\(run.complaint)")
    #expect(run.complaint.isEmpty == (status < 64))
  }

  @Test("leaves suppressed findings out of exports, and does not write over what suppresses them")
  func suppressedExport() throws {
    _ = try folder.file(".kvo-suppressions", "KVO002 until=2999-01-31 because of #1\n")
    func findings(_ arguments: String...) throws -> Int {
      try CommandRun(["export", "--to", "otlp", "one.jsonl"] + arguments, in: folder.url)
        .output.split(separator: "kvo.finding").count - 1
    }
    #expect(try findings() == 0)
    #expect(try findings("--no-suppressions") == 1)
    #expect(try findings("--suppressions", "known", "--today", "2027-02-01") == 1)
    let over = try run("export", "--to", "otlp", "-o", ".kvo-suppressions", "one.jsonl")
    #expect(over.status == 74)
    #expect(over.complaint.contains(".kvo-suppressions is read, too, and would be overwritten"))
    // Call sites are not findings: what suppresses those is not read.
    #expect(
      try run("export", "--to", "collapsed", "--suppressions", "known", "one.jsonl").status == 64
    )
    _ = try folder.file(".kvo-suppressions", "KVO999\n")
    #expect(try run("export", "--to", "otlp", "one.jsonl").status == 65)
    #expect(try run("export", "--to", "collapsed", "one.jsonl").status == 0)
  }

  @Test("reads the suppressions of its folder, unless it is disabled")
  func defaultFile() throws {
    _ = try folder.file(".kvo-suppressions", "KVO002 until=2999-01-31 because of #1\n")
    #expect(try run("one.jsonl").status == 0)
    #expect(try run("--no-suppressions", "one.jsonl").status == 1)
    // Another file is read instead.
    #expect(try run("--suppressions", "known", "--today", "2027-02-01", "one.jsonl").status == 1)
    let shown = try run("--show-suppressed", "one.jsonl").output
    #expect(shown.contains("\n  Suppressed until 2999-01-31 at .kvo-suppressions:1: of #1\n"))
    #expect(
      try run("one.jsonl").output.hasPrefix(
        "SUPPRESSED: 1 finding, which --show-suppressed shows\n"
      )
    )
  }

  @Test("reports all errors in its arguments, before it reads a log")
  func refused() throws {
    let run = try run(
      "--suppressions",
      "bad",
      "--suppressions",
      "none",
      "--baseline",
      "later.json",
      "--summary",
      "x.json",
      "missing.jsonl"
    )
    let version = try self.run("--version").output.dropLast()
    #expect(run.status == 65 && run.output == "")
    #expect(
      run.complaint.replacing(/did you mean .*\?/, with: "did you mean …?") == """
        kvo-audit: bad:1: no day on which it ends; say until when, as until=2027-01-31
        kvo-audit: bad:2: "KVO999" is not a rule; did you mean …?
        kvo-audit: none: no such file
        kvo-audit: baseline later.json: a report of schema 2; this version (\(version)) reads schema 1; \
        audit the logs again

        """
    )
    #expect(!FileManager.default.fileExists(atPath: folder.path("x.json")))
  }

  @Test("writes nothing if one of the outputs cannot be written")
  func unwritable() throws {
    let run = try run(
      "--format",
      "text",
      "--format",
      "json=a.json",
      "--format",
      "sarif=none/b",
      "one.jsonl"
    )
    #expect(run.status == 74 && run.output == "")
    #expect(run.complaint == "kvo-audit: none/b: cannot be written: No such file or directory\n")
    #expect(!FileManager.default.fileExists(atPath: folder.path("a.json")))
    let own = try self.run("--summary", "one.jsonl", "one.jsonl")
    #expect(
      own.complaint
        == "kvo-audit: one.jsonl: is read as a log, and would be overwritten; name another file\n"
    )
  }

  @Test("fails only on new findings, and lists them")
  func baseline() throws {
    _ = try run("--summary", "base.json", "one.jsonl")
    let same = try run("--baseline", "base.json", "--fail-on-new", "one.jsonl")
    #expect(same.status == 0)
    #expect(same.output.contains("\nCOMPARED with base.json: 0 new, 1 unchanged, 0 fixed\n"))
    let more = try run("--baseline", "base.json", "--fail-on-new", "two.jsonl")
    #expect(more.status == 1)
    #expect(more.output.contains("\nCOMPARED with base.json: 1 new, 1 unchanged, 0 fixed\n"))
    #expect(try run("--baseline", "base.json", "one.jsonl").status == 1)
    #expect(try run("diff", "base.json", "two.jsonl").output.hasPrefix("NEW: 1 finding\n"))
    let markdown = try run("diff", "--format", "markdown", "two.jsonl", "base.json").output
    #expect(markdown.contains("**Fixed: 1 finding**"))
  }

  @Test("takes nothing as known, or as meant, that a test provoked in another log")
  func meantElsewhere() throws {
    let scope =
      #"{"event":"scopeBegin","thread":1,"id":1,"name":"s"}"# + "\n"
      + #"{"event":"expects","thread":1,"rules":["KVO002"],"scope":1}"# + "\n"
    _ = try folder.file("meant.jsonl", scope + Self.removal("a"))
    #expect(try run("--summary", "meant.json", "meant.jsonl").status == 0)
    for order in [["meant.jsonl", "one.jsonl"], ["one.jsonl", "meant.jsonl"]] {
      let both = try CommandRun(order, in: folder.url)
      #expect(both.status == 1 && both.output.contains("· seen once ·"), "\(both)")
    }
    let new = try run("--baseline", "meant.json", "--fail-on-new", "one.jsonl")
    #expect(new.status == 1)
    #expect(new.output.contains("\nCOMPARED with meant.json: 1 new, 0 unchanged, 0 fixed\n"))
    let again = try run("--baseline", "meant.json", "--fail-on-new", "meant.jsonl")
    #expect(again.status == 0)
  }

  @Test(
    "merges without limits, one finding at a time, into the same bytes",
    arguments: ["1.json", "later.json", "none.json"]
  )
  func mergesComplete(part: String) throws {
    _ = try run("--summary", "1.json", "--format", "text=1.txt", "one.jsonl")
    _ = try run("--summary", "2.json", "--format", "text=2.txt", "two.jsonl")
    for status in ["error", "never"] {
      let arguments = ["merge", "--no-suppressions", "--fail-on", status, "--format", "json"]
      let limited = try CommandRun(arguments + ["2.json", part, "1.json"], in: folder.url)
      let complete = try CommandRun(
        arguments + ["--no-limits", "1.json", "2.json", part],
        in: folder.url
      )
      #expect(complete.output == limited.output && complete.complaint == limited.complaint)
      #expect(complete.status == limited.status)
      #expect(complete.status == (part == "1.json" ? (status == "error" ? 1 : 0) : 65))
    }
  }

  @Test("merges parts into the report of a single audit")
  func merge() throws {
    let whole = try run("--format", "json", "one.jsonl", "two.jsonl")
    for (log, part) in [("one.jsonl", "1.json"), ("two.jsonl", "2.json")] {
      #expect(try run("--fail-on", "never", "--summary", part, log).status == 0)
    }
    let merged = try run("merge", "--format", "json", "2.json", "1.json")
    #expect(merged.output == whole.output && merged.status == 1)
    let text = try run("merge", "1.json", "2.json")
    #expect(text.output.contains("\n  Seen in 2 processes of 2 runs\n"))
    #expect(try run("--format", "text", ".").output == text.output)
    let known = try run("merge", "--suppressions", "known", "--today", "2027-01-01", "1.json")
    #expect(known.status == 0)
  }

  @Test("exports, and refuses inputs that cannot be exported")
  func export() throws {
    for (arguments, status) in [
      (["--to", "perfetto", "one.jsonl"], 0), (["--to", "perfetto", "one.jsonl", "two.jsonl"], 64),
      (["--to", "collapsed", "one.jsonl"], 0),
      (["--to", "speedscope", "one.jsonl", "-o", "s.json"], 0),
      (["--to", "sqlite", "one.jsonl", "-o", "a.db"], 0), (["--to", "sqlite", "one.jsonl"], 64),
      (["--to", "sqlite", "-", "-o", "a.db"], 64),
      (["--to", "sqlite", "one.jsonl", "-o", "no/a.db"], 74),
      (["--to", "csv", "one.jsonl"], 64), (["--to", "perfetto", "none.jsonl"], 65),
      (["--to", "collapsed", "known"], 65),
      (["--to", "perfetto", "-o", "one.jsonl", "one.jsonl"], 74),
    ] as [([String], Int32)] {
      let run = try CommandRun(["export"] + arguments, in: folder.url)
      #expect(run.status == status, "\(arguments) \(run.complaint)")
    }
    let database = try Data(contentsOf: folder.url.appending(path: "a.db"))
    #expect(database.starts(with: Data("SQLite format 3\0".utf8)))
    #expect(try folder.names.filter { $0.hasSuffix(".part") } == [])
  }
}
