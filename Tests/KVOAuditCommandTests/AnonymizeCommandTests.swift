import Foundation
import TestSupport
import Testing

@Suite("kvo-audit anonymize") struct AnonymizeCommandTests {
  private static let log = """
    {"event":"remove","subject":{"class":"Vault","id":"1"},"observer":{"class":"Thief","id":"2"},"keyPath":"gold.bars"}
    {"event":"exit","status":0}

    """

  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
    _ = try folder.file("a.jsonl", Self.log)
  }

  private func run(_ arguments: String...) throws -> CommandRun {
    try CommandRun(["anonymize"] + arguments, in: folder.url)
  }

  private func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: folder.path(name))), as: UTF8.self)
  }

  @Test("writes a log in the same form that is judged the same, and its report back by the map")
  func reports() throws {
    _ = try CommandRun(["convert", "a.jsonl", "-o", "a.kvolog"], in: folder.url)
    for form in ["jsonl", "kvolog"] {
      let made = try run("a.\(form)", "-o", "b.\(form)", "--key", "key.\(form)", "--map", "map")
      #expect(made.status == 0 && made.output == "")
      #expect(
        made.complaint
          == "kvo-audit: key.\(form): made a new key; keep it, and keep it to yourself\n"
      )
      let bytes = try text("b.\(form)")
      for name in ["Vault", "Thief", "gold", "bars"] { #expect(!bytes.contains(name)) }
      let judged = try CommandRun(
        shell: """
          signature() { sed 's/Signature: [0-9a-f:]*/Signature: …/'; }
          $audit a.\(form) | signature > before
          $audit b.\(form) > after
          grep -c -e Vault -e Thief -e gold after
          $audit anonymize --restore map after | signature | cmp - before && echo same
          $audit anonymize --restore map b.\(form) -o back.\(form); cmp a.jsonl <($audit convert --to jsonl back.\(form)) && echo back
          piped() { (head -c 5; cat) < b.\(form) | $audit anonymize --restore map -; }
          cmp a.jsonl <(piped | $audit convert --to jsonl -) && echo piped
          stat -c %a map key.\(form)
          """,
        in: folder.url
      )
      #expect(judged.output == "0\nsame\nback\npiped\n600\n600\n")
      #expect(judged.complaint == "")
    }
  }

  @Test("two logs with one key have equal signatures; without one they do not, and say so")
  func keys() throws {
    let run = try CommandRun(
      shell: """
        signature() { $audit "$1" | sed -n 's/.*Signature: \\([0-9a-f:]*\\).*/\\1/p'; }
        for n in 1 2; do $audit anonymize a.jsonl -o $n.jsonl --key key 2>/dev/null; done
        $audit anonymize a.jsonl -o 3.jsonl
        [ "$(signature 1.jsonl)" = "$(signature 2.jsonl)" ] && echo same
        [ "$(signature 1.jsonl)" = "$(signature 3.jsonl)" ] || echo other
        """,
      in: folder.url
    )
    #expect(run.output == "same\nother\n")
    #expect(
      run.complaint
        == "kvo-audit: without --key the names are of this run alone: compare the log with no other\n"
    )
  }

  @Test("writes several logs into a folder, under names that reveal nothing, with one map")
  func several() throws {
    _ = try CommandRun(["convert", "a.jsonl", "-o", "vault.kvolog"], in: folder.url)
    let run = try run("a.jsonl", "vault.kvolog", "-o", "given", "--map", "map")
    #expect(run.status == 0)
    let given = folder.url.appending(path: "given")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: given.path).sorted()
        == ["1.jsonl", "2.kvolog"]
    )
    let same = try CommandRun(
      shell: "cmp given/1.jsonl <($audit convert given/2.kvolog) && echo same",
      in: folder.url
    )
    #expect(same.output == "same\n")
    #expect(try text("map").contains(": \"Vault\""))
  }

  @Test("writes the other logs, and the map, if one cannot be read")
  func unreadable() throws {
    _ = try folder.file("text", "no log")
    let other = Self.log.replacing("Vault", with: "Safe")
    _ = try folder.file("b.jsonl", other)
    _ = try folder.file("map", "an older one")
    let run = try run("a.jsonl", "text", "none", "b.jsonl", "-o", "given", "--map", "map")
    #expect(run.status == 65)
    #expect(run.complaint.contains("text: not a usage log"))
    #expect(run.complaint.contains("none: no such file"))
    let given = folder.url.appending(path: "given")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: given.path).sorted()
        == ["1.jsonl", "4.jsonl"]
    )
    let map = try text("map")
    #expect(map.contains(": \"Vault\"") && map.contains(": \"Safe\""))
    // If none is written, an older map stays, and nothing is said of names.
    let refused = try CommandRun(["anonymize", "text", "-o", "c", "--map", "map"], in: folder.url)
    #expect(refused.status == 65 && !refused.complaint.contains("without --key"))
    #expect(try text("map") == map)
  }

  @Test("names the copies of compressed and rotated logs by their form")
  func formNames() throws {
    let run = try CommandRun(
      shell: """
        $audit convert a.jsonl -o app.kvolog; cp app.kvolog app.kvolog.1; gzip app.kvolog; gzip -k a.jsonl
        mkdir app.kvolog; cp a.jsonl app.kvolog/b
        $audit anonymize app.kvolog.gz app.kvolog.1 a.jsonl.gz app.kvolog/b -o given; ls given
        """,
      in: folder.url
    )
    #expect(run.output == "1.kvolog\n2.kvolog\n3.jsonl\n4.jsonl\n")
  }

  @Test("works in a pipe, copies nothing of damaged regions, and reports their number")
  func damage() throws {
    _ = try folder.file("b.jsonl", Self.log + "{\"event\":\"deinit\",\"object\":Vault}\n")
    let run = try CommandRun(shell: "cat b.jsonl | $audit anonymize - | tail -n 1", in: folder.url)
    #expect(
      run.output
        == #"{"event":"dropped","count":1,"why":"what stood here cannot be read"}"# + "\n"
    )
    #expect(run.complaint.hasPrefix("kvo-audit: 1 part of - could not be read"))
  }

  @Test("refuses to overwrite a log, a short key, an invalid map, and inputs that are not logs")
  func refusals() throws {
    _ = try folder.file("short", "abc")
    _ = try folder.file("text", "no log")
    _ = try CommandRun(shell: "ln -s a.jsonl link.jsonl", in: folder.url)
    for (arguments, status, words) in [
      (["a.jsonl", "-o", "a.jsonl"], 64, "\"a.jsonl\" is a log itself, and would be overwritten"),
      (["a.jsonl", "-o", "link.jsonl"], 64, "\"link.jsonl\" is a log itself"),
      (["a.jsonl", "--map", "a.jsonl"], 64, "\"a.jsonl\" is a log itself"),
      (["a.jsonl", "--key", "a.jsonl"], 64, "\"a.jsonl\" is a log itself"),
      (["a.jsonl", "-o", "b", "--map", "b"], 64, "\"b\" is named twice"),
      (["a.jsonl", "-o", "b", "--key", "b"], 64, "\"b\" is named twice"),
      (["a.jsonl", "-o", "./b", "--key", "b"], 64, "\"b\" is named twice"),
      (["a.jsonl", "-o", "c", "--key", "b", "--map", "./b"], 64, "\"./b\" is named twice"),
      (["a.jsonl", "-o", "b", "--restore", "b"], 64, "\"b\" is named twice"),
      (["a.jsonl", "-o", ".", "--key", "1.jsonl"], 74, "1.jsonl"),
      (["a.jsonl", "text"], 64, "several logs need a folder to be written to: name it with -o"),
      (["a.jsonl", "text", "-o", "short"], 74, "short: cannot be written: File exists"),
      (
        ["a.jsonl", "--key", "short"], 65,
        "short: too short for a key: it has 3 bytes, and needs 16"
      ),
      (["a.jsonl", "--restore", "text"], 65, "text: not a map of names"),
      (["a.jsonl", "--restore", "text", "--key", "k"], 64, "it takes neither --key nor --map"),
      (["text"], 65, "text: not a usage log"),
      (["none.jsonl"], 65, "none.jsonl: no such file"),
      (["a.jsonl", "-o", "none/b"], 74, "none/b: cannot be written: No such file or directory"),
      (["a.jsonl", "--map", "none/m"], 74, "none/m: cannot be written"),
    ] as [([String], Int32, String)] {
      let run = try CommandRun(["anonymize"] + arguments, in: folder.url)
      #expect(run.status == status, "\(arguments): \(run.complaint)")
      #expect(run.complaint.contains(words), "\(arguments): \(run.complaint)")
    }
    #expect(try text("a.jsonl") == Self.log)
  }
}
