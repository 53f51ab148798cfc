import Foundation
import TestSupport
import Testing

@Suite("A compressed log on the command line") struct CompressedCommandTests {
  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    _ = try folder.file("app.jsonl", LogText.doubleRemove(process: 1) + LogText.exit)
  }

  @Test("is read by every command, also from standard input")
  func commands() throws {
    let run = try CommandRun(
      shell: """
        gzip -k app.jsonl; xz -k app.jsonl; zstd -q app.jsonl
        $audit app.jsonl > plain
        for log in app.jsonl.gz app.jsonl.xz app.jsonl.zst; do
          $audit $log | cmp - plain && $audit - < $log | cmp - plain && echo $log
        done
        $audit convert app.jsonl.gz -o app.kvolog; zstd -q app.kvolog; $audit app.kvolog.zst | cmp - plain
        $audit convert app.kvolog > lines; $audit convert app.kvolog.zst | cmp - lines
        for command in census growth stats validate 'export --to collapsed'; do
          $audit $command app.jsonl.xz > one; $audit $command app.jsonl > other
          sed 's/\\.xz//' one | cmp - other && echo $command
        done
        $audit diff app.jsonl.gz app.kvolog.zst | tail -n 1
        """,
      in: folder.url
    )
    #expect(run.complaint == "", "\(run)")
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(
      lines.dropLast() == [
        "app.jsonl.gz", "app.jsonl.xz", "app.jsonl.zst", "census", "growth", "stats", "validate",
        "export --to collapsed",
      ],
      "\(run)"
    )
    #expect(lines.last?.contains("0 new") == true, "\(lines)")
  }

  @Test("that is cut gives what is left of it, says why, and status 65")
  func cut() throws {
    let run = try CommandRun(
      shell: """
        gzip app.jsonl; head -c -4 app.jsonl.gz > cut.gz; $audit cut.gz; echo $?
        head -c 12 app.jsonl.gz > none.gz; $audit none.gz; echo $?
        """,
      in: folder.url
    )
    #expect(run.output.contains("KVO001 double-remove"))
    #expect(run.output.hasSuffix("65\n65\n"), "\(run)")
    let complaints = run.complaint.split(separator: "\n")
    #expect(
      complaints.first?.wholeMatch(
        of: /kvo-audit: cut\.gz: byte [0-9,]+: ends in the middle of its gzip data/
      ) != nil,
      "\(run)"
    )
    #expect(
      complaints.last
        == "kvo-audit: none.gz: cannot be decompressed: ends in the middle of its gzip data",
      "\(run)"
    )
  }
}
