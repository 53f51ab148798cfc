import Foundation
import TestSupport
import Testing

@Suite("kvo-audit convert") struct ConvertCommandTests {
  private static let log = """
    {"event":"process","schema":1,"pid":7,"executable":"/bin/app","complete":true}
    {"event":"deinit","t":1000,"thread":1,"order":10,"object":{"class":"Account","id":"12"},"stack":["0x55d0c0de"]}
    {"event":"exit","status":-1}

    """

  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    _ = try folder.file("a.jsonl", Self.log)
  }

  private func run(_ arguments: String...) throws -> CommandRun {
    try CommandRun(["convert"] + arguments, in: folder.url)
  }

  @Test("makes the other form, and the first again of that")
  func bothWays() throws {
    let there = try run("a.jsonl", "-o", "a.kvolog")
    #expect(there.complaint == "")
    #expect(there.output == "")
    #expect(there.status == 0)
    let bytes = try Data(contentsOf: folder.url.appending(path: "a.kvolog"))
    #expect(bytes.prefix(8) == Data([0x89, 0x4b, 0x56, 0x4f, 0x4c, 0x0d, 0x0a, 0x1a]))
    let back = try run("a.kvolog")
    #expect(back.complaint == "")
    #expect(back.output == Self.log)
    #expect(back.status == 0)
  }

  @Test("works in a pipe, in both directions")
  func pipe() throws {
    let run = try CommandRun(
      shell: "cat a.jsonl | $audit convert - | $audit convert - --to kvolog | $audit convert -",
      in: folder.url
    )
    #expect(run.complaint == "")
    #expect(run.output == Self.log)
  }

  @Test("converts to the requested form, even if it is that of the input")
  func sameForm() throws {
    let run = try run("a.jsonl", "--to", "jsonl", "--output", "b.jsonl")
    #expect(run.status == 0)
    #expect(
      try String(contentsOf: folder.url.appending(path: "b.jsonl"), encoding: .utf8) == Self.log
    )
  }

  @Test("does not overwrite the log that it reads")
  func overwrite() throws {
    let run = try CommandRun(
      shell: "ln a.jsonl b.jsonl; $audit convert a.jsonl -o b.jsonl; echo $?; cat a.jsonl",
      in: folder.url
    )
    #expect(
      run.complaint == """
        Error: "b.jsonl" is the log itself, and would be overwritten
          See 'kvo-audit convert --help' for more information.

        """
    )
    #expect(run.output == "64\n" + Self.log)
  }

  @Test("replaces what cannot be read by a dropped event, and reports it")
  func damage() throws {
    _ = try folder.file("a.jsonl", "{\"event\":\"exit\",\"status\":0}\nx\n")
    let run = try run("a.jsonl", "--to", "jsonl")
    #expect(
      run.output == """
        {"event":"exit","status":0}
        {"event":"dropped","count":1,"why":"what stood here cannot be read"}

        """
    )
    #expect(
      run.complaint
        == "kvo-audit: 1 part of a.jsonl could not be read; `kvo-audit validate a.jsonl` lists them\n"
    )
    #expect(run.status == 65)
  }

  @Test("reports what cannot be read or written")
  func failures() throws {
    let missing = try run("none.jsonl", "-o", "b")
    #expect(missing.complaint == "kvo-audit: none.jsonl: no such file\n")
    #expect(missing.status == 65)
    #expect(try folder.names == ["a.jsonl"])
    let unwritable = try run("a.jsonl", "-o", "none/b")
    #expect(
      unwritable.complaint == "kvo-audit: none/b: cannot be written: No such file or directory\n"
    )
    #expect(unwritable.status == 74)
    let full = try CommandRun(shell: "$audit convert a.jsonl >/dev/full", in: folder.url)
    #expect(full.status == 74)
  }

  @Test("has help with examples")
  func help() throws {
    let run = try run("--help")
    #expect(run.status == 0)
    #expect(run.output.contains("kvo-audit convert app.jsonl -o app.kvolog"))
  }

  @Test("makes binary logs that validate and audit take, and name the damage of")
  func others() throws {
    _ = try run("a.jsonl", "-o", "a.kvolog")
    let valid = try CommandRun(["validate", "a.kvolog"], in: folder.url)
    #expect(valid.output == "a.kvolog: valid, 3 events\n  segments: 2 whole\n")
    #expect(valid.status == 0)
    let file = folder.url.appending(path: "a.kvolog")
    var bytes = try Data(contentsOf: file)
    // The tables, without which the deinit has no class and no stack.
    bytes[4096 + 70] ^= 1
    try bytes.write(to: file)
    let damaged = try CommandRun(["validate", "a.kvolog"], in: folder.url)
    #expect(
      damaged.output == """
        a.kvolog: 2 problems, 1 event
          a.kvolog: byte 4,096: table segment 0 is lost: its checksum is wrong (4,096 bytes)
          a.kvolog: byte 8,256: an event names a string that is lost; it is left out
          segments: 1 whole, 1 lost; 4,096 bytes lost; 2 events left out for lost strings

        """
    )
    #expect(damaged.status == 65)
  }
}
