import Testing

@testable import kvo_audit

/// ArgumentParser is given one command, if one is enough to parse the arguments as all would.
@Suite("The commands offered to ArgumentParser") struct OfferedCommandsTests {
  private static let all = KVOAuditCommand.names.count

  private func offered(to line: String) -> [String] {
    KVOAuditCommand.offered(to: line.split(separator: " ").map(String.init)[...]).map { "\($0)" }
  }

  @Test(
    "are all where help, the version or completions may be requested",
    arguments: [
      "", "help", "help record", "-h", "--help", "--help-hidden", "record -h", "record --help",
      "record -h -- x", "--version", "audit --version", "--generate-completion-script",
      "--generate-completion-script=bash", "--experimental-dump-help",
      "---completion record -- positional@0 x",
    ]
  )
  func all(line: String) {
    #expect(Set(offered(to: line)).count == Self.all, "\(offered(to: line))")
  }

  @Test(
    "are the one that is named, or an audit",
    arguments: [
      ("record -- x -h", "RecordCommand"), ("record -- x help --version", "RecordCommand"),
      ("heap app.kvoheap", "HeapCommand"), ("heaps", "AuditCommand"), ("audit x", "AuditCommand"),
      ("app.kvolog", "AuditCommand"), ("a-h.jsonl", "AuditCommand"), ("-", "AuditCommand"),
      ("-- help", "AuditCommand"), ("--format json x", "AuditCommand"),
      ("x record", "AuditCommand"), ("verify-fix 2:6898ccf5d8 x", "VerifyFixCommand"),
    ]
  )
  func one(line: String, command: String) {
    #expect(offered(to: line) == [command])
  }

  @Test("are another one for each name")
  func names() {
    let lists = KVOAuditCommand.names.map { offered(to: "\($0) x") }
    #expect(lists.allSatisfy { $0.count == 1 } && Set(lists).count == Self.all)
  }
}
