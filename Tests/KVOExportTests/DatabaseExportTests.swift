import CSQLite
import Foundation
import KVOAudit
import KVOExport
import TestSupport
import Testing

@Suite("A database") struct DatabaseExportTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private static let objects =
    #""subject":{"class":"Account","id":"12"},"observer":{"class":"Screen","id":"3"}"#
  private static let log = """
    {"event":"process","schema":1,"pid":7}
    {"event":"scopeBegin","id":1,"name":"open"}
    {"event":"expects","scope":1,"rules":["KVO002"]}
    {"event":"register","t":10,"scope":1,"thread":1,\(objects),"keyPath":"balance","registration":5,"stack":["Screen.init(account:) (Screen.swift:12)","main (main.swift:3)"]}
    {"event":"registerEnd","thread":1,"registration":5}
    {"event":"remove","t":20,"thread":1,\(objects),"keyPath":"owner"}
    {"event":"scopeEnd","id":1}
    {"event":"exit","status":0}

    """

  private func database() throws -> Rows {
    let log = try folder.file("a.jsonl", Self.log)
    let inputs: [AuditInput] = [.file(path: folder.path("none")), .file(path: log)]
    let report = Audit(options: AuditOptions(gathersCallSites: true)).report(on: inputs)
    var export = try DatabaseExport(report, path: folder.path("a.db"))
    try export.run(inputs)
    return try Rows(folder.path("a.db"))
  }

  @Test("has the findings, stacks, call sites, growth and events of logs")
  func tables() throws {
    let database = try database()
    #expect(try database.of("SELECT id, kind, events FROM inputs") == ["0|jsonl|8"])
    #expect(
      try database.of(
        """
        SELECT parent, code, severity, class, observer, key_path, count, processes, runs, library, \
        suppressed, input, expected FROM findings ORDER BY code
        """
      ) == [
        "|KVO002|error|Account|Screen|owner|1|1|1|0|0|0|1",
        "|KVO021|error|Account|Screen|balance|1|1|1|0|0|0|0",
      ]
    )
    #expect(
      try database.of(
        """
        SELECT code, role, depth, function, file, line, own FROM finding_frames \
        JOIN findings ON findings.id = finding ORDER BY code, stack, depth
        """
      ).contains("KVO021|registered|0|Screen.init(account:)|Screen.swift|12|1")
    )
    #expect(
      try database.of("SELECT class, key_path, observer, place, made, live FROM call_sites")
        == ["Account|balance|Screen|Screen.swift:12|1|1"]
    )
    #expect(
      try database.of("SELECT depth, function, line FROM call_site_frames ORDER BY depth")
        == ["0|Screen.init(account:)|12", "1|main|3"]
    )
    #expect(
      try database.of("SELECT scope, place, run, live, grows FROM growth")
        == ["open|Screen.swift:12|1|1|0"]
    )
    #expect(
      try database.of("SELECT * FROM events ORDER BY number") == [
        "0|1|||process|||||||", "0|2|||scopeBegin|||||||",
        "0|3|||expects|||||||",
        "0|4|10|1|register|Account|12|Screen|3|balance|5|", "0|5||1|registerEnd||||||5|",
        "0|6|20|1|remove|Account|12|Screen|3|owner||", "0|7|||scopeEnd|||||||",
        "0|8|||exit|||||||",
      ]
    )
  }

  @Test("answers the questions of the documentation")
  func documented() throws {
    let database = try database()
    let answers = try Self.documentedQueries().map { try database.of($0) }
    #expect(
      answers == [
        ["Screen.swift:12|balance|1"], ["KVO002|1", "KVO021|1"], ["Screen.swift:12|open|1"],
        ["4|register", "5|registerEnd"], ["Account#12|1"],
      ]
    )
  }

  /// The queries in `Documentation/Exports.md`, in their order.
  private static func documentedQueries() throws -> [String] {
    let text = try Rows.text(
      of: ProgramRun.package.appending(path: "Documentation/Exports.md").path
    )
    return text.matches(of: /```sql\n(SELECT[^`]*?)```/).map { String($0.1) }
  }

  @Test("that cannot be written is reported with the reason")
  func unwritable() {
    #expect(throws: DatabaseExport.Failure.self) {
      _ = try DatabaseExport(AuditReport(), path: folder.path("none/a.db"))
    }
    #expect(throws: DatabaseExport.Failure.self) {
      _ = try DatabaseExport(AuditReport(), path: folder.path(""))
    }
  }
}
