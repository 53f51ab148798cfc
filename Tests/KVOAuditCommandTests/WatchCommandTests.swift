import Foundation
import TestSupport
import Testing

@Suite("kvo-audit watch") struct WatchCommandTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private static func removal(_ key: String) -> String {
    #"{"event":"remove","subject":{"class":"A","id":"1"},"observer":{"class":"B","id":"2"},"keyPath":"\#(key)"}"#
  }

  @Test("prints each finding as it comes, and the report when the process has ended")
  func follows() throws {
    // Each line is written when the previous one was answered; half a line does not count.
    let run = try CommandRun(
      shell: """
        await() { until grep -q "$1" out; do sleep 0.05; done; }
        : > out
        $audit watch --every 0.1 a.jsonl > out & pid=$!
        printf '%s\\n' '\(Self.removal("first"))' > a.jsonl
        await first
        printf '%s' '{"event":"rem' >> a.jsonl
        printf '%s\\n' '\(Self.removal("second").dropFirst(13))' >> a.jsonl
        await second
        echo '{"event":"exit","status":0}' >> a.jsonl
        wait $pid; echo "status $?"; cat out
        """,
      in: folder.url
    )
    #expect(run.complaint == "")
    #expect(run.output.hasPrefix("status 1\n"))
    // Once as it came, and once in the report.
    for key in ["first", "second"] {
      #expect(run.output.components(separatedBy: "of \"\(key)\" from").count == 3)
    }
    #expect(
      run.output.hasSuffix(
        "SUMMARY: 2 errors, 0 warnings in 3 events from 1 process (0 observations live at the end)\n"
      )
    )
  }

  @Test("draws a screen on a terminal")
  func terminal() throws {
    _ = try folder.file("a.jsonl", Self.removal("k") + "\n{\"event\":\"exit\",\"status\":0}\n")
    let run = try CommandRun(
      shell: "TERM=xterm script -qec '$audit watch --every 0.1 a.jsonl' /dev/null",
      in: folder.url
    )
    let heading = "a.jsonl: 2 events, 0 observations live, 1 finding, ended"
    #expect(run.output.hasPrefix("\u{1b}[H\(heading)\u{1b}[K"))
    #expect(run.output.contains("FOUND, the newest last"))
  }

  @Test("refuses inputs that it cannot follow")
  func refused() throws {
    _ = try folder.file("image.png", [0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0x0d])
    _ = try folder.file("a.jsonl", Self.removal("k") + "\n")
    try #require(mkfifo(folder.path("pipe"), 0o600) == 0)
    for (arguments, status, words) in [
      ([""], 64, "name the log to watch: kvo-audit watch app.kvolog"),
      (["-"], 64, "each look reads the log anew, which standard input cannot: name a file"),
      (["pipe"], 64, "and \"pipe\" is a pipe or a device: name a file"),
      (["--every", "0", "a.jsonl"], 64, "--every 0.0: a number of seconds from 0.1 to 3600"),
      (["--every", "often", "a.jsonl"], 64, "The value 'often' is invalid for '--every"),
      (["--every", "0.1", "image.png"], 65, "image.png: not a usage log"),
    ] as [([String], Int32, String)] {
      let run = try CommandRun(["watch"] + arguments, in: folder.url)
      #expect(run.status == status)
      #expect(run.complaint.contains(words), "\(run.complaint)")
    }
  }
}
