import Foundation
import TestSupport
import Testing

/// Programs and machines that are not as one would like them.
///
/// The program's own behavior never suffers.
@Suite("Hardships", .enabled(if: ObjectiveC.isAvailable, ObjectiveC.whyNot))
struct HardshipTests {
  /// What the plugin prints.
  private static let lateOutput =
    "the dial moves: reading\nmemory is given back\nclosed: nobody observes anything\n"

  private let guarded: Guarded

  init() throws { guarded = try Guarded() }

  @Test("a fork's child has a log of its own, and its fault is found in it")
  func fork() throws {
    let program = try ObjectiveC.program("Processes")
    let recorded = try guarded.recorded(program, ["fork"])
    #expect(try recorded == guarded.raw(program, ["fork"]))
    #expect(try guarded.logs.count == 2)
    for log in try guarded.logs {
      #expect(try guarded.audit(log).output.contains("(KVO001 "))
    }
  }

  @Test("a fork's child that first removes an observer of its parent is judged")
  func forkAndRemove() throws {
    let program = try ObjectiveC.program("Processes")
    let recorded = try guarded.recorded(program, ["fork-removes"])
    #expect(try recorded == guarded.raw(program, ["fork-removes"]))
    #expect(try guarded.logs.count == 2)
    #expect(try guarded.findings().map(\.code) == ["KVO001"])
  }

  @Test("a program that becomes another leaves two logs")
  func exec() throws {
    let program = try ObjectiveC.program("Processes")
    let recorded = try guarded.recorded(program, ["exec"])
    #expect(try recorded == guarded.raw(program, ["exec"]))
    let names = try guarded.folder.names.filter { $0.hasPrefix("log-") }
    #expect(names.count == 2)
    for name in names {
      #expect(
        try guarded.audit(guarded.folder.url.appending(path: name)).output.contains("(KVO001 ")
      )
    }
  }

  @Test("a program that calls exec again and again keeps eight logs, and reports that")
  func execAgain() throws {
    let program = try ObjectiveC.program("Processes")
    let log = guarded.folder.path("log")
    let bare = try guarded.raw(program, ["again", "9"])
    let recorded = try guarded.recorded(
      program,
      ["again", "9"],
      environment: ["KVO_SAFETY_LOG": log]
    )
    #expect(recorded.output == bare.output && recorded.status == 0)
    let said = recorded.complaint.replacing(#/log\.\d+/#, with: "log.PID")
    #expect(
      said == """
        KVOSafety: this process has 8 logs already; the oldest, "\(log)", is replaced
        KVOSafety: this process has 8 logs already; the oldest, "\(log).PID", is replaced

        """
    )
    let names = try guarded.folder.names.filter { $0.hasPrefix("log") }
    #expect(names.count == 8)
    for name in names {
      let audit = try guarded.audit(guarded.folder.url.appending(path: name))
      #expect(audit.output.contains("(KVO001 "))
    }
  }

  @Test("a killed program's log holds all up to then")
  func killed() throws {
    let program = try ObjectiveC.program("Processes")
    let recorded = try guarded.recorded(program, ["killed"])
    #expect(recorded.status == 128 + SIGKILL)
    #expect(try guarded.audit().output.contains("(KVO001 "))
  }

  @Test("the program's first descriptor is the one that it has by itself")
  func descriptors() throws {
    let program = try ObjectiveC.program("Processes")
    let bare = try guarded.raw(program, ["open"])
    #expect(bare.output.contains("\ndescriptor "))
    #expect(try guarded.recorded(program, ["open"]) == bare)
    #expect(try guarded.logs.count == 1)
  }

  @Test("a log without its header is replaced, although its remains do not look like a log")
  func cut() throws {
    let program = try ObjectiveC.program("Processes")
    let bare = try guarded.raw(program, ["cut"])
    let recorded = try guarded.recorded(program, ["cut"])
    #expect(recorded.output == bare.output && recorded.status == 0)
    #expect(try guarded.audit().output.contains("(KVO001 "))
  }

  @Test("segments of one thread are sealed when it is killed, except the current one")
  func killedLate() throws {
    let program = try ObjectiveC.program("Processes")
    let recorded = try guarded.recorded(program, ["killed-late"])
    #expect(recorded.status == 128 + SIGKILL)
    let log = try Data(contentsOf: #require(guarded.logs.first))
    let words = log.withUnsafeBytes { Array($0.bindMemory(to: UInt64.self)) }
    // Segments begin at pages, with "KVSG"; word 6 says what of them is used, word 7 is its checksum.
    let magic = UInt32(littleEndian: 0x4753_564B)
    let left = stride(from: 512, to: words.count, by: 512)
      .filter { UInt32(truncatingIfNeeded: words[$0]) == magic && words[$0 + 6] != 0 }
    // Word 1 has the type, and in its upper half the index among the segments of that type.
    let open = left.filter { words[$0 + 7] == 0 }
    #expect(left.count >= open.count + 3)
    for segment in open {
      let ofType = left.map { words[$0 + 1] }.filter {
        UInt16(truncatingIfNeeded: $0) == UInt16(truncatingIfNeeded: words[segment + 1])
      }
      #expect(ofType.max() == words[segment + 1])
    }
  }

  @Test("a program with one thread keeps to one, and gets the recorder's with its own second")
  func threads() throws {
    let program = try ObjectiveC.program("Processes")
    let alone = try guarded.recorded(program, ["alone"])
    #expect(alone == ProgramRun(output: "threads: 1\n", complaint: "", status: 0))
    let accompanied = try guarded.recorded(program, ["accompanied"])
    #expect(accompanied == ProgramRun(output: "threads: 3\n", complaint: "", status: 0))
  }

  private static let hasValgrind = FileManager.default.isExecutableFile(atPath: "/usr/bin/valgrind")

  @Test("a program is recorded under valgrind, its leak check too", .enabled(if: hasValgrind))
  func valgrind() throws {
    let program = try ObjectiveC.program("Faults").path
    // It reads all mapped memory: the mapping of the log extends beyond the end of the file.
    let arguments = ["120", "valgrind", "--leak-check=full", program, "removed-twice"]
    let timeout = URL(filePath: "/usr/bin/timeout")
    let bare = try guarded.raw(timeout, arguments)
    let recorded = try guarded.recorded(timeout, arguments)
    #expect(bare.status == 0 && recorded.status == 0)
    #expect(recorded.output == bare.output)
    #expect(recorded.complaint.contains("ERROR SUMMARY"))
    #expect(try guarded.audit().output.contains("(KVO001 "))
  }

  @Test("an exit from a signal handler is an exit")
  func exitInHandler() throws {
    let program = try ObjectiveC.program("Processes")
    let recorded = try guarded.recorded(program, ["signal"])
    #expect(recorded.status == 7)
    #expect(try recorded == guarded.raw(program, ["signal"]))
    #expect(try guarded.events().last?.keys["status"] as? Int == 7)
  }

  @Test("classes that a program in C opens late are hooked", arguments: ["global", "local"])
  func late(mode: String) throws {
    let host = try ObjectiveC.plainProgram("Host")
    let plugin = try ObjectiveC.bundle("Plugin").path
    let recorded = try guarded.recorded(host, [plugin, mode])
    #expect(try recorded == guarded.raw(host, [plugin, mode]))
    #expect(recorded.output == Self.lateOutput)
    let report = try guarded.report()
    #expect(report.contains(#"Dial#2 was deallocated while it observed "reading" of Meter#1"#))
  }

  @Test("a program may open the library itself, and ask for it")
  func explicit() throws {
    let host = try ObjectiveC.plainProgram("Host")
    let arguments = try [ObjectiveC.bundle("Plugin").path, "global", ObjectiveC.library().path]
    let log = ["KVO_SAFETY_LOG": guarded.folder.path("log-%p.kvolog")]
    let run = try guarded.raw(host, arguments, environment: log)
    #expect(
      run.output == "installed: 0\n\(Self.lateOutput)"
    )
    #expect(try guarded.report().contains(#"Dial#2 was deallocated while it observed "reading""#))
    // Without a log to write it says so, and changes nothing.
    let other = try Guarded()
    let unasked = try other.raw(host, arguments)
    #expect(unasked.output.hasPrefix("installed: \(ENOENT)\n"))
    #expect(try other.logs == [])
  }

  @Test("a log of an earlier run is kept, other files are not touched, and no link is followed")
  func namesInUse() throws {
    let program = try ObjectiveC.program("Faults")
    let folder = guarded.folder
    func record(_ name: String) throws -> ProgramRun {
      try guarded.recorded(
        program,
        ["removed-twice"],
        environment: ["KVO_SAFETY_LOG": folder.path(name)]
      )
    }
    let mine = try folder.file("mine", "mine")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link"),
      withDestinationPath: folder.path("target")
    )
    let bare = try guarded.raw(program, ["removed-twice"])
    #expect(try record("log") == bare)
    let first = try Data(contentsOf: folder.url.appending(path: "log"))
    let said = try record("log").complaint.replacing(/process \d+/, with: "process PID")
    #expect(
      said == "KVOSafety: \"\(folder.path("log"))\" was the log of process PID, which is kept as "
        + "\"\(folder.path("log.previous"))\" until the next one\n"
    )
    #expect(try Data(contentsOf: folder.url.appending(path: "log.previous")) == first)
    #expect(
      try record("mine").complaint
        == "KVOSafety: cannot write the log \"\(mine)\": the existing file is not a log, and is left as it "
        + "is. The program runs on, unrecorded.\n"
    )
    #expect(try String(contentsOfFile: mine, encoding: .utf8) == "mine")
    #expect(
      try record("link").complaint
        == "KVOSafety: cannot write the log \"\(folder.path("link"))\": it is a symbolic link, and a log must "
        + "be a regular file. The program runs on, unrecorded.\n"
    )
    let left = try folder.names.filter { $0.hasPrefix("log") || $0 == "target" }
    #expect(left == ["log", "log.previous"])
  }

  @Test("without libunwind stacks are those of the frame pointers")
  func withoutUnwinder() throws {
    let program = try ObjectiveC.program("Faults")
    _ = try guarded.folder.file("libunwind.so.8", "no library")
    let run = try guarded.recorded(
      program,
      ["removed-twice"],
      environment: ["LD_LIBRARY_PATH": guarded.folder.path]
    )
    #expect(run == ProgramRun(output: "removed twice\ndone\n", complaint: "", status: 0))
    #expect(try guarded.audit().output.contains("(KVO001 "))
  }

  @Test("a program without Objective-C has no log, and is left alone")
  func plain() throws {
    let host = try ObjectiveC.plainProgram("Host")
    let recorded = try guarded.recorded(host)
    #expect(recorded == ProgramRun(output: "nothing to do\n", complaint: "", status: 5))
    #expect(try guarded.logs == [])
  }

  @Test("without KVO_SAFETY_LOG the library does nothing")
  func unasked() throws {
    let program = try ObjectiveC.program("Faults")
    let run = try guarded.recorded(
      program,
      ["nil-path"],
      contain: "all",
      environment: ["KVO_SAFETY_LOG": ""]
    )
    #expect(run.status == 139)
    #expect(try guarded.logs == [])
  }

  @Test("a log that cannot be written is reported, and the program runs unrecorded and uncontained")
  func unwritable() throws {
    let program = try ObjectiveC.program("Faults")
    let path = guarded.folder.path("missing/log.kvolog")
    let run = try guarded.recorded(
      program,
      ["removed-twice"],
      environment: ["KVO_SAFETY_LOG": path]
    )
    #expect(
      run
        == ProgramRun(
          output: "removed twice\ndone\n",
          complaint: """
            KVOSafety: cannot write the log "\(path)": No such file or directory. The program runs on, \
            unrecorded.

            """,
          status: 0
        )
    )
  }

  @Test(
    "a log path that cannot be a file is reported",
    arguments: ["/dev/null", "/none/app.kvolog"]
  )
  func noFile(path: String) throws {
    let program = try ObjectiveC.program("Faults")
    let run = try guarded.recorded(
      program,
      ["removed-twice"],
      environment: ["KVO_SAFETY_LOG": path]
    )
    #expect(run.output == "removed twice\ndone\n")
    #expect(run.complaint.hasPrefix("KVOSafety: cannot write the log \"\(path)\": "))
  }

  @Test("a stripped program is recorded, and its methods have names")
  func stripped() throws {
    let program = try ObjectiveC.program("Faults", isStripped: true)
    let recorded = try guarded.recorded(program, ["removed-twice"])
    #expect(recorded.output == "removed twice\ndone\n")
    let report = try guarded.report()
    #expect(report.contains("(KVO001 "))
    #expect(report.contains("-[Screen unwatch:for:]"))
  }

  @Test("a runtime without the required functions is not hooked")
  func otherRuntime() throws {
    let host = try ObjectiveC.plainProgram("Impostor")
    let recorded = try guarded.recorded(host)
    #expect(try recorded == guarded.raw(host))
    #expect(recorded.output == "no runtime of yours\n")
    #expect(try guarded.logs == [])
  }

  @Test("the library needs the C library alone")
  func needsNothing() throws {
    let bytes = try Data(contentsOf: ObjectiveC.library())
    let names = String(decoding: bytes, as: UTF8.self).matches(of: #/lib[A-Za-z_+]+\.so[.0-9]*/#)
      .map { String($0.output) }
    // libunwind, libobjc and libgcc_s are opened by name, if they exist.
    #expect(!names.contains { $0.hasPrefix("libswift") || $0.hasPrefix("libFoundation") })
  }
}
