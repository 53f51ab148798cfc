import Foundation
import TestSupport
import Testing

/// `kvo-audit record` with programs that observe.
@Suite("Recording a program")
struct RecordTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func record(_ arguments: [String]) throws -> ProgramRun {
    // Logs without a folder of their own go away with this one.
    try Built.run(
      "kvo-audit",
      ["record"] + arguments,
      in: folder.url,
      environment: ["TMPDIR": folder.path]
    )
  }

  private func path(_ name: String) throws -> String { try Built.program(name).path }

  /// Runs a bash script in which `$audit` and `$programs` are what was built.
  private func shell(_ script: String) throws -> ProgramRun {
    let folder = try Built.program("x").deletingLastPathComponent().path
    let script =
      "export TMPDIR=$PWD; audit=\(folder)/kvo-audit; programs=\(folder)\n" + script
    // The runtime's own backtracer lets a program live that was only sent a signal.
    let environment = ["SWIFT_BACKTRACE": "enable=no"]
    return try ProgramRun(shell: script, in: self.folder.url, environment: environment)
  }

  private func sample(_ name: String) throws -> String {
    let file = Built.package.appending(path: "Reports/\(name).txt")
    return try Example.withoutEventNumbers(String(contentsOf: file, encoding: .utf8))
  }

  @Test("prints the program's output, and then its report", arguments: Example.all)
  func example(example: Example) throws {
    let plain = try Built.run(example.name, in: folder.url)
    let run = try record(["--output", "logs", "--", path(example.name)])
    #expect(try Example.withoutEventNumbers(run.output) == plain.output + sample(example.name))
    #expect(run.status == example.status)
    #expect(run.complaint.hasSuffix("kvo-audit: the logs are in \"\(folder.path("logs"))\"\n"))
    let logs = try FileManager.default.contentsOfDirectory(atPath: folder.path("logs"))
    #expect(logs.count == 1 && logs[0].hasPrefix("\(example.name)-"))
  }

  @Test("takes the options of an audit")
  func options() throws {
    let run = try record([
      "--fail-on", "never", "--format", "text=report.txt", "--format", "json=report.json", "--",
      path("DoubleRemove"),
    ])
    #expect(run.status == 0)
    #expect(try run.output == Built.run("DoubleRemove", in: folder.url).output)
    let text = try String(contentsOf: folder.url.appending(path: "report.txt"), encoding: .utf8)
    #expect(try Example.withoutEventNumbers(text) == sample("DoubleRemove"))
    _ = try JSONSerialization.jsonObject(
      with: Data(contentsOf: folder.url.appending(path: "report.json"))
    )
  }

  @Test("children are recorded, each for itself")
  func children() throws {
    let run = try record([
      "--output", "logs", "--", "bash", "-c", "\"$0\" >/dev/null & wait; \"$1\" >/dev/null; exit 0",
      path("DoubleRemove"), path("ObserverDies"),
    ])
    #expect(run.status == 1)
    #expect(run.output.contains("KVO001") && run.output.contains("KVO007"))
    #expect(run.output.contains("from 2 processes"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("logs")).count == 2)
  }

  @Test("a program that becomes another one leaves a log of each")
  func becoming() throws {
    let run = try record([
      "--output", "logs", "--", "bash", "-c", "\"$0\" >/dev/null; exec \"$1\" >/dev/null",
      path("DoubleRemove"), path("Correct"),
    ])
    #expect(run.status == 1)
    #expect(run.output.contains("from 2 processes"))
  }

  @Test("the program's own failure comes before the findings, which are reported")
  func failure() throws {
    let run = try record(["--", "bash", "-c", "\"$0\"; exit 9", path("DoubleRemove")])
    #expect(run.status == 9)
    #expect(run.output.hasSuffix(try sample("DoubleRemove").suffix(40)))
  }

  @Test("a program that is ended is audited up to then", arguments: ["INT", "SEGV", "KILL"])
  func ended(signal: String) throws {
    let run = try shell(
      """
      ulimit -c 0
      # Swift's own backtracer continues after a signal that another process sent.
      export SWIFT_BACKTRACE=enable=no
      set -m
      (exec env --default-signal $audit record -- bash -c 'echo $$ > program; exec "$0"' $programs/KilledMidway) > out &
      # A program that ends without a word is not waited for.
      until grep -q working out || ! kill -0 $!; do sleep 0.01; done
      # One goes through kvo-audit, the others do not.
      if [ \(signal) = INT ]; then kill -INT $!; else kill -\(signal) $(cat program); fi
      wait $!
      echo $?
      grep -c 'KVO001' out
      grep -o 'CRASHED: [A-Z]*' out
      """
    )
    let expected = ["INT": "130\n1\n", "SEGV": "139\n1\nCRASHED: SIGSEGV\n", "KILL": "137\n1\n"]
    #expect(run.output == expected[signal])
  }

  @Test("logs of previous runs in the same folder are left alone")
  func previousLogs() throws {
    _ = try record(["--output", "logs", "--", path("DoubleRemove")])
    let run = try record(["--output", "logs", "--", path("Correct")])
    #expect(run.status == 0)
    #expect(run.output.contains("from 1 process "))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("logs")).count == 2)
  }
}
