import Foundation
import TestSupport
import Testing

@testable import kvo_audit

/// Half a report must not look like a whole one.
@Suite("An output that cannot be written to its end")
struct UnfinishedOutputTests {
  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    let fields =
      #""thread":1,"subject":{"class":"C","id":"1"},"observer":{"class":"S","id":"2"}"#
    let lines = (0..<100).map { number in
      """
      {"event":"register",\(fields),"keyPath":"a\(number)","registration":\(number)}
      {"event":"remove",\(fields),"keyPath":"b\(number)"}

      """
    }.joined()
    _ = try folder.file("log.jsonl", lines + "{\"event\":\"exit\",\"status\":0}\n")
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: folder.path(name), encoding: .utf8)
  }

  /// What writes a file named `out`.
  private static let commands =
    ["text", "json", "markdown", "sarif", "junit", "html"]
    .map { "--fail-on never --format \($0)=out log.jsonl" } + [
      "convert log.jsonl --to jsonl -o out", "anonymize log.jsonl -o out",
      "export --to perfetto log.jsonl -o out",
    ]

  // A limit on the size of files fails in the middle of a write, as a full disk does.
  @Test("leaves the file that was there, or none", arguments: commands)
  func failed(command: String) throws {
    let script = "(ulimit -f 1; $audit \(command)); echo $?"
    let first = try CommandRun(shell: script, in: folder.url)
    #expect(first.output == "74\n")
    #expect(first.complaint.contains("kvo-audit: out: cannot be written: File too large\n"))
    #expect(try folder.names == ["log.jsonl"])
    _ = try folder.file("out", "before")
    #expect(try CommandRun(shell: script, in: folder.url).output == "74\n")
    #expect(try text("out") == "before")
    #expect(try folder.names == ["log.jsonl", "out"])
    // Output that can be written replaces it.
    #expect(try CommandRun(shell: "$audit \(command)", in: folder.url).status == 0)
    #expect(try text("out").utf8.count > 1_024)
    #expect(try folder.names == ["log.jsonl", "out"])
  }

  @Test("ends watching with a message")
  func watched() throws {
    let run = try CommandRun(
      shell: "(ulimit -f 1; $audit watch log.jsonl > out); echo $?",
      in: folder.url
    )
    #expect(run.output == "74\n")
    #expect(run.complaint == "kvo-audit: standard output cannot be written: File too large\n")
  }

  @Test("keeps links, permissions and other names of the file")
  func kept() throws {
    let manager = FileManager.default
    _ = try folder.file("target", "before")
    try manager.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder.path("target"))
    try manager.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "target")
    try manager.createSymbolicLink(atPath: folder.path("dangling"), withDestinationPath: "new")
    _ = try folder.file("first", "before")
    try manager.linkItem(atPath: folder.path("first"), toPath: folder.path("second"))
    for name in ["link", "dangling", "first"] {
      let run = try CommandRun(
        ["--fail-on", "never", "--format", "json=\(name)", "log.jsonl"],
        in: folder.url
      )
      #expect(run.status == 0 && run.complaint.isEmpty)
    }
    let report = try text("target")
    #expect(report.hasPrefix("{") && report.hasSuffix("}\n"))
    #expect(try text("new") == report)
    #expect(try text("first") == report && text("second") == report)
    #expect(try manager.destinationOfSymbolicLink(atPath: folder.path("link")) == "target")
    let found = try manager.attributesOfItem(atPath: folder.path("target"))[.posixPermissions]
    #expect(found as? Int == 0o640)
    #expect(try folder.names.count == 7)
  }

  @Test("replaces a file beside one that a killed process with the same number left")
  func leftOver() throws {
    let path = try folder.file("out", "before")
    _ = try folder.file("out.\(getpid())~", "left over")
    let replacement = try OutputReplacement(of: path)
    #expect(StandardStreams.write(Array("after".utf8), to: replacement.descriptor) == 0)
    try replacement.finish()
    #expect(try text("out") == "after")
    #expect(try folder.names == ["log.jsonl", "out", "out.\(getpid())~"])
  }

  @Test("empties a file that cannot be replaced")
  func inPlace() throws {
    _ = try folder.file("out", "before")
    try FileManager.default.linkItem(atPath: folder.path("out"), toPath: folder.path("other"))
    let script = "(ulimit -f 1; $audit --format text=out log.jsonl); echo $?"
    #expect(try CommandRun(shell: script, in: folder.url).output == "74\n")
    #expect(try text("out") == "")
  }

  @Test("writes to an output that is not a file")
  func devices() throws {
    let script = """
      exec 2>&1
      { echo a; $audit --fail-on never --format json=/dev/stdout log.jsonl; echo z; } >> out
      mkfifo pipe; cat pipe > copy & $audit --fail-on never --format json=pipe log.jsonl; wait
      """
    let run = try CommandRun(shell: script, in: folder.url)
    #expect(run.output == "")
    let report = try text("copy")
    #expect(report.hasPrefix("{") && report.hasSuffix("}\n"))
    #expect(try text("out").hasSuffix("}\nz\n"))
    #expect(try folder.names == ["copy", "log.jsonl", "out", "pipe"])
  }

  @Test("waits for the reader of a pipe that does not block")
  func nonblocking() throws {
    // What another process does to a pipe, such as the program that "record" runs, concerns all that have it.
    let run = try CommandRun(
      shell: """
        python3 - <<'PYTHON'
        import array, fcntl, os, subprocess, termios, time
        command = [os.environ["audit"], "--fail-on", "never", "--format", "json", "log.jsonl"]
        whole = subprocess.run(command, stdout=subprocess.PIPE).stdout
        reading, writing = os.pipe()
        set_pipe_size = 1031
        size = fcntl.fcntl(writing, set_pipe_size, 4096)
        fcntl.fcntl(writing, fcntl.F_SETFL, os.O_NONBLOCK)
        audit = subprocess.Popen(command, stdout=writing)
        os.close(writing)
        def held():
            count = array.array("i", [0])
            fcntl.ioctl(reading, termios.FIONREAD, count)
            return count[0]
        while held() < size and audit.poll() is None:
            time.sleep(0.01)
        report = os.fdopen(reading, "rb").read()
        print(audit.wait(), len(whole) > size, report == whole)
        PYTHON
        """,
      in: folder.url
    )
    #expect(run.output == "0 True True\n")
    #expect(run.complaint == "")
  }
}
