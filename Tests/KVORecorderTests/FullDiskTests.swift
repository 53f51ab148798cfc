import Foundation
import KVOTrace
import TestSupport
import Testing

@testable import KVORecorder

@Suite(
  "On a full disk",
  .enabled(if: SmallDisk.isAvailable, "needs a disk of its own, which root alone may mount")
)
struct FullDiskTests {
  // One page more each time, so that each of the first requests for room fails in one of the runs.
  @Test("events that do not fit are counted, and recording continues when there is room again")
  func everySize() throws {
    var wereAllLost = 0
    var wasNoneLost = 0
    for pageCount in 1...48 {
      let disk = try SmallDisk(byteCount: pageCount * 4096)
      let probe = try DrivenChild(log: disk.path("log"))
      try #require(try probe.tell("named 1 300") == "done")
      try disk.resize(byteCount: 8 << 20)
      try probe.tell("pause")
      try #require(try probe.tell("named 301 400") == "done")
      try #require(try probe.tell("stop") == "done")
      let outcome = try probe.end()

      let log = try LogReading(disk.path("log"))
      #expect(log.problems == [], "\(pageCount)")
      let numbers = log.writes["Thread1"] ?? []
      #expect(numbers == numbers.sorted(), "\(pageCount)")
      #expect(Array(numbers.suffix(100)) == Array(301...400), "\(pageCount)")
      let lostCount = 400 - numbers.count
      let complaint =
        "KVOSafety: \(lostCount) events could not be written to \"\(disk.path("log"))\"\n"
      #expect(
        outcome == Child.Outcome(complaint: lostCount == 0 ? "" : complaint),
        "\(pageCount)"
      )
      #expect(log.droppedCount == UInt64(lostCount), "\(pageCount)")
      // What a reader needs first is there first, however late there was room for it.
      #expect(log.eventNames.first == "process", "\(pageCount)")
      let modules = log.modules
      #expect(modules.count > 3 && Set(modules).count == modules.count, "\(pageCount)")
      #expect(log.orphanCount == 0, "\(pageCount)")
      if lostCount == 300 { wereAllLost += 1 }
      if lostCount == 0 { wasNoneLost += 1 }
    }
    #expect(wereAllLost > 5 && wasNoneLost > 0)
  }

  @Test("a part that there is no room for takes nothing away, and comes when there is")
  func noFileForNextPart() throws {
    let disk = try SmallDisk(byteCount: 16 << 20, fileCount: 2)
    let probe = try DrivenChild(log: disk.path("log"), limit: 1 << 20)
    var numbers = EventNumbers(probe)
    // Two parts are all that fit; then each attempt to begin a third fails.
    try numbers.record(200_000)
    #expect(try probe.tell("part") == "2")
    #expect(try disk.names == ["log", "log.1"])

    try disk.resize(byteCount: 16 << 20, fileCount: 100)
    try numbers.record(untilPart: 3)
    try numbers.record(1_000)
    let number = numbers.last
    #expect(try probe.tell("part") == "3")
    try probe.tell("stop")
    let lost = try #require(try probe.end().complaint.split(separator: " ").dropFirst().first)
    let log = try LogParts(disk.path("log"))
    #expect(log.numbers == [1, 2, 3])
    #expect(log.problems == [])
    let ends = log.ends
    #expect(ends.first == 1)
    #expect(Array(ends.suffix(1_000)) == Array(number - 999...number))
    #expect(ends == ends.sorted())
    #expect(ends.count > 50_000 && UInt64(ends.count) + (UInt64(lost) ?? 0) == number)
    // Each loss is reported once, in one of the log files.
    #expect(log.parts.map(\.droppedCount).reduce(0, +) == UInt64(lost))
  }

  @Test("a part whose first page does not fit takes nothing away")
  func noRoomForNextPart() throws {
    // Enough for two parts of 256 KiB and what they keep free, and not for a third.
    let disk = try SmallDisk(byteCount: 680 << 10)
    let probe = try DrivenChild(log: disk.path("log"), limit: 1 << 20)
    var numbers = EventNumbers(probe)
    try numbers.record(200_000)
    let previous = try probe.tell("part")
    try disk.resize(byteCount: 16 << 20)
    try numbers.record(untilPart: (Int(previous) ?? 0) + 1)
    try numbers.record(1_000)
    let number = numbers.last
    try probe.tell("stop")
    let lost = try #require(try probe.end().complaint.split(separator: " ").dropFirst().first)
    let log = try LogParts(disk.path("log"))
    #expect(log.problems == [])
    let ends = log.ends
    #expect(ends.first == 1)
    #expect(Array(ends.suffix(1_000)) == Array(number - 999...number))
    #expect(UInt64(ends.count) + (UInt64(lost) ?? 0) == number)
    #expect(log.parts.map(\.droppedCount).reduce(0, +) == UInt64(lost))
  }

  @Test("an event that is lost makes no request to the file system of its own")
  func asksSeldom() throws {
    let disk = try SmallDisk(byteCount: 64 << 10)
    let probe = try DrivenChild(log: disk.path("log"))
    try #require(try probe.tell("named 1 100000") == "done")
    let count = try #require(Int(try probe.tell("requests")))
    try probe.tell("stop")
    _ = try probe.end()
    let log = try LogReading(disk.path("log"))
    #expect(log.droppedCount > 90_000)
    #expect(count < 1_000)
  }

  @Test("a program continues even if the log's header cannot be written")
  func wholeProgram() throws {
    let disk = try SmallDisk(byteCount: 8192)
    let path = disk.path("log")
    try Data(repeating: 0, count: 8192).write(to: URL(fileURLWithPath: disk.path("filler")))
    let plain = try Child("Correct").end()
    #expect(
      try Child("Correct", environment: ["KVO_SAFETY_LOG": path]).end()
        == Child.Outcome(
          output: plain.output,
          complaint: "KVOSafety: cannot write the log \"\(path)\": No space left on device. "
            + "The program runs on, unrecorded.\n"
        )
    )
    #expect(try text(of: path) == "")
  }

  @Test("a program reports how many events its log lacks, and ends as it would have")
  func programWithLosses() throws {
    let plain = try Child("Correct").end()
    let folder = try ScratchFolder()
    _ = try Child("Correct", environment: ["KVO_SAFETY_LOG": folder.path("log")]).end()
    // What the recorder writes of the process by itself is not counted.
    let ofProcess: Set = ["process", "module", "threadName", "dropped"]
    func count(_ log: LogReading) -> Int {
      log.eventNames.count { !ofProcess.contains($0) }
    }
    let whole = try LogReading(folder.path("log"))
    for pageCount in [1, 2, 4, 8, 10] {
      let disk = try SmallDisk(byteCount: pageCount * 4096)
      let path = disk.path("log")
      let outcome = try Child("Correct", environment: ["KVO_SAFETY_LOG": path]).end()
      let log = try LogReading(path)
      #expect(log.problems == [])
      // Every event is in the log or counted, also the deliveries of changes that are lost at once.
      #expect(count(log) + Int(log.droppedCount) == count(whole), "\(pageCount)")
      #expect(
        outcome
          == Child.Outcome(
            output: plain.output,
            complaint: "KVOSafety: \(log.droppedCount) events could not be written to \"\(path)\"\n"
          )
      )
    }
  }
}

@Suite("Under a limit on the size of files")
struct FileSizeLimitTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  @Test(
    "events are lost and counted, not the program",
    arguments: [4096, 8192, 40_960, 65_536, 100_000, 200_000]
  )
  func atStart(byteCount: Int) throws {
    let path = folder.path("log")
    let probe = try DrivenChild()
    try probe.tell("size \(byteCount)")
    #expect(try probe.tell("start \(path)") == "done")
    try #require(try probe.tell("named 1 1000") == "done")
    try probe.tell("stop")
    let outcome = try probe.end()
    let log = try LogReading(path)
    #expect(log.problems == [])
    let count = log.writes["Thread1"]?.count ?? 0
    #expect(count < 1000)
    #expect(byteCount < 100_000 || count > 50)
    #expect(log.droppedCount == UInt64(1000 - count))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count <= byteCount)
    #expect(
      outcome
        == Child.Outcome(
          complaint: "KVOSafety: \(1000 - count) events could not be written to \"\(path)\"\n"
        )
    )
  }

  @Test("a limit of zero leaves no log, and is reported")
  func nothing() throws {
    let path = folder.path("log")
    let probe = try DrivenChild()
    try probe.tell("size 4095")
    #expect(
      try probe.tell("start \(path)") == "cannot write the log \"\(path)\": File too large"
    )
    #expect(try probe.tell("named 1 10") == "done")
    #expect(try probe.end() == Child.Outcome())
  }

  @Test("a limit that is lowered and raised while the log is written costs the events in between")
  func later() throws {
    let path = folder.path("log")
    let probe = try DrivenChild(log: path)
    try #require(try probe.tell("named 1 500") == "done")
    try probe.tell("size 4096")
    try #require(try probe.tell("named 501 3000") == "done")
    try probe.tell("size 100000000")
    try probe.tell("pause")
    try #require(try probe.tell("named 3001 3100") == "done")
    try probe.tell("stop")
    let complaint = try probe.end().complaint
    let log = try LogReading(path)
    #expect(log.problems == [])
    let numbers = log.writes["Thread1"] ?? []
    #expect(numbers.starts(with: 1...500))
    #expect(Array(numbers.suffix(100)) == Array(3001...3100))
    #expect(numbers == numbers.sorted() && numbers.count < 3000)
    #expect(log.droppedCount == UInt64(3100 - numbers.count))
    #expect(complaint.hasPrefix("KVOSafety: \(log.droppedCount) events could not be written"))
  }
}
