import Foundation
import TestSupport
import Testing

@testable import KVORecorder

@Suite("A log file")
struct LogFileTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func refusal(_ path: String) -> String? {
    do {
      _ = try LogFile(path: path)
      return nil
    } catch {
      return error.description
    }
  }

  // MARK: The name

  @Test(
    "puts the process id where %p stands, and leaves every other % as it is",
    arguments: [
      ("app-%p.log", "app-PID.log"),
      ("%p%p", "PIDPID"),
      ("a%%", "a%%"),
      ("a%%p", "a%%p"),
      ("a%x", "a%x"),
      ("a%P", "a%P"),
      ("a%", "a%"),
      ("a%p%", "aPID%"),
      ("é%pé", "éPIDé"),
    ]
  )
  func expansion(pattern: String, name: String) throws {
    let expected = name.replacing("PID", with: "\(getpid())")
    #expect(try LogFile(path: folder.path(pattern)).path == folder.path(expected))
    #expect(try folder.names == [expected])
  }

  // MARK: What is refused

  @Test("refuses an empty path and shows a good one")
  func emptyPath() {
    #expect(
      refusal("") == "the path of the log is empty; give one, such as \"app-%p.jsonl\" "
        + "(%p is the process id)"
    )
  }

  @Test("refuses a directory")
  func directory() {
    #expect(
      refusal(folder.path)
        == "cannot write the log \"\(folder.path)\": it is a directory, and a log must be a regular file"
    )
  }

  @Test("refuses a path in a folder that there is not")
  func missingFolder() {
    let path = folder.path("no/such/folder/log")
    #expect(refusal(path) == "cannot write the log \"\(path)\": No such file or directory")
  }

  @Test("refuses a path whose folder is a file")
  func fileForFolder() throws {
    let path = try folder.file("file", "") + "/log"
    #expect(refusal(path) == "cannot write the log \"\(path)\": Not a directory")
  }

  @Test("refuses a name that is too long")
  func longName() {
    let path = folder.path(String(repeating: "n", count: 300))
    #expect(refusal(path) == "cannot write the log \"\(path)\": File name too long")
  }

  @Test("refuses a folder that the user may not write to")
  func unwritableFolder() throws {
    let closed = folder.path("closed")
    try FileManager.default.createDirectory(
      atPath: closed,
      withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o500]
    )
    let path = "\(closed)/log"
    // Root may write anywhere; the thread looks at files as nobody instead. The folder above is
    // opened to nobody, so that the closed one is what is met.
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
    var refused: String?
    onThread {
      if geteuid() == 0 { FileUser.become(65534) }
      refused = refusal(path)
    }
    #expect(refused == "cannot write the log \"\(path)\": Permission denied")
  }

  @Test("refuses a FIFO that nobody reads, at once")
  func fifoWithoutReader() {
    let path = folder.path("fifo")
    #expect(mkfifo(path, 0o600) == 0)
    #expect(
      refusal(path)
        == "cannot write the log \"\(path)\": it is a FIFO, and a log must be a regular file"
    )
  }

  @Test("refuses a FIFO that somebody reads")
  func fifoWithReader() {
    let path = folder.path("fifo")
    #expect(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    #expect(reader >= 0)
    #expect(
      refusal(path)
        == "cannot write the log \"\(path)\": it is a FIFO, and a log must be a regular file"
    )
  }

  @Test("refuses a socket")
  func socketFile() {
    let path = folder.path("s")
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let status = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    #expect(status == 0)
    #expect(
      refusal(path)
        == "cannot write the log \"\(path)\": it is a socket, and a log must be a regular file"
    )
  }

  @Test("refuses a device", arguments: ["/dev/null", "/dev/full"])
  func device(path: String) {
    #expect(
      refusal(path)
        == "cannot write the log \"\(path)\": it is a device, and a log must be a regular file"
    )
  }

  // MARK: What is there already

  @Test("empties a longer log of an earlier run")
  func staleLog() throws {
    let path = try folder.file("log", String(repeating: "stale\n", count: 1000))
    try LogFile(path: path).append("new\n")
    #expect(try text(of: path) == "new\n")
  }

  @Test(
    "leaves a log alone that another process writes, and goes beside it",
    .enabled(if: Tool.hasFlock, "needs flock")
  )
  func busyLog() throws {
    let path = folder.path("log")
    let other = try Child("/usr/bin/flock", ["--no-fork", path, "cat"])
    // The answer of `cat` means that the lock is held.
    try other.send("theirs\n")
    #expect(try other.line() == "theirs")
    #expect(try FileHandle(forWritingAtPath: path)?.write(contentsOf: Data("theirs\n".utf8)) != nil)
    let log = try LogFile(path: path)
    log.append("ours\n")
    #expect(log.path == "\(path).\(getpid())")
    #expect(try text(of: path) == "theirs\n")
    #expect(try text(of: log.path) == "ours\n")
    try other.end()
    // The lock went with the process.
    #expect(try LogFile(path: path).path == path)
  }

  @Test("finds each of many logs of one process a file of its own")
  func manyOfOneProcess() throws {
    let path = folder.path("log")
    var logs: [LogFile] = []
    for number in 1...4 {
      let log = try LogFile(path: path)
      log.append("log \(number)\n")
      logs.append(log)
    }
    let own = "\(path).\(getpid())"
    #expect(logs.map(\.path) == [path, own, "\(own).2", "\(own).3"])
    #expect(
      try logs.map { try text(of: $0.path) } == ["log 1\n", "log 2\n", "log 3\n", "log 4\n"]
    )
  }

  // MARK: What happens under it

  @Test("goes on when its file is deleted")
  func deletedFile() throws {
    let log = try LogFile(path: folder.path("log"))
    log.append("one\n")
    #expect(unlink(log.path) == 0)
    log.append("two\n")
    #expect(log.lostCount == 0)
    #expect(try folder.names == [])
  }

  @Test("goes on at the beginning when its file is truncated, without a hole")
  func truncatedFile() throws {
    let log = try LogFile(path: folder.path("log"))
    log.append("one\n")
    #expect(truncate(log.path, 0) == 0)
    log.append("two\n")
    #expect(log.lostCount == 0)
    #expect(try text(of: log.path) == "two\n")
  }
}

extension LogFile {
  /// Appends a line of text; a loss is told of as `lost N`.
  func append(_ line: String) {
    append(Array(line.utf8)) { Array("lost \($0)\n".utf8) }
  }
}

/// Whom the calling thread is for the file system.
private enum FileUser {
  static func become(_ user: UInt32) {
    typealias Function = @convention(c) (UInt32) -> Int32
    // The module map of the C library leaves this function out.
    guard let symbol = dlsym(nil, "setfsuid") else { return }
    _ = unsafeBitCast(symbol, to: Function.self)(user)
  }
}
