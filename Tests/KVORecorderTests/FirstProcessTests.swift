import Foundation
import TestSupport
import Testing

@Suite("The first process of a container")
struct FirstProcessTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private static let ways = ["--map-root-user", "--pid", "--fork", "--kill-child"]

  private static let hasContainers: Bool = {
    let child = try? Child("/usr/bin/unshare", ways + ["/bin/true"])
    return (try? child?.end())?.status == 0
  }()

  /// The hundredths of a second since the machine was started.
  private static var hundredths: Int {
    var now = timespec()
    clock_gettime(CLOCK_BOOTTIME, &now)
    return now.tv_sec * 100 + now.tv_nsec / 10_000_000
  }

  private func firstProcess() throws -> Child {
    try Child("/usr/bin/unshare", Self.ways + ["\(Child.folder)/RecorderProbe", "driven"])
  }

  @Test(
    "writes beside a log that is busy, under no name of a part of it",
    .enabled(if: Self.hasContainers, "needs unshare and the right to use it")
  )
  func busyLog() throws {
    let path = folder.path("log")
    // Both are process 1, each in its own container.
    let (first, second) = (try firstProcess(), try firstProcess())
    for child in [first, second] {
      for command in ["start \(path)", "plain 1 3", "path"] { try child.send(command + "\n") }
      #expect(try [child.line(), child.line()] == ["done", "done"])
    }
    #expect(try first.line() == path)
    #expect(try second.line() == "\(path).1-1")
    #expect(try first.end().status == 0)
    #expect(try second.end().status == 0)
    for name in ["log", "log.1-1"] { #expect(try LogReading(folder.path(name)).ends == [1, 2, 3]) }
  }

  @Test(
    "keeps the log of the one before, which had the same number",
    .enabled(if: Self.hasContainers, "needs unshare and the right to use it")
  )
  func startedAgain() throws {
    let path = folder.path("log")
    for run in 1...3 {
      // When a process was made is known to a hundredth of a second: those in the same one cannot be told apart.
      let before = Self.hundredths
      while Self.hundredths == before { sched_yield() }
      let child = try firstProcess()
      for command in ["start \(path)", "plain \(run) \(run)", "path"] {
        try child.send(command + "\n")
      }
      #expect(try [child.line(), child.line(), child.line()] == ["done", "done", path])
      #expect(try child.end().status == 0)
    }
    #expect(try folder.names == ["log", "log.previous"])
    #expect(try LogReading(path).ends == [3])
    #expect(try LogReading(path + ".previous").ends == [2])
  }
}
