import Foundation
import TestSupport
import Testing

/// A database is written under a name of its own beside the file that it replaces.
@Suite("kvo-audit export --to sqlite and the files that are there")
struct ReplacedFileTests {
  private let folder: ScratchFolder

  private static let log = """
    {"event":"remove","thread":1,"subject":{"class":"Account","id":"12"},"observer":{"class":"Screen","id":"3"},"keyPath":"balance"}

    """

  init() throws {
    folder = try ScratchFolder()
    _ = try folder.file("one.jsonl", Self.log)
  }

  private func export(_ input: String, to output: String) throws -> CommandRun {
    try CommandRun(["export", "--to", "sqlite", input, "-o", output], in: folder.url)
  }

  private func isDatabase(_ name: String) throws -> Bool {
    try Data(contentsOf: folder.url.appending(path: name)).starts(with: Data("SQLite".utf8))
  }

  @Test("stay: those with names like its own, and the log")
  func bystanders() throws {
    _ = try folder.file("a.db.part", "mine")
    #expect(try export("one.jsonl", to: "a.db").status == 0)
    #expect(try isDatabase("a.db"))
    #expect(
      try String(contentsOf: folder.url.appending(path: "a.db.part"), encoding: .utf8) == "mine"
    )
    #expect(try folder.names == ["a.db", "a.db.part", "one.jsonl"])
    #expect(try export("one.jsonl", to: "one.jsonl").status == 74)
    #expect(
      try String(contentsOf: folder.url.appending(path: "one.jsonl"), encoding: .utf8) == Self.log
    )
  }

  @Test("a link stays a link, and its target keeps its permissions")
  func link() throws {
    let manager = FileManager.default
    let target = try folder.file("target", "old")
    try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path("target"))
    try manager.createSymbolicLink(atPath: folder.path("link.db"), withDestinationPath: "target")
    #expect(try export("one.jsonl", to: "link.db").status == 0)
    #expect(try manager.destinationOfSymbolicLink(atPath: folder.path("link.db")) == "target")
    #expect(try isDatabase("target"))
    let found = try manager.attributesOfItem(atPath: folder.path("target"))[.posixPermissions]
    #expect(found as? Int == 0o600)
    _ = target
  }

  @Test("an output that is not a file is refused, and stays as it is")
  func fifo() throws {
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    let run = try export("one.jsonl", to: "pipe")
    #expect(run.status == 74)
    #expect(
      run.complaint
        == "kvo-audit: pipe: cannot be written: only a file can be replaced, and this is not one\n"
    )
    #expect(try folder.names == ["one.jsonl", "pipe"])
  }

  @Test("the limit of file sizes is reported in words")
  func limit() throws {
    let script = """
      ulimit -f 4
      "$audit" export --to sqlite one.jsonl -o a.db; echo $?
      "$audit" --format html=page.html one.jsonl; echo $?
      """
    let run = try CommandRun(shell: script, in: folder.url)
    #expect(run.output == "74\n74\n")
    #expect(
      run.complaint == """
        kvo-audit: a.db: cannot be written: disk I/O error
        kvo-audit: page.html: cannot be written: File too large

        """
    )
    #expect(try folder.names.filter { $0.hasPrefix("a.db") } == [])
  }
}
