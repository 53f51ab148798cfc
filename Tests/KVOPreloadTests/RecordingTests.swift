import Foundation
import TestSupport
import Testing

/// `kvo-audit record` with Objective-C programs: the library is put into them without a word.
@Suite("Recording Objective-C programs", .enabled(if: ObjectiveC.isAvailable, ObjectiveC.whyNot))
struct RecordingTests {
  private let guarded: Guarded

  init() throws { guarded = try Guarded() }

  private static var tool: URL { get throws { try ProgramRun.built("kvo-audit") } }

  /// Runs `kvo-audit record` with the library in `KVO_SAFETY_PRELOAD`.
  private func record(_ arguments: String...) throws -> ProgramRun {
    try guarded.raw(
      Self.tool,
      ["record"] + arguments,
      environment: [
        "KVO_SAFETY_PRELOAD": ObjectiveC.library().path, "TMPDIR": guarded.folder.path,
      ]
    )
  }

  @Test("a program that crashes is audited, and its end is kvo-audit's")
  func crashing() throws {
    let program = try ObjectiveC.program("Faults")
    let raw = try guarded.raw(program, ["observer-dies"])
    let run = try record("--", program.path, "observer-dies")
    #expect(run.status == raw.status && raw.status == 139)
    #expect(run.output.hasPrefix(raw.output + "WARNING: "))
    #expect(run.output.contains("(KVO007 observer-deinit-while-registered)"))
    #expect(run.output.contains("CRASHED: SIGSEGV"))
  }

  @Test(
    "a flight recording is kept if an exception ends the program that nothing catches",
    arguments: [("setter-ends-process", true), ("setter-raises", false)]
  )
  func uncaught(mistake: String, isKept: Bool) throws {
    let run = try guarded.raw(
      ObjectiveC.program("Mistakes"),
      [mistake],
      environment: [
        "LD_PRELOAD": ObjectiveC.library().path, "KVO_SAFETY_KEEP": "crash",
        "KVO_SAFETY_LOG": guarded.folder.path("flight.kvolog"),
      ]
    )
    #expect(run.status == (isKept ? 1 : 0))
    #expect(try guarded.folder.names.contains("flight.kvolog") == isKept)
  }

  @Test(
    "the same program continues on request",
    arguments: ["", "=KVO007", "=KVO007,KVO029"]
  )
  func contained(rules: String) throws {
    let program = try ObjectiveC.program("Faults")
    let run = try record("--contain\(rules)", "--", program.path, "observer-dies")
    #expect(run.output.hasPrefix("the screen is gone\nthe balance is 5\ndone\nWARNING: "))
    #expect(run.output.contains("(KVO007 observer-deinit-while-registered)"))
    #expect(!run.output.contains("CRASHED"))
    #expect(run.status == 1)
  }

  @Test("children are recorded, each for itself")
  func children() throws {
    let program = try ObjectiveC.program("Faults").path
    let run = try record(
      "--profile",
      "apple-modern",
      "--",
      "sh",
      "-c",
      "\"$0\" removed-twice; \"$0\" never-added",
      program
    )
    #expect(run.output.contains("(KVO001 ") && run.output.contains("(KVO002 "))
    #expect(run.output.contains("from 2 processes"))
    #expect(run.status == 1)
  }

  @Test("an installed kvo-audit finds the library beside itself, and in ../lib")
  func installed() throws {
    let program = try ObjectiveC.program("Faults").path
    let folder = guarded.folder.url
    for name in ["bin", "lib"] {
      try FileManager.default.createDirectory(
        at: folder.appending(path: name),
        withIntermediateDirectories: true
      )
    }
    let tool = folder.appending(path: "bin/kvo-audit")
    try FileManager.default.copyItem(at: Self.tool, to: tool)
    for place in ["bin", "lib"] {
      let library = folder.appending(path: "\(place)/libKVOSafetyPreload.so")
      try FileManager.default.copyItem(at: ObjectiveC.library(), to: library)
      let run = try guarded.raw(
        tool,
        ["record", "--profile", "apple-modern", "--", program, "removed-twice"],
        environment: ["TMPDIR": folder.path]
      )
      #expect(run.output.contains("(KVO001 "), "\(run)")
      try FileManager.default.removeItem(at: library)
    }
    // Without a library, it reports what is not recorded.
    let run = try guarded.raw(tool, ["record", "--", program, "removed-twice"])
    #expect(run.status == 65)
    #expect(
      run.complaint.hasPrefix(
        "kvo-audit: \"\(program)\" loads Objective-C (libobjc.so.4), which is not recorded: "
          + "libKVOSafetyPreload.so is neither beside kvo-audit nor in ../lib. Scripts/preload builds "
          + "it, and KVO_SAFETY_PRELOAD names one that is elsewhere\n"
      )
    )
    // There is no message for a program without one.
    let plain = try guarded.raw(tool, ["record", "--", "true"])
    #expect(plain.complaint.hasPrefix("kvo-audit: no KVO was seen: "))
  }
}
