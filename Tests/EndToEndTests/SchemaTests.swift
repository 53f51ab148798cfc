import Foundation
import TestSupport
import Testing

@Suite(
  "Reports that other tools read",
  .enabled(if: Schemas.areAvailable, "needs KVO_SAFETY_SCHEMAS, xmllint and Python's jsonschema")
)
struct SchemaTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  @Test("are valid, whatever is in the log", arguments: ["sarif", "junit"], Example.all)
  func valid(form: String, example: Example) throws {
    let (log, _) = try example.record(in: folder)
    try expectValid(form, [log.lastPathComponent])
  }

  @Test("are valid if names are hostile and inputs are missing", arguments: ["sarif", "junit"])
  func hostile(form: String) throws {
    let name = #"a\u0000\u001b[31m\"<&>\ufffe\u2028b"#
    let subject = #"{"class": "\#(name)", "id": "1"}"#
    let stack =
      #"[{"symbol": "\#(name)", "file": "/\#(name).swift", "line": 1}, "0xffffffffffffffff"]"#
    let line =
      #"{"event": "remove", "subject": \#(subject), "observer": \#(subject), "keyPath": "\#(name)", "stack": \#(stack)}"#
    try Data((line + "\n").utf8).write(to: folder.url.appending(path: "log"))
    try expectValid(form, ["log", "none", "no thing"])
  }

  @Test("are valid with suppressions of every kind and a baseline", arguments: ["sarif", "junit"])
  func triaged(form: String) throws {
    let (log, _) = try Example.all[0].record(in: folder)
    let other = try Example.all[1].record(in: folder).log
    _ = try Built.run(
      "kvo-audit",
      ["--summary", "base.json", other.lastPathComponent],
      in: folder.url
    )
    let lines = """
      KVO001 until=2999-01-01 because "<&> \u{1}"
      KVO002 until=2020-01-01 because it is over
      KVO0* class=Nobody until=2999-01-01 because of others
      * class=A* path=* signature=* until=2020-01-01 because it is over, too
      """
    _ = try folder.file("known <&>", lines)
    try expectValid(
      form,
      ["--suppressions", "known <&>", "--baseline", "base.json", log.lastPathComponent]
    )
  }

  @Test("are refused by the validators if they are broken", arguments: ["sarif", "junit"])
  func broken(form: String) throws {
    let file = folder.url.appending(path: "broken")
    try Data((form == "sarif" ? "{\"version\": 3}" : "<testsuites><x/></testsuites>").utf8)
      .write(to: file)
    #expect(!Schemas.accepts(file, as: form))
  }

  private func expectValid(_ form: String, _ logs: [String]) throws {
    let file = folder.url.appending(path: "report")
    _ = try Built.run("kvo-audit", ["--format", "\(form)=report"] + logs, in: folder.url)
    #expect(Schemas.accepts(file, as: form))
  }
}
