import Foundation
import TestSupport
import Testing

@Suite("kvo-audit in a step of GitHub Actions")
struct GitHubActionsTests {
  private static let removal =
    #"{"event":"remove","subject":{"class":"A","id":"1"},"observer":{"class":"B","id":"2"},"keyPath":"k"}"#
  private static let annotation =
    #"::error title=KVO002 removal of an observation that was never made::B#2 removed an observation of "k" from A#1"#

  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    _ = try folder.file("log", Self.removal + "\n{\"event\":\"exit\",\"status\":0}\n")
  }

  private func run(_ arguments: [String], summary: String? = "summary") throws -> CommandRun {
    let environment = ["GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": summary.map(folder.path)]
    return try CommandRun(arguments, in: folder.url, environment: environment)
  }

  @Test("annotates on standard error and appends to the summary")
  func both() throws {
    _ = try folder.file("summary", "# Tests\n")
    let plain = try CommandRun(["--format", "json", "log"], in: folder.url)
    let markdown = try CommandRun(["--format", "markdown", "log"], in: folder.url)
    #expect(plain.complaint == "" && !FileManager.default.fileExists(atPath: folder.path("none")))
    let run = try run(["--format", "json", "log"])
    #expect(run.status == 1 && run.output == plain.output)
    #expect(run.complaint.hasPrefix(Self.annotation))
    #expect(run.complaint.split(separator: "\n").count == 1)
    let summary = try String(contentsOfFile: folder.path("summary"), encoding: .utf8)
    #expect(summary == "# Tests\n\n" + markdown.output)
    // If requested, annotations are on standard output, once.
    let asked = try self.run(["--format", "github", "log"], summary: nil)
    #expect(asked.complaint == "" && asked.output == run.complaint)
    // GitHub does not read a file.
    let written = try self.run(["--format", "github=file", "log"], summary: nil)
    #expect(written.complaint == run.complaint && written.output == "")
    #expect(try String(contentsOfFile: folder.path("file"), encoding: .utf8) == run.complaint)
  }

  @Test("does neither if disabled, or elsewhere")
  func neither() throws {
    let run = try run(["--no-annotations", "log"])
    #expect(run.status == 1 && run.complaint == "")
    #expect(try folder.names == ["log"])
  }

  @Test("does not wait for a reader of a FIFO in place of the summary")
  func fifo() throws {
    let run = try CommandRun(
      shell: """
        export GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=$PWD/fifo
        mkfifo fifo
        timeout 60 $audit log > out; echo $?
        cat fifo > read &
        until [ -e read ]; do sleep 0.01; done
        # The reader may have yet to open it.
        until timeout 60 $audit log > out 2> errors; [ -s read ]; do
          grep -q 'summary cannot be written' errors || break
        done
        wait; grep -c '^## KVO audit' read
        """,
      in: folder.url
    )
    #expect(run.output == "1\n1\n")
    #expect(run.complaint.contains("fifo: the summary cannot be written: "))
  }

  @Test("keeps the summary of a step within GitHub's limit")
  func room() throws {
    let limit = 1 << 20
    _ = try folder.file("summary", String(repeating: "x", count: limit - 100))
    let run = try run(["log"])
    #expect(run.status == 1)
    #expect(run.complaint.contains("summary: the summary of this step has no room for the report"))
    let size = try FileManager.default.attributesOfItem(atPath: folder.path("summary"))[.size]
    #expect(size as? Int == limit - 100)
  }

  @Test("complains of a summary that it cannot write, and gives the verdict all the same")
  func unwritable() throws {
    let run = try run(["log"], summary: "none/summary")
    #expect(run.status == 1)
    #expect(
      run.complaint.contains(
        "none/summary: the summary cannot be written: No such file or directory"
      )
    )
  }
}
