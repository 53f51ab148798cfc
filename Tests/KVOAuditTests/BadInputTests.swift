import Foundation
import KVOAudit
import KVOTrace
import TestSupport
import Testing

@Suite("An input that is not a usage log") struct BadInputTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// The message for the input at `path`, without the path's folder; nil if it is read.
  private func message(_ path: String) -> String? {
    do throws(InputFailure) {
      _ = try LogSource(.file(path: path)).read { _, _ in }
      return nil
    } catch {
      return error.message.replacing(folder.url.path + "/", with: "")
    }
  }

  @Test("is reported with the error and the correct form")
  func messages() throws {
    let directory = folder.url.appending(path: "logs")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    #expect(message(directory.path) == "logs: is a directory; name a file in it")
    #expect(message(folder.url.path + "/missing.jsonl") == "missing.jsonl: no such file")
    let reads =
      "kvo-audit reads usage logs, binary ones (.kvolog) and JSON Lines, one object with an "
      + "\"event\" a line"
    #expect(
      try message(folder.file("empty.jsonl", ""))
        == "empty.jsonl: the input is empty; a usage log has at least one line, so the program "
        + "stopped before it recorded anything, or was not recording"
    )
    #expect(
      try message(folder.file("a.txt", "Hello \"log\"\n"))
        == "a.txt: not a usage log: it begins with \"Hello \\x22log\\x22\\n\"; \(reads)"
    )
    #expect(
      try message(folder.file("a.zip", [0x50, 0x4b, 3, 4, 0, 0xff]))
        == "a.zip: not a usage log: it begins with \"PK\\x03\\x04\\x00\\xff\"; \(reads)"
    )
    #expect(
      try message(folder.file("a.json", "{\n  \"a\": 1\n}\n"))
        == "a.json:1:2: not a usage log: no line of it is an event; here: not JSON: the line ends "
        + "too early"
    )
    #expect(
      try message(folder.file("torn.jsonl", "{\"event\":\"ex"))
        == "torn.jsonl:1:13: not a usage log: no line of it is an event; here: the log ends in the "
        + "middle of a line"
    )
    #expect(
      try message(folder.file("later.jsonl", "{\"event\":\"process\",\"schema\":2}\n"))
        == "later.jsonl:1:20: the log is written to schema 2; this version reads schemas up to 1"
    )
  }

  @Test(
    "is not a log whose writer spells the key of events in another way",
    arguments: [#""event": "register""#, #""event"\#t:\#t"register""#, #""\u0065vent":"register""#]
  )
  func spelling(event: String) throws {
    let line = """
      \u{feff}{\(event),"subject":{"class":"Account","id":"1"},\
      "observer":{"class":"Screen","id":"2"},"keyPath":"a"}\n
      """
    #expect(try message(folder.file("a.jsonl", line)) == nil)
    // The words of a crash report make no difference.
    #expect(try message(folder.file("b.jsonl", "{\"reason\":\"\\u0065vent\"}\n")) != nil)
  }

  @Test("is empty if all of its lines are blank", arguments: ["\n", " \r\n\t\n"])
  func blank(log: String) throws {
    let said = try message(folder.file("blank.jsonl", log))
    #expect(said?.hasPrefix("blank.jsonl: the input is empty;") == true)
  }

  // Root may read everything.
  @Test("may be a file that this user may not read", .enabled(if: geteuid() != 0))
  func unreadable() throws {
    let path = try folder.file("secret.jsonl", "{}")
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
    #expect(message(path) == "secret.jsonl: cannot be read: permission denied")
  }

  @Test("may be a FIFO that no one writes to, and is not waited for")
  func silentFIFO() throws {
    let path = folder.url.appending(path: "pipe").path
    #expect(mkfifo(path, 0o600) == 0)
    #expect(message(path) == "pipe: is a FIFO that no program writes to; start the writer first")
  }

  @Test("may not be a FIFO whose writer takes its time")
  func slowFIFO() throws {
    let path = folder.url.appending(path: "pipe").path
    #expect(mkfifo(path, 0o600) == 0)
    // An end that never blocks, so that there is a writer before the reader comes.
    let keeper = open(path, O_RDWR)
    let writer = Thread {
      // Nothing is written before the reader has the FIFO open as well.
      while Self.openCount(of: path) < 2 { sched_yield() }
      let line = Array("{\"event\":\"exit\",\"status\":0}\n".utf8)
      _ = line.withUnsafeBytes { write(keeper, $0.baseAddress, $0.count) }
      // The last write end; without it the reader sees the end.
      close(keeper)
    }
    writer.start()
    #expect(message(path) == nil)
  }

  /// How many descriptors of this process are open on `path`.
  private static func openCount(of path: String) -> Int {
    let folder = "/proc/self/fd"
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let files = descriptors.compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }
    return files.count { $0 == path }
  }

  @Test("may begin with damage and still be a log")
  func damagedStart() throws {
    let path = try folder.file("a.jsonl", "xx\n{\"event\":\"exit\",\"status\":0}\n")
    #expect(message(path) == nil)
  }
}
