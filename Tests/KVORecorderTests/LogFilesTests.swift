import CKVORecorder
import Foundation
import TestSupport
import Testing

@testable import KVORecorder

@Suite("The files of a log")
struct LogFilesTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func refusal(_ path: String) -> String? {
    do {
      _ = try OpenLog(path)
      return nil
    } catch {
      return "\(error)"
    }
  }

  // MARK: The name

  @Test(
    "replaces every %p by the process id, and leaves every other % as it is",
    arguments: [
      ("app-%p.log", "app-PID.log"),
      ("%p%p", "PIDPID"),
      ("a%%", "a%%"),
      ("a%%p", "a%PID"),
      ("a%x", "a%x"),
      ("a%P", "a%P"),
      ("a%", "a%"),
      ("a%p%", "aPID%"),
      ("é%pé", "éPIDé"),
    ]
  )
  func expansion(pattern: String, name: String) throws {
    let expected = name.replacing("PID", with: "\(getpid())")
    #expect(try OpenLog(folder.path(pattern)).path == folder.path(expected))
    #expect(try folder.names == [expected])
  }

  // MARK: What is refused

  @Test("refuses an empty path and shows a good one")
  func emptyPath() {
    #expect(
      LogFileError(code: .emptyPath, path: "").description
        == "the path of the log is empty; give one, such as \"app-%p.kvolog\" "
        + "(%p is the process id)"
    )
  }

  @Test("in a folder is named after the program and the process")
  func inFolder() throws {
    let program = try ProgramRun.bundle.lastPathComponent
    let name = "\(program)-\(getpid()).kvolog"
    try FileManager.default.createDirectory(
      atPath: folder.path("logs"),
      withIntermediateDirectories: false
    )
    #expect(try OpenLog(folder.path("logs")).path == folder.path("logs/\(name)"))
    // A slash says that it is a folder, also if it does not exist.
    #expect(try OpenLog(folder.path("logs") + "/").path == folder.path("logs/\(name)"))
    #expect(try OpenLog(folder.path("new-%p") + "/").path == folder.path("new-\(getpid())/\(name)"))
    #expect(try folder.names == ["logs", "new-\(getpid())"])
  }

  @Test("in a folder is named without the slashes of a program's changed name")
  func changedName() throws {
    let probe = try DrivenChild()
    try probe.tell("title serving/x")
    #expect(try probe.tell("start \(folder.path)/") == "done")
    #expect(try probe.tell("path") == folder.path("serving_x-\(probe.child.id).kvolog"))
    #expect(try probe.end() == Child.Outcome())
  }

  @Test("refuses a folder in a folder that there is not, or that cannot have so long a name")
  func missingParent() {
    let path = folder.path("no/folder") + "/"
    #expect(refusal(path) == "cannot write the log \"\(path)\": No such file or directory")
    let long = folder.path + String(repeating: "/.", count: (4095 - folder.path.utf8.count) / 2 - 4)
    #expect(refusal(long)?.hasSuffix(": File name too long") == true, "\(refusal(long) ?? "")")
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

  @Test("refuses a FIFO that no one reads, at once")
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

  /// The header of a log that the process `pid` wrote, followed by text.
  private func log(of pid: Int32, _ rest: String = "") -> [UInt8] {
    var head: [UInt8] = [0x89, 0x4b, 0x56, 0x4f, 0x4c, 0x0d, 0x0a, 0x1a]
    head += Array(repeating: 0, count: 56)
    withUnsafeBytes(of: pid.littleEndian) { head.replaceSubrange(20..<24, with: $0) }
    return head + Array(rest.utf8)
  }

  private func bytes(of name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: folder.path(name))))
  }

  @Test("keeps the log of an earlier run with its parts, in place of the one kept before")
  func earlierLog() throws {
    for (name, pid) in [("log", 7), ("log.1", 7), ("log.3", 7), ("log.4", 7)] as [(String, Int32)] {
      _ = try folder.file(name, log(of: pid, name))
    }
    for name in ["log.previous", "log.previous.1", "log.previous.2"] {
      _ = try folder.file(name, log(of: 6, name))
    }
    _ = try folder.file("log.2", "mine")
    let opened = try OpenLog(folder.path("log"))
    #expect(opened.keptProcess == 7)
    #expect(
      try folder.names == [
        "log", "log.2", "log.4", "log.previous", "log.previous.1", "log.previous.3",
      ]
    )
    #expect(try bytes(of: "log") == [])
    #expect(try text(of: folder.path("log.2")) == "mine")
    #expect(try bytes(of: "log.previous") == log(of: 7, "log"))
    #expect(try bytes(of: "log.previous.1") == log(of: 7, "log.1"))
  }

  @Test("keeps the parts of a log whose process was killed between two parts")
  func partsAlone() throws {
    for name in ["log.1", "log.2"] { _ = try folder.file(name, log(of: 7, name)) }
    #expect(try OpenLog(folder.path("log")).keptProcess == 7)
    #expect(try folder.names == ["log", "log.previous.1", "log.previous.2"])
    #expect(try OpenLog(folder.path("log")).keptProcess == -1)
  }

  @Test(
    "keeps the log of a process that had the same number before the machine was started again",
    arguments: [false, true]
  )
  func sameNumber(wasLater: Bool) throws {
    var earlier = log(of: getpid())
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    // On the clock of that time.
    let begin = UInt64(time.tv_sec + (wasLater ? 3600 : 0)) * 1_000_000_000 + UInt64(time.tv_nsec)
    withUnsafeBytes(of: begin.littleEndian) { earlier.replaceSubrange(40..<48, with: $0) }
    let path = try folder.file("log", earlier)
    if !wasLater {
      let day = Date(timeIntervalSinceNow: -86_400)
      try FileManager.default.setAttributes([.modificationDate: day], ofItemAtPath: path)
    }
    let opened = try OpenLog(path)
    #expect(opened.path == path && opened.keptProcess == Int64(getpid()))
    #expect(try folder.names == ["log", "log.previous"])
  }

  @Test("leaves a file that is not a log as it is, under every name that a log needs")
  func foreignFile() throws {
    for name in ["log", "log.previous"] {
      let scratch = try ScratchFolder()
      let path = try scratch.file(name, "mine")
      if name != "log" { _ = try scratch.file("log", log(of: 7)) }
      let refused = name == "log" ? path : scratch.path("log.previous")
      #expect(
        refusal(scratch.path("log"))
          == "cannot write the log \"\(refused)\": the existing file is not a log, and is left as it is"
      )
      #expect(try text(of: path) == "mine")
    }
    let log = try OpenLog(folder.path("log"))
    let next = try folder.file("log.next", "mine")
    #expect(throws: LogFileError(code: .notALog, path: next)) { try log.openNext() }
    #expect(try text(of: next) == "mine")
  }

  @Test("follows no symbolic link, whether it leads anywhere or not")
  func symbolicLink() throws {
    let target = try folder.file("target", log(of: 7, "mine"))
    for (name, target) in [("log", target), ("empty", folder.path("none"))] {
      let path = folder.path(name)
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
      #expect(
        refusal(path)
          == "cannot write the log \"\(path)\": it is a symbolic link, and a log must be a regular file"
      )
    }
    #expect(try bytes(of: "target") == log(of: 7, "mine"))
    #expect(try folder.names == ["empty", "log", "target"])
  }

  @Test("takes an empty file, and one that a killed recorder made room in", arguments: [0, 5000])
  func blankFile(count: Int) throws {
    let path = try folder.file("log", Array(repeating: 0, count: count))
    #expect(try OpenLog(path).path == path)
    #expect(try bytes(of: "log") == [])
    #expect(try folder.names == ["log"])
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
    do {
      let log = try OpenLog(path)
      #expect(log.path == "\(path).\(getpid())")
      #expect(try text(of: path) == "theirs\n")
    }
    try other.end()
    // The lock went with the process. What it wrote is not a log.
    #expect(refusal(path) != nil)
    try Data(log(of: 7)).write(to: URL(filePath: path))
    #expect(try OpenLog(path).path == path)
  }

  @Test("finds each of many logs of one process a file of its own")
  func manyOfOneProcess() throws {
    let path = folder.path("log")
    let logs = try (1...4).map { _ in try OpenLog(path) }
    let own = "\(path).\(getpid())"
    #expect(logs.map(\.path) == [path, own, "\(own)-2", "\(own)-3"])
  }

  @Test(
    "keeps the eight newest logs of a process that starts its log again and again",
    arguments: [9, 10, 20]
  )
  func manyStarts(startCount: Int) throws {
    let probe = try DrivenChild()
    for number in 1...startCount {
      #expect(try probe.tell("start \(folder.path("log"))") == "done")
      try probe.tell("plain \(number) \(number)")
    }
    try probe.tell("stop")
    let own = "\(folder.path("log")).\(probe.child.id)"
    let paths = [folder.path("log"), own] + (2...7).map { "\(own)-\($0)" }
    let replaced = (8..<startCount).map { paths[$0 % 8] }
    let complaint = replaced.map {
      "KVOSafety: this process has 8 logs already; the oldest, \"\($0)\", is replaced\n"
    }
    #expect(try probe.end() == Child.Outcome(complaint: complaint.joined()))
    let names = try folder.names
    #expect(names.count == 8)
    let numbers = try names.flatMap { try LogReading(folder.path($0)).ends }
    #expect(numbers.sorted() == (startCount - 7...startCount).map(UInt64.init))
  }

  // MARK: Parts

  @Test("moves its parts on by one, and keeps four")
  func parts() throws {
    let path = folder.path("log")
    let log = try OpenLog(path)
    for number in 1...6 {
      if number > 1 {
        try log.openNext()
        log.placeNext(hasBegun: true)
      }
      writePart(number, log)
      let count = min(number, 4)
      #expect(try folder.names == (0..<count).map { $0 == 0 ? "log" : "log.\($0)" })
      #expect(try folder.names.map(part) == (0..<count).map { String(number - $0) })
    }
  }

  private func writePart(_ number: Int, _ log: OpenLog) {
    let bytes = self.log(of: getpid(), "\(number)")
    write(log.descriptor, bytes, bytes.count)
  }

  private func part(_ name: String) throws -> String {
    String(decoding: try bytes(of: name).dropFirst(log(of: 0).count), as: UTF8.self)
  }

  @Test("moves its parts past files that are not logs, and past logs of other processes")
  func partsAmongOthers() throws {
    let log = try OpenLog(folder.path("log"))
    _ = try folder.file("log.1", "mine")
    _ = try folder.file("log.3", self.log(of: 7, "theirs"))
    for number in 1...4 {
      if number > 1 {
        try log.openNext()
        log.placeNext(hasBegun: true)
      }
      writePart(number, log)
    }
    #expect(try folder.names == ["log", "log.1", "log.2", "log.3"])
    #expect(try text(of: folder.path("log.1")) == "mine")
    #expect(try bytes(of: "log.3") == self.log(of: 7, "theirs"))
    #expect(try ["log", "log.2"].map(part) == ["4", "3"])
  }

  @Test("moves nothing for a part that came to nothing")
  func abandonedPart() throws {
    let path = folder.path("log")
    let log = try OpenLog(path)
    try log.openNext()
    #expect(try folder.names == ["log", "log.next"])
    log.placeNext(hasBegun: false)
    #expect(try folder.names == ["log"])
  }
}
