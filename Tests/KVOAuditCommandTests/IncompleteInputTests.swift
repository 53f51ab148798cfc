import Foundation
import TestSupport
import Testing

/// Logs that lack events, in the ways in which logs do: each reports so, and no command may take it for complete.
@Suite("kvo-audit with an incomplete log") struct IncompleteInputTests {
  private static let process = #"{"event":"process","schema":1,"pid":1}"# + "\n"
  private static let damaged = process + "{broken\n" + LogText.exit
  private static let dropped = process + #"{"event":"dropped","count":17}"# + "\n" + LogText.exit

  /// Each way of being incomplete, with what standard error says of it.
  private static let losses = [
    ("damaged.jsonl", "damaged.jsonl: 1 line cannot be read"),
    ("dropped.jsonl", "dropped.jsonl: 17 events could not be recorded"),
    ("cut.kvolog", "cut.kvolog: ends at byte"),
  ]

  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    _ = try folder.file("old.jsonl", LogText.doubleRemove(process: 1) + LogText.exit)
    _ = try folder.file("whole.jsonl", Self.process + LogText.exit)
    _ = try folder.file("damaged.jsonl", Self.damaged)
    _ = try folder.file("dropped.jsonl", Self.dropped)
    let make = try CommandRun(
      shell: "$audit convert whole.jsonl -o a.kvolog && head -c -3 a.kvolog > cut.kvolog",
      in: folder.url
    )
    #expect(make.status == 0)
  }

  private func run(_ words: String) throws -> CommandRun {
    try CommandRun(words.split(separator: " ").map(String.init), in: folder.url)
  }

  private static let commands = [
    "%", "--profile all %", "watch %", "census %", "growth %", "growth --format json %",
    "export --to perfetto %", "export --to collapsed %", "export --to sqlite -o a.db %",
    "diff whole.jsonl %", "diff % whole.jsonl", "--summary part.json %",
  ]

  @Test("ends in 65, and says what is missing, whatever the command", arguments: commands)
  func status(command: String) throws {
    // Each loss with each command in the long form, and with every third one in the short form.
    let number = Self.commands.firstIndex(of: command) ?? 0
    for (offset, (log, words)) in Self.losses.enumerated()
    where Rounds.includes(offset + number, every: Self.losses.count) {
      let run = try run(command.replacing("%", with: log))
      #expect(run.status == 65, "\(command) \(log)")
      #expect(run.complaint.contains("kvo-audit: \(words)"), "\(command) \(log): \(run.complaint)")
    }
    let whole = try run(command.replacing("%", with: "whole.jsonl"))
    #expect(whole.status == 0, "\(command): \(whole.complaint)")
    #expect(whole.complaint == "")
  }

  /// A copy has the events that were dropped as its log does, and lacks what cannot be read.
  @Test(
    "ends in 65 after a copy or figures of what can be read",
    arguments: [
      "stats %", "stats --format json %", "convert -o copy %", "anonymize -o copy %",
      "anonymize --restore map -o copy %",
    ]
  )
  func copies(command: String) throws {
    #expect(try run("anonymize --map map -o other whole.jsonl").status == 0)
    for log in ["damaged.jsonl", "cut.kvolog"] {
      // A text is restored as it is, damage included.
      let isText = command.contains("restore") && log == "damaged.jsonl"
      let run = try run(command.replacing("%", with: log))
      #expect(run.status == (isText ? 0 : 65), "\(command) \(log)")
      #expect(run.complaint.contains("1 part of \(log) could not be read") == !isText)
      if command.contains("copy") {
        let copy = try Data(contentsOf: folder.url.appending(path: "copy"))
        #expect(!copy.isEmpty, "\(command) \(log)")
      }
    }
    for log in ["whole.jsonl", "dropped.jsonl"] {
      #expect(try run(command.replacing("%", with: log)).status == 0, "\(command) \(log)")
    }
  }

  @Test("has what is missing in a merged report, too")
  func merged() throws {
    for (log, words) in Self.losses {
      _ = try run("--summary part.json \(log)")
      let merge = try run("merge part.json")
      #expect(merge.status == 65)
      #expect(merge.complaint.contains("kvo-audit: \(words)"))
    }
  }

  @Test("counts nothing as fixed, in a difference and against a baseline")
  func fixed() throws {
    #expect(try run("--fail-on never --format json=old.json old.jsonl").status == 0)
    for (log, _) in Self.losses {
      let difference = try run("diff old.jsonl \(log)")
      #expect(difference.output.contains("0 fixed"), "\(difference.output)")
      #expect(difference.output.contains("1 not judged"), "\(difference.output)")
      let baseline = try run("--baseline old.json \(log)")
      #expect(baseline.output.contains("0 fixed, 1 not judged"), "\(baseline.output)")
    }
    // The twins: a log without a loss.
    #expect(try run("diff old.jsonl whole.jsonl").output.contains("1 fixed"))
    #expect(try run("--baseline old.json whole.jsonl").output.contains("1 fixed"))
  }

  @Test("counts nothing as fixed if another input was not read")
  func unread() throws {
    #expect(try run("--fail-on never --format json=old.json old.jsonl").status == 0)
    let run = try run("--baseline old.json whole.jsonl none.jsonl")
    #expect(run.status == 65)
    #expect(run.output.contains("0 fixed, 1 not judged"), "\(run.output)")
  }

  @Test("says so in every form of the report")
  func forms() throws {
    let forms = ["gitlab=a.gl", "github=a.gh", "sarif=a.sarif", "junit=a.xml", "markdown=a.md"]
      .map { "--format \($0)" }.joined(separator: " ")
    func contents(_ name: String) throws -> String {
      try String(contentsOf: folder.url.appending(path: name), encoding: .utf8)
    }
    func invocation() throws -> (isSuccessful: Bool, notifications: [[String: Any]]) {
      let json = try JSONSerialization.jsonObject(with: Data(contents("a.sarif").utf8))
      let run = ((json as? [String: Any])?["runs"] as? [[String: Any]])?.first
      let invocation = try #require((run?["invocations"] as? [[String: Any]])?.first)
      return (
        try #require(invocation["executionSuccessful"] as? Bool),
        try #require(invocation["toolExecutionNotifications"] as? [[String: Any]])
      )
    }
    for (log, words) in Self.losses {
      #expect(try run("\(forms) \(log)").status == 65)
      #expect(try contents("a.gl").contains("\"check_name\": \"incomplete-input\""))
      #expect(try contents("a.gl").contains("\"severity\": \"minor\""))
      #expect(try contents("a.gh").hasPrefix("::warning title=incomplete-input an input is"))
      let invocation = try invocation()
      #expect(!invocation.isSuccessful)
      #expect(invocation.notifications.map { $0["level"] as? String } == ["error"])
      #expect(try contents("a.xml").contains("errors=\"1\""))
      #expect(try contents("a.xml").contains("<error type=\"incomplete\""))
      #expect(try contents("a.md").hasPrefix("## KVO audit: incomplete input, nothing found"))
      for name in ["a.gl", "a.gh", "a.sarif", "a.xml", "a.md"] {
        #expect(try contents(name).contains(words), "\(name) of \(log)")
      }
    }
    #expect(try run("\(forms) whole.jsonl").status == 0)
    #expect(try contents("a.gl") == "[]\n")
    #expect(try contents("a.gh").isEmpty)
    #expect(try invocation().isSuccessful)
    #expect(try invocation().notifications.isEmpty)
    #expect(try contents("a.xml").contains("errors=\"0\""))
    #expect(try contents("a.md").hasPrefix("## KVO audit: nothing found"))
  }

  @Test("replaces an older report by the failure if nothing could be read")
  func nothing() throws {
    for command in [
      "--format text=a.txt --format markdown=a.md", "--profile all --format text=a.txt",
    ] {
      _ = try run("\(command) whole.jsonl")
      #expect(try run("\(command) none.jsonl").status == 65)
      let text = try String(contentsOf: folder.url.appending(path: "a.txt"), encoding: .utf8)
      #expect(
        text == """
          NOT READ, so that nothing is judged, which is not clean:
            none.jsonl: no such file

          """
      )
    }
    let text = try String(contentsOf: folder.url.appending(path: "a.md"), encoding: .utf8)
    #expect(
      text == """
        ## KVO audit: nothing could be read

        **Not read:**

        - none.jsonl: no such file

        """
    )
    // Standard error has it already.
    #expect(try run("none.jsonl").output == "")
  }

  @Test("is named in the text if others could be read, once on one stream")
  func notRead() throws {
    let run = try run("--format text=a.txt --format text whole.jsonl none.jsonl")
    #expect(run.status == 65)
    let words = "NOT READ, which is not clean:\n  none.jsonl: no such file\n"
    let text = try String(contentsOf: folder.url.appending(path: "a.txt"), encoding: .utf8)
    #expect(text.hasPrefix(words))
    #expect(run.output == text)
    #expect(run.complaint == "kvo-audit: none.jsonl: no such file\n")
    let same = try CommandRun(shell: "$audit whole.jsonl none.jsonl 2>&1", in: folder.url)
    #expect(same.output.components(separatedBy: "none.jsonl").count == 2, "\(same.output)")
    // The twin: all could be read.
    #expect(try !self.run("whole.jsonl").output.contains("NOT READ"))
  }

  @Test("names in a merged report the log that lacks events")
  func lostEvents() throws {
    #expect(try run("--format json=all.json whole.jsonl dropped.jsonl").status == 65)
    #expect(try run("--format json=one.json whole.jsonl").status == 0)
    #expect(try run("--format json=two.json dropped.jsonl").status == 65)
    let words =
      "kvo-audit: dropped.jsonl: 17 events could not be recorded, and are missing from the log\n"
    #expect(try run("merge all.json").complaint == words)
    #expect(try run("merge one.json two.json").complaint == words)
    // A report of an earlier version has the sum alone.
    let report = try String(contentsOf: folder.url.appending(path: "all.json"), encoding: .utf8)
    let old = report.replacing(#/,\s+"droppedEvents": 17(?=\s+\})/#, with: "")
    #expect(old != report)
    _ = try folder.file("old.json", old)
    #expect(
      try run("merge old.json").complaint
        == "kvo-audit: 17 events could not be recorded, and are missing from the logs\n"
    )
  }

  @Test("counts logs that lack events, if there are many")
  func manyLostEvents() throws {
    let lost = "could not be recorded, and are missing from"
    let words =
      (1...3).map { "kvo-audit: logs/100\($0).jsonl: 17 events \(lost) the log\n" }.joined()
      + "kvo-audit: 16,966 events \(lost) 998 logs not listed\n"
    let run = try CommandRun(
      shell: """
        mkdir logs; for log in {1001..2001}; do cp dropped.jsonl logs/$log.jsonl; done
        $audit --no-config --format json=all.json logs; echo $?
        """,
      in: folder.url
    )
    #expect(run.output == "65\n")
    #expect(run.complaint == words)
    for form in ["text", "json"] {
      let merged = try self.run("merge --format \(form) all.json")
      #expect(merged.status == 65 && merged.complaint == words, "\(merged.complaint)")
    }
  }

  @Test("names a folder without a log")
  func noLog() throws {
    let make = try CommandRun(
      shell: "mkdir -p logs/empty; echo 1 > logs/readme.txt; $audit logs; echo $?",
      in: folder.url
    )
    let words = "is a directory in which there is no usage log and no crash report"
    #expect(make.output == "65\n")
    #expect(make.complaint == "kvo-audit: logs: \(words)\n")
    for command in ["logs/empty", "validate logs/empty", "census logs/empty", "stats logs/empty"] {
      let run = try run(command)
      #expect(run.status == 65 && run.complaint.contains("logs/empty: \(words)\n"), "\(run)")
    }
    for command in ["--baseline logs whole.jsonl", "merge logs", "convert logs"] {
      let run = try run(command)
      #expect(run.status == 65, "\(run)")
      #expect(run.complaint.contains("logs: is a directory; name a file in it\n"), "\(run)")
    }
  }

  @Test("is merged from parts as it is audited at once, byte for byte")
  func parts() throws {
    _ = try folder.file("a.jsonl", Self.process + LogText.exit)
    _ = try folder.file("b.jsonl", LogText.doubleRemove(process: 1) + "{broken\n")
    _ = try run("--format json=a.json a.jsonl")
    _ = try run("--format json=b.json b.jsonl")
    let whole = try run("--format json a.jsonl b.jsonl").output
    let merged = try run("merge --format json a.json b.json").output
    #expect(whole == merged)
    let text = try run("--format text a.jsonl b.jsonl").output
    #expect(try run("merge --format text a.json b.json").output == text)
  }

  @Test("is refused if it begins like a binary log, and has no event")
  func withoutEvent() throws {
    for byteCount in [1, 2, 5, 7, 8, 9, 4_096] {
      let cut = try CommandRun(
        shell: "head -c \(byteCount) a.kvolog > short.kvolog; wc -c < short.kvolog",
        in: folder.url
      )
      #expect(cut.output == "\(byteCount)\n")
      for command in ["short.kvolog", "validate short.kvolog", "census short.kvolog"] {
        let run = try run(command)
        #expect(run.status == 65, "\(byteCount) bytes, \(command)")
        #expect(run.complaint.contains("short.kvolog: "), "\(byteCount) bytes, \(command)")
      }
    }
  }

  @Test("is merged in any order with parts that cannot be read")
  func unreadParts() throws {
    _ = try run("--summary part.json whole.jsonl")
    _ = try folder.file("bad1.json", "{")
    _ = try folder.file("bad2.json", #"{"schema":9}"#)
    let parts = try run("merge --format json part.json bad1.json bad2.json")
    let others = try run("merge --format json bad2.json part.json bad1.json")
    #expect(parts.status == 65)
    #expect(parts.output == others.output)
    #expect(parts.output.contains("bad1.json") && parts.output.contains("bad2.json"))
  }

  @Test(
    "refuses a file with the name of a binary log that no longer begins like one",
    arguments: [true, false]
  )
  func beginning(isCompressed: Bool) throws {
    // Without its first byte, it is text in which no fault is known.
    _ = try folder.file("text", "KVO-safety: the rest of a log\n")
    let name = isCompressed ? "late.kvolog.gz" : "late.kvolog"
    let run = try CommandRun(
      shell: "\(isCompressed ? "gzip" : "cat") < text > \(name); $audit \(name)",
      in: folder.url
    )
    #expect(run.status == 65)
    #expect(run.complaint.hasPrefix("kvo-audit: \(name): not a usage log: it begins with"))
  }

  @Test(
    "names a folder that cannot be read or searched, in one that can",
    .enabled(if: getuid() == 0),
    arguments: ["700", "744"]
  )
  func closedFolder(mode: String) throws {
    let run = try CommandRun(
      shell: """
        mkdir -p logs/closed; mv whole.jsonl logs; mv damaged.jsonl logs/closed; chmod 755 . logs; chmod \(mode) logs/closed
        chmod 644 logs/whole.jsonl
        setpriv --reuid 65534 --clear-groups "$audit" --no-config --no-suppressions logs > out; echo $?
        """,
      in: folder.url
    )
    #expect(run.output == "65\n")
    #expect(run.complaint == "kvo-audit: logs/closed: cannot be read: permission denied\n")
  }

  @Test("names a log that cannot be read, in a folder of others", .enabled(if: getuid() == 0))
  func closedFile() throws {
    let run = try CommandRun(
      shell: """
        mkdir logs; mv whole.jsonl damaged.jsonl logs; chmod 755 . logs; chmod 644 logs/*; chmod 600 logs/damaged.jsonl
        setpriv --reuid 65534 --clear-groups "$audit" --no-config --no-suppressions logs > out; echo $?
        """,
      in: folder.url
    )
    #expect(run.output == "65\n")
    #expect(run.complaint == "kvo-audit: logs/damaged.jsonl: cannot be read: permission denied\n")
  }

  /// A key may be any bytes, and is refused by its length.
  @Test(
    "of a device without an end no more is read than shows what it is not",
    arguments: [
      ("audit %", "neither text nor a usage log: "), ("diff % whole.jsonl", "neither text nor a "),
      ("audit --config % whole.jsonl", "not a configuration: it begins with zeros"),
      ("audit --suppressions % whole.jsonl", "not a file of suppressions: it begins with zeros"),
      ("audit --baseline % whole.jsonl", "not a report: it begins with zeros"),
      ("merge %", "not a report: it begins with zeros"),
      ("verify-fix 2:6898ccf5d8 --before % whole.jsonl", "neither text nor a usage log: "),
      ("anonymize --restore % whole.jsonl -o copy", "not a map of names: it begins with zeros"),
      ("anonymize --restore map % -o copy", "neither text nor a usage log: it begins with zeros"),
      ("anonymize --key % whole.jsonl -o copy", "has more than 64 MiB, the most that is read of"),
      ("audit --heap % whole.jsonl", "is not a heap snapshot: "),
      ("heap %", "is not a heap snapshot: "), ("convert %", "not a usage log: "),
    ]
  )
  func endless(command: String, words: String) throws {
    #expect(try self.run("anonymize --map map -o other whole.jsonl").status == 0)
    // A gigabyte of address space is more than any of them needs.
    let run = try CommandRun(
      shell: """
        ulimit -v 1000000
        timeout 60 $audit \(command.replacing("%", with: "/dev/zero"))
        """,
      in: folder.url
    )
    #expect(run.status == 65, "\(command)")
    #expect(run.complaint.contains("/dev/zero: \(words)"), "\(command): \(run.complaint)")
  }

  @Test("reads a report, a map and settings from a pipe that ends")
  func piped() throws {
    let run = try CommandRun(
      shell: """
        $audit --no-config --fail-on never --format json=old.json old.jsonl
        $audit anonymize --map map -o other whole.jsonl
        $audit --no-suppressions --config <(echo fail-on=never) --baseline <(cat old.json) old.jsonl > /dev/null &&
        $audit --no-config --suppressions <(echo 'KVO001 until=2099-01-01 because known') old.jsonl > /dev/null &&
        $audit merge <(cat old.json) --fail-on never > /dev/null && $audit anonymize --restore <(cat map) other -o restored
        """,
      in: folder.url
    )
    #expect(run.status == 0, "\(run.complaint)")
  }
}
