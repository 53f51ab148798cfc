import CKVORetention
import Foundation
import KVOHeap
import TestSupport
import Testing

/// Logs and heap snapshots of `SnapshotProbe`.
@Suite("kvo-audit --heap", .enabled(if: kvos_is_glibc_heap() != 0))
struct HeapJoinCommandTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Runs the program, and returns what it prints.
  private func record(_ log: String, _ snapshot: String) throws -> String {
    let run = try ProgramRun(
      try ProgramRun.built("SnapshotProbe"),
      [snapshot],
      in: folder.url,
      environment: ["KVO_SAFETY_LOG": log, "KVO_SAFETY_HEAP": nil]
    )
    #expect(run.status == 0, "\(run.complaint)")
    return run.output
  }

  /// Without the numbers that differ in each run.
  private func masked(_ text: String) -> String {
    text.replacing(/0x[0-9a-f]+/, with: "0x…")
      .replacing(/process \d+/, with: "process …")
      .replacing(/[\d,]+ objects$/.anchorsMatchLineEndings(), with: "… objects")
      // The allocator may give more than what was asked for.
      .replacing(/\d+ bytes/, with: "… bytes")
  }

  @Test("a finding about a deallocated object has no object in its memory")
  func reused() throws {
    #expect(try record("app.kvolog", "app.kvoheap") == "reused\n")
    let run = try CommandRun(
      ["--no-config", "--fail-on", "never", "--heap", "app.kvoheap", "app.kvolog"],
      in: folder.url
    )
    #expect(run.complaint == "")
    #expect(run.status == 0)
    let lines = masked(run.output).split(separator: "\n").filter {
      $0.hasPrefix("WARNING") || $0.contains("Held: ") || $0.hasPrefix("  Screen#")
        || $0.hasPrefix("HEAP") || $0.contains(" leak,") || $0.contains("objects in it")
    }
    // Screen#7 is gone, and Screen#9 is where it was.
    #expect(
      lines.joined(separator: "\n") == """
        WARNING: KVOSafety: observation removed twice (KVO001 double-remove)
          Screen#2 removed its observation of "balance" from Account#1 a second time, on thread 1 (main)
          Held: Account#1 at 0x…, by global at 0x… → Account
          Held: Screen#2 at 0x…, by global at 0x… → Screen
        WARNING: KVOSafety: observer deallocated while registered (KVO007 observer-deinit-while-registered)
          Screen#7 was deallocated while it observed "balance" of Account#1, on thread 1 (main)
          Held: Account#1 at 0x…, by global at 0x… → Account
        HEAP SNAPSHOT app.kvoheap: SnapshotProbe (process …), … objects
          1 leak, 1 object, … bytes, one at 0x…: Screen.action → Screen
          2 of 2 observations that are live at the end have objects in it:
          Screen#5 observes "balance" of Account#4, registered at main.swift:16
            Held: Account#4 at 0x…, by leaked objects alone
            Held: Screen#5 at 0x…, by nothing but the cycle Screen.action → Screen
          Screen#9 observes "balance" of Account#1, registered at main.swift:16
            Held: Account#1 at 0x…, by global at 0x… → Account
            Held: Screen#9 at 0x…, by global at 0x… → Screen
        """
    )
  }

  @Test("a snapshot of another run of the program is not compared")
  func otherRun() throws {
    _ = try record("a.kvolog", "a.kvoheap")
    _ = try record("b.kvolog", "b.kvoheap")
    let run = try CommandRun(
      ["--no-config", "--fail-on", "never", "--heap", "a.kvoheap", "b.kvolog"],
      in: folder.url
    )
    #expect(run.status == 0)
    #expect(
      masked(run.output).contains(
        "\n  Not compared with the log: it is of process …, and no log is.\n"
      )
    )
    #expect(!run.output.contains("Held:"))
  }

  @Test("a running process is asked, and its log is audited")
  func running() throws {
    let run = try CommandRun(
      shell: """
        mkfifo input
        KVO_SAFETY_LOG=app.kvolog '\(try ProgramRun.built("SnapshotProbe").path)' > out 2> err < input & pid=$!
        exec 9> input
        until grep -q ready out; do sleep 0.05; done
        $audit heap --pid $pid --output app.kvoheap > /dev/null
        exec 9>&-
        wait $pid
        $audit --no-config --fail-on never --format json --heap app.kvoheap app.kvolog
        """,
      in: folder.url
    )
    #expect(run.complaint == "")
    let report = try #require(
      try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    )
    let snapshot = try #require(report["snapshot"] as? [String: Any])
    #expect(snapshot["problem"] is NSNull)
    #expect(snapshot["registrationCount"] as? Int == 2)
  }

  @Test("a file that is not a snapshot, or is written to, is an error")
  func errors() throws {
    _ = try folder.file("a.kvoheap", "no snapshot")
    _ = try folder.file("a.jsonl", LogText.exit)
    let unreadable = try CommandRun(
      ["--no-config", "--heap", "a.kvoheap", "a.jsonl"],
      in: folder.url
    )
    #expect(unreadable.status == 65)
    #expect(unreadable.output == "")
    #expect(
      unreadable.complaint
        == "kvo-audit: a.kvoheap: is not a heap snapshot: it does not begin with \"KVOHEAP\"\n"
    )
    let overwritten = try CommandRun(
      ["--no-config", "--heap", "a.kvoheap", "--format", "json=a.kvoheap", "a.jsonl"],
      in: folder.url
    )
    #expect(overwritten.status == 74)
    #expect(try folder.names.contains("a.kvoheap"))
    let matrix = try CommandRun(
      ["--no-config", "--profile", "all", "--heap", "a.kvoheap", "a.jsonl"],
      in: folder.url
    )
    #expect(matrix.status == 64)
    #expect(matrix.complaint.hasPrefix("Error: --profile all and --heap cannot go together"))
  }
}
