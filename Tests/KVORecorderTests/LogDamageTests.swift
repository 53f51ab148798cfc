import Foundation
import KVOTrace
import TestSupport
import Testing

@Suite("A log whose file changes while it is written")
struct LogDamageTests {
  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder()
    path = folder.path("log")
  }

  /// Lets the probe end, and returns how many events it says were lost.
  private func end(_ probe: DrivenChild) throws -> Int {
    #expect(try probe.tell("stop") == "done")
    let outcome = try probe.end()
    #expect(outcome.ending == .exit && outcome.status == 0)
    guard !outcome.complaint.isEmpty else { return 0 }
    let count = outcome.complaint.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? -1
    #expect(
      outcome.complaint == "KVOSafety: \(count) events could not be written to \"\(path)\"\n"
    )
    return count
  }

  @Test("that is deleted at its end has lost its events, which is reported")
  func deletedAtTheEnd() throws {
    let probe = try DrivenChild(log: path)
    try probe.tell("named 1 60")
    try probe.tell("threads 4 1 10")
    #expect(unlink(path) == 0)
    #expect(try end(probe) == 100)
    #expect(try folder.names == [])
  }

  @Test("that is deleted is followed by another, and its events are counted as lost")
  func deleted() throws {
    let probe = try DrivenChild(log: path)
    try probe.tell("named 1 50")
    #expect(unlink(path) == 0)
    #expect(try probe.tell("named 51 5000") == "done")
    #expect(try probe.tell("part") == "2")
    let lostCount = try end(probe)
    let log = try LogReading(path)
    #expect(log.problems == [])
    let numbers = log.writes["Thread1"] ?? []
    #expect(numbers == Array(UInt64(lostCount) + 1...5000))
    #expect(lostCount >= 50)
    #expect(log.droppedCount == UInt64(lostCount))
    #expect(try folder.names == ["log"])
  }

  @Test("that is moved continues at its new path")
  func moved() throws {
    let probe = try DrivenChild(log: path)
    try probe.tell("named 1 50")
    #expect(rename(path, folder.path("elsewhere")) == 0)
    #expect(try probe.tell("named 51 2000") == "done")
    #expect(try end(probe) == 0)
    #expect(try folder.names == ["elsewhere"])
    let log = try LogReading(folder.path("elsewhere"))
    #expect(log.problems == [])
    #expect(log.writes["Thread1"] == Array(1...2000))
  }

  @Test(
    "that is cut under the recorder costs events, and not the program",
    arguments: [0, 0.5, 0.9]
  )
  func truncated(rest: Double) throws {
    let probe = try DrivenChild(log: path)
    try probe.tell("register 7")
    try probe.tell("named 1 1000")
    var status = stat()
    stat(path, &status)
    #expect(truncate(path, Int(Double(status.st_size) * rest)) == 0)
    #expect(try probe.tell("threads 4 1 1000") == "done")
    #expect(try probe.tell("named 1001 3000") == "done")
    let part = try probe.tell("part")
    #expect(part == "2")
    let lostCount = try end(probe)
    let log = try LogReading(path)
    #expect(log.part == 2)
    #expect(log.problems == [])
    #expect(log.droppedCount == UInt64(lostCount))
    #expect(log.eventNames.prefix { $0 != "write" }.contains("live"))
    let writes = log.writes
    #expect(lostCount + writes.values.map(\.count).reduce(0, +) == 7001)
    #expect(writes["Thread1"]?.last == 3000)
    for numbers in writes.values { #expect(numbers == numbers.sorted()) }
  }

  @Test("without its header is replaced, although its remains do not look like a log")
  func headless() throws {
    let probe = try DrivenChild(log: path)
    try probe.tell("named 1 50")
    #expect(truncate(path, 0) == 0)
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.seek(toOffset: 4096)
    try file.write(contentsOf: Data("not zero".utf8))
    #expect(try probe.tell("named 51 5000") == "done")
    #expect(try probe.tell("part") == "2")
    let lostCount = try end(probe)
    let log = try LogReading(path)
    #expect(log.problems == [])
    #expect(log.droppedCount == UInt64(lostCount))
    #expect(log.writes["Thread1"]?.last == 5_000)
  }

  @Test("that is cut twenty times reports all that it lost")
  func truncatedInTurns() throws {
    let probe = try DrivenChild(log: path)
    for turn in 0..<20 as Range<UInt64> {
      try probe.tell("named \(turn * 200 + 1) \(turn * 200 + 200)")
      #expect(truncate(path, 4096 * Int(turn % 7)) == 0)
    }
    try probe.tell("named 4001 5000")
    let lostCount = try end(probe)
    let log = try LogReading(path)
    #expect(log.problems == [])
    #expect(log.droppedCount == UInt64(lostCount))
    #expect(lostCount + (log.writes["Thread1"]?.count ?? 0) == 5_000)
  }

  @Test(
    "that is cut again and again costs events, and not the program",
    .enabled(if: !Tool.hasThreadSanitizer, "the program stands still under ThreadSanitizer")
  )
  func truncatedOften() throws {
    let probe = try DrivenChild(log: path)
    try probe.child.send("threads 4 1 5000\n")
    var cutCount = 0
    let isOver = Flag()
    var answer: String?
    onThreads(count: 2) { index in
      if index == 0 {
        answer = try? probe.child.line()
        isOver.set()
        return
      }
      while !isOver.isSet {
        truncate(path, 4096 * (cutCount % 7))
        cutCount += 1
        usleep(1_000)
      }
    }
    #expect(answer == "done")
    #expect(cutCount > 3)
    #expect(try probe.tell("named 5001 10000") == "done")
    let lostCount = try end(probe)
    let log = try LogReading(path)
    #expect(log.problems == [])
    let writes = log.writes
    #expect(lostCount + writes.values.map(\.count).reduce(0, +) == 25_000)
    #expect(log.droppedCount == UInt64(lostCount))
    #expect(writes["Thread1"]?.last == 10_000)
  }

  @Test("whose descriptor the program closed goes on in its next part, and is left what is its own")
  func takenDescriptor() throws {
    let content = [UInt8](repeating: UInt8(ascii: "x"), count: 8 << 20)
    let own = try folder.file("own", content)
    let probe = try DrivenChild(log: path)
    try probe.tell("plain 1 10")
    #expect(try probe.tell("descriptors \(own)") == "done")
    #expect(try probe.tell("plain 11 200000") == "done")
    #expect(try probe.tell("part") == "2")
    #expect(try probe.tell("descriptors \(own)") == "done")
    #expect(try end(probe) == 0)
    let log = try LogParts(path)
    #expect(log.problems == [])
    #expect(log.ends == Array(1...UInt64(200_000)))
    #expect(try Data(contentsOf: URL(filePath: own)) == Data(content))
  }

  @Test("in a folder that is closed goes on in its next part when it is open again")
  func closedFolder() throws {
    try expectLaterPart(log: "log") {
      chmod(folder.path, 0o555)
    } unblocking: {
      chmod(folder.path, 0o777)
    }
  }

  @Test("whose next part cannot be opened goes on in it when it can")
  func blockedPart() throws {
    // The path of the next log file.
    try expectLaterPart(log: "log", "log.next") {
      mkdir(path + ".next", 0o777)
    } unblocking: {
      rmdir(path + ".next")
    }
  }

  /// Expects that a log goes on in its second part once that may be, and that what is lost until then
  /// is counted.
  private func expectLaterPart(
    log names: String...,
    blocking: () -> Int32,
    unblocking: () -> Int32
  ) throws {
    let probe = try DrivenChild(log: path, limit: 1 << 20)
    try #require(try probe.tell("modes") == "done")
    #expect(blocking() == 0)
    var numbers = EventNumbers(probe)
    try numbers.record(200_000)
    #expect(try probe.tell("part") == "1")
    #expect(try folder.names == names)
    #expect(unblocking() == 0)
    try numbers.record(untilPart: 2)
    try numbers.record(1_000)
    let number = numbers.last
    let lostCount = try end(probe)
    let log = try LogParts(path)
    #expect(log.numbers == [1, 2])
    #expect(log.problems == [])
    let ends = log.ends
    #expect(ends.first == 1)
    #expect(Array(ends.suffix(1_000)) == Array(number - 999...number))
    #expect(ends.count + lostCount == Int(number))
    #expect(log.parts.map(\.droppedCount).reduce(0, +) == UInt64(lostCount))
  }

  private final class Flag {
    private let lock = NSLock()
    private var value = false
    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
  }
}
