import Foundation
import KVOAudit
import KVOLogTools
import TestSupport
import Testing

@Suite("validate") struct LogValidationTests {
  private func text(_ log: String) throws -> String {
    let folder = try ScratchFolder()
    let path = try folder.file("a.jsonl", log)
    return try LogValidation(of: .file(path: path)).text
      .replacing(folder.url.path + "/", with: "")
  }

  @Test("counts the events of a log that is as it should be")
  func clean() throws {
    let exit = "{\"event\":\"exit\",\"status\":0}\n"
    #expect(try text(exit) == "a.jsonl: valid, 1 event\n")
    #expect(
      try text(String(repeating: exit, count: 1234)) == "a.jsonl: valid, 1,234 events\n"
    )
  }

  @Test("reports dropped events: a log with losses is not valid")
  func dropped() throws {
    let log = """
      {"event":"dropped","count":17}
      {"event":"dropped","count":3}
      {"event":"exit","status":0}

      """
    #expect(
      try text(log) == """
        a.jsonl: 0 problems, 3 events
          20 events dropped by the writer

        """
    )
  }

  @Test("lists every problem, and unknown events and keys")
  func problems() throws {
    let log = """
      {"event":"exit","status":0,"mood":1}
      {"event":"exit","status":"0"}
      {"event":"sparkle"}
      {"event":"sparkle"}
      {"event":"exi
      """
    #expect(
      try text(log) == """
        a.jsonl: 2 problems, 1 event
          a.jsonl:2:17: "status" is "0"; it must be a whole number from -9223372036854775808 to 9223372036854775807
          a.jsonl:5:14: the log ends in the middle of a line
          cut: the file ends at byte 120, in the middle of the log
          unknown events, ignored: sparkle (2)
          unknown keys, ignored: mood (1)

        """
    )
  }

  @Test("lists a thousand problems and counts the others")
  func manyProblems() throws {
    let log = "{\"event\":\"exit\",\"status\":0}\n" + String(repeating: "x\n", count: 1002)
    let lines = try text(log).split(separator: "\n")
    #expect(lines.count == 1002)
    #expect(lines.first == "a.jsonl: 1,002 problems, 1 event")
    #expect(lines.last == "  … and 2 more problems")
  }
}
