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
  private let disk: SmallDisk

  init() throws { disk = try SmallDisk(byteCount: 8192) }

  @Test("lines are lost, counted and told of, and the torn one costs no other")
  func lostLines() throws {
    let sink = LogFileSink(file: try LogFile(path: disk.path("log")))
    func record(_ number: UInt64) {
      // 44 bytes each, so that 186 fit and the next is torn.
      sink.take(Event(.registerEnd(RegistrationID(number))), names: TraceNames())?()
    }
    for number in 1001...1189 as ClosedRange<UInt64> { record(number) }
    #expect(sink.file.lostCount == 3)
    #expect(try LogReading(sink.file.path).lineCount == 186)
    #expect(
      try LogReading(sink.file.path).problems == ["187:9: the log ends in the middle of a line"]
    )
    record(1190)
    #expect(sink.file.lostCount == 4)

    try disk.resize(byteCount: 65536)
    record(1195)
    record(1196)
    #expect(sink.file.lostCount == 0)
    let log = try LogReading(sink.file.path)
    #expect(log.problems == ["187:9: not JSON: the line ends too early"])
    var names = log.names
    let why = names.id(of: "the log could not be written")
    #expect(
      log.events.map(\.body)
        == (1001...1186).map { .registerEnd(RegistrationID($0)) }
        + [.dropped(count: 4, why: why)]
        + [1195, 1196].map { .registerEnd(RegistrationID($0)) }
    )
  }

  @Test("a loss that cannot be told of whole is told of again")
  func tornNotice() throws {
    let log = try LogFile(path: disk.path("log"))
    log.append(String(repeating: "a", count: 8190) + "\n")
    log.append("lost\n")
    #expect(log.lostCount == 1)
    // One byte was left, and that line took it; now there is none for its end.
    log.append("lost\n")
    #expect(log.lostCount == 2)
    try disk.resize(byteCount: 65536)
    log.append("kept\n")
    #expect(log.lostCount == 0)
    #expect(
      try text(of: log.path) == String(repeating: "a", count: 8190) + "\nl\nlost 2\nkept\n"
    )
  }

  @Test("a program runs on and says how many events were lost")
  func wholeProgram() throws {
    let path = disk.path("log")
    _ = try Data(repeating: 0, count: 8192).write(to: URL(fileURLWithPath: disk.path("filler")))
    let plain = try Child("Correct").end()
    let free = try ScratchFolder()
    #expect(
      try Child("Correct", environment: ["KVO_SAFETY_LOG": free.path("log")]).end() == plain
    )
    let lineCount = try LogReading(free.path("log")).lineCount
    #expect(lineCount > 10)
    #expect(
      try Child("Correct", environment: ["KVO_SAFETY_LOG": path]).end()
        == Child.Outcome(
          output: plain.output,
          complaint: "KVOSafety: \(lineCount) events could not be written to \"\(path)\"\n"
        )
    )
    #expect(try text(of: path) == "")
  }
}

/// A file system in memory with few bytes, which goes with the value.
private final class SmallDisk {
  private let folder: ScratchFolder

  static let isAvailable = geteuid() == 0 && (try? SmallDisk(byteCount: 8192)) != nil

  init(byteCount: Int) throws {
    folder = try ScratchFolder()
    try Tool.run(
      "/bin/mount",
      ["-t", "tmpfs", "-o", "size=\(byteCount),mode=755", "none", folder.path]
    )
  }

  deinit { _ = try? Child("/bin/umount", ["--lazy", folder.path]).end() }

  func path(_ name: String) -> String { folder.path(name) }

  func resize(byteCount: Int) throws {
    try Tool.run("/bin/mount", ["-o", "remount,size=\(byteCount)", folder.path])
  }
}
