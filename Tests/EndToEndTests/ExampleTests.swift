import Foundation
import TestSupport
import Testing

@Suite("Example programs")
struct ExampleTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// The rule, the sentence and the signature of each finding that a text names, those under others included.
  private func findings(_ text: String) -> [String] {
    let lines = text.split(separator: "\n").map(String.init)
    var head: String?
    var found: [String] = []
    for (line, next) in zip(lines, lines.dropFirst() + [""]) {
      if let match = line.firstMatch(of: #/^(?:WARNING|NOTE): KVOSafety: .*\((KVO\d{3})/#) {
        head = "\(match.output.1)\(next)"
      } else if let match = line.firstMatch(of: #/^    (.*) \((KVO\d+) [a-z-]+, (\S+), seen/#) {
        found.append("\(match.output.2)  \(match.output.1) \(match.output.3)")
      } else if let match = line.firstMatch(of: #/^  Signature: (\S+) /#), let known = head {
        found.append("\(known) \(match.output.1)")
      }
    }
    return found.sorted()
  }

  @Test("the live reports and those of the log are the same", arguments: Example.all)
  func liveEqualsReplay(example: Example) throws {
    let (log, run) = try example.record(in: folder)
    let audit = try Built.run("kvo-audit", [log.path], in: folder.url)
    #expect(Set(findings(run.complaint)) == Set(findings(audit.output)))
    #expect(findings(run.complaint).isEmpty == (example.status == 0))
    #expect(audit.status == example.status)
  }

  @Test("a second run under one name keeps the first log and reports it, and its audit lists it")
  func sameName() throws {
    let example = Example(name: "DoubleRemove", status: 1)
    let (log, first) = try example.record(in: folder)
    #expect(!first.complaint.contains("was the log of"))
    let before = try Data(contentsOf: log)
    let kept = log.path + ".previous"
    for _ in 1...2 {
      let run = try example.record(in: folder).run
      #expect(
        run.complaint.contains(
          #/KVOSafety: ".*DoubleRemove.kvolog" was the log of process \d+, which is kept as ".*"/#
        )
      )
      #expect(run.status == first.status)
      #expect(run.output == first.output)
    }
    #expect(try Data(contentsOf: URL(filePath: kept)) != before)
    let audit = try Built.run("kvo-audit", [log.path], in: folder.url)
    #expect(audit.complaint.hasSuffix("not part of this report: \(kept)\n"))
    #expect(findings(audit.output).count == 1)
    let both = try Built.run("kvo-audit", [folder.path], in: folder.url)
    #expect(both.output.contains("from 2 processes"))
    #expect(both.complaint == "")
  }

  @Test("a program does the same with and without recording", arguments: Example.all)
  func transparency(example: Example) throws {
    let recorded = try example.record(in: folder).run
    let plain = try Built.run(example.name, in: folder.url)
    #expect(recorded.output == plain.output)
    #expect(recorded.status == plain.status)
    #expect(findings(recorded.complaint) == findings(plain.complaint))
  }

  @Test("a live report ends with the command that gives the names")
  func liveReport() throws {
    let plain = try Built.run("ObserverDies", in: folder.url)
    #expect(
      plain.complaint.hasSuffix(
        "  Names: run with KVO_SAFETY_LOG=app-%p.kvolog, then kvo-audit app-*.kvolog\n"
      )
    )
    let (log, run) = try Example(name: "ObserverDies", status: 1).record(in: folder)
    #expect(run.complaint.hasSuffix("  Names: kvo-audit \(log.path)\n"))
  }

  @Test("the log of a killed program holds everything up to then, and audits")
  func killed() throws {
    let log = folder.url.appending(path: "killed.kvolog")
    let process = try Built.process(
      "KilledMidway",
      [],
      in: folder.url,
      environment: ["KVO_SAFETY_LOG": log.path]
    )
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    // Its first words: by then the fault has happened.
    #expect(output.fileHandleForReading.availableData == Data("working\n".utf8))
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal)

    let audit = try Built.run("kvo-audit", [log.path], in: folder.url)
    #expect(audit.status == 1)
    #expect(
      findings(audit.output) == [
        #"KVO001  Worker#2 removed its observation of "balance" from Account#1 a second time, "#
          + "on thread 1 (main) 2:6640d94d61"
      ]
    )
    #expect(audit.output.contains("(1 observation live at the end)"))
  }

  @Test("a log that cannot be written is reported, and the program runs as without one")
  func unwritableLog() throws {
    let plain = try Built.run("Correct", in: folder.url)
    let path = folder.url.appending(path: "missing/app.kvolog").path
    let run = try Built.run("Correct", in: folder.url, environment: ["KVO_SAFETY_LOG": path])
    #expect(
      run.complaint == """
        KVOSafety: cannot write the log "\(path)": No such file or directory. The program runs on, \
        unrecorded.

        """
    )
    #expect(run.output == plain.output)
    #expect(run.status == 0)
  }

  @Test("a stripped program is audited as far as possible, and the report lists what is missing")
  func stripped() throws {
    let strip = ["/usr/bin/strip", "/usr/bin/llvm-strip"]
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    guard let strip else { return }
    let copy = folder.url.appending(path: "DoubleRemove")
    try FileManager.default.copyItem(at: Built.program("DoubleRemove"), to: copy)
    #expect(try ProgramRun(URL(filePath: strip), [copy.path]).status == 0)
    _ = try ProgramRun(copy, environment: ["KVO_SAFETY_LOG": folder.path("log.kvolog")])
    let audit = try Built.run("kvo-audit", ["log.kvolog"], in: folder.url)
    #expect(audit.status == 1)
    #expect(findings(audit.output).count == 1)
    #expect(audit.output.contains("  > at main.swift:11 in "))
    #expect(audit.output.contains("has no debug information"))
  }
}
