import Foundation
import KVOAudit
import KVOReports
import KVORules
import TestSupport
import Testing

@Suite("Folders and patterns as inputs") struct InputPathsTests {
  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    for path in ["logs/a.jsonl", "logs/deep/er/b.jsonl", "logs/.hidden/c.jsonl", "other/d.jsonl"] {
      try write(path, LogText.exit)
    }
    try write("logs/readme.txt", "some words\n")
    try write("logs/deep/crash.ips", "{}")
    try write("logs/deep/image.png", "\u{89}PNG")
    let report = JSONReportRenderer().render(AuditReport())
    try write("logs/deep/report.json", String(decoding: report, as: UTF8.self))
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "empty"),
      withIntermediateDirectories: true
    )
  }

  private func write(_ path: String, _ text: String) throws {
    let url = folder.url.appending(path: path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try Data(text.utf8).write(to: url)
  }

  private func inputs(_ arguments: String...) -> [String] {
    AuditInput.inputs(arguments: arguments.map { $0 == "-" ? $0 : folder.path($0) })
      .map { $0.label.replacing(folder.path + "/", with: "") }
  }

  @Test("of a folder are the logs in it and below, and crash reports")
  func folders() {
    let logs = ["logs/a.jsonl", "logs/deep/crash.ips", "logs/deep/er/b.jsonl"]
    #expect(inputs("logs") == logs)
    #expect(inputs("logs/").map { $0.replacing("//", with: "/") } == logs)
    #expect(inputs("logs/deep") == Array(logs.dropFirst()))
    #expect(inputs("other", "logs/deep") == ["other/d.jsonl"] + logs.dropFirst())
  }

  @Test("of a folder are also files that are named like logs, and are damaged")
  func damaged() throws {
    try write("logs/cut.kvolog", "\u{0}VOL")
    try write("logs/deep/empty.kvolog", "")
    try write("logs/deep/packed.kvolog.gz", "no longer compressed")
    let logs = ["logs/a.jsonl", "logs/cut.kvolog", "logs/deep/crash.ips", "logs/deep/empty.kvolog"]
    #expect(inputs("logs") == logs + ["logs/deep/er/b.jsonl", "logs/deep/packed.kvolog.gz"])
  }

  @Test("of a folder are also links that are named like logs, and lead nowhere")
  func danglingLinks() throws {
    for name in ["gone.kvolog", "gone.txt"] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path("other/\(name)"),
        withDestinationPath: "nowhere/\(name)"
      )
    }
    #expect(inputs("other") == ["other/d.jsonl", "other/gone.kvolog"])
    let report = Audit().report(on: AuditInput.inputs(arguments: [folder.path("other")]))
    #expect(report.failures.map(\.reason) == ["no such file"])
  }

  @Test("of a folder are also logs whose names are not UTF-8, and reading them says so")
  func notUTF8() throws {
    let run = try ProgramRun(
      shell: #"""
        cp d.jsonl $'caf\xe9.jsonl'; echo words > $'caf\xe9.txt'; touch $'caf\xe9.kvolog' $'.\xe9.kvolog'
        mkdir $'caf\xe9'
        """#,
      in: folder.url.appending(path: "other")
    )
    #expect(run.status == 0)
    let names = ["", ".jsonl", ".kvolog"].map { "other/caf\u{fffd}\($0)" }
    #expect(inputs("other") == names + ["other/d.jsonl"])
    #expect(inputs("other/*.jsonl") == [names[1], "other/d.jsonl"])
    let report = Audit().report(on: AuditInput.inputs(arguments: [folder.path("other")]))
    #expect(report.failures.count == 3)
    #expect(report.failures.allSatisfy { $0.message.hasSuffix("its name is not UTF-8; rename it") })
  }

  @Test("of a pattern that the shell has left are the files that it matches")
  func patterns() {
    let all = [
      "logs/a.jsonl", "logs/deep/crash.ips", "logs/deep/er/b.jsonl", "logs/deep/image.png",
      "logs/deep/report.json", "logs/readme.txt",
    ]
    #expect(inputs("logs/**") == all)
    #expect(inputs("logs/**/*.jsonl") == ["logs/a.jsonl", "logs/deep/er/b.jsonl"])
    #expect(inputs("*/?.jsonl") == ["logs/a.jsonl", "other/d.jsonl"])
    #expect(inputs("**/b.jsonl") == ["logs/deep/er/b.jsonl"])
    #expect(inputs("logs/*/er/*") == ["logs/deep/er/b.jsonl"])
  }

  @Test("that are named twice are read once")
  func twice() {
    #expect(inputs("other/d.jsonl", "other/d.jsonl") == ["other/d.jsonl"])
    #expect(inputs("other/d.jsonl", "logs/../other/d.jsonl") == ["other/d.jsonl"])
    #expect(inputs("-", "other/d.jsonl", "-").count == 2)
    #expect(inputs("missing.jsonl", "missing.jsonl") == ["missing.jsonl"])
  }

  @Test("of folders are not read again, and explicit paths are read as they are")
  func once() {
    // As a shell expands logs/** itself, folders and all.
    #expect(
      inputs("logs/a.jsonl", "logs/deep", "logs/deep/er", "logs/deep/er/b.jsonl", "logs/readme.txt")
        == ["logs/a.jsonl", "logs/deep/crash.ips", "logs/deep/er/b.jsonl", "logs/readme.txt"]
    )
    #expect(inputs("logs", "logs") == inputs("logs"))
    #expect(
      inputs("-", "none.jsonl", "none/*.jsonl", "empty") == [
        "standard input", "none.jsonl", "none/*.jsonl", "empty",
      ]
    )
  }
}
