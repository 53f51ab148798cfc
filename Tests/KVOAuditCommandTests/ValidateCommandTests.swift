import Foundation
import TestSupport
import Testing

@Suite("kvo-audit validate") struct ValidateCommandTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  @Test("is content with a good log, also from standard input")
  func clean() throws {
    let exit = "{\"event\":\"exit\",\"status\":0}\n"
    _ = try folder.file("a.jsonl", exit)
    let run = try CommandRun(["validate", "a.jsonl", "-"], in: folder.url, input: exit)
    #expect(run.complaint == "")
    #expect(run.output == "a.jsonl: valid, 1 event\nstandard input: valid, 1 event\n")
    #expect(run.status == 0)
  }

  @Test("reports each error, continues, and exits with 65")
  func problems() throws {
    _ = try folder.file("a.jsonl", "{\"event\":\"exit\",\"status\":0}\nx\n")
    let run = try CommandRun(["validate", "none.jsonl", "a.jsonl"], in: folder.url)
    #expect(run.complaint == "kvo-audit: none.jsonl: no such file\n")
    #expect(
      run.output == """
        a.jsonl: 1 problem, 1 event
          a.jsonl:2:1: not JSON: invalid value

        """
    )
    #expect(run.status == 65)
  }

  @Test("ends quietly when its reader closes the pipe")
  func brokenPipe() throws {
    _ = try folder.file(
      "a.jsonl",
      "{\"event\":\"exit\",\"status\":0}\n" + String(repeating: "x\n", count: 2000)
    )
    let run = try CommandRun(
      shell: """
        logs=$(printf 'a.jsonl %.0s' {1..100})
        $audit validate $logs | head -n 1
        echo ${PIPESTATUS[0]}
        """,
      in: folder.url
    )
    #expect(run.complaint == "")
    #expect(run.output == "a.jsonl: 2,000 problems, 1 event\n65\n")
  }

  @Test("reports that its output cannot be written, with status 74")
  func fullDisk() throws {
    _ = try folder.file("a.jsonl", "{\"event\":\"exit\",\"status\":0}\n")
    let run = try CommandRun(shell: "$audit validate a.jsonl >/dev/full", in: folder.url)
    #expect(
      run.complaint == "kvo-audit: standard output cannot be written: No space left on device\n"
    )
    #expect(run.status == 74)
  }
}
