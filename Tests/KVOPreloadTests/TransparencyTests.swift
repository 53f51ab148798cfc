import Foundation
import TestSupport
import Testing

@Suite("Transparency", .enabled(if: ObjectiveC.isAvailable, ObjectiveC.whyNot))
struct TransparencyTests {
  private let guarded: Guarded

  init() throws { guarded = try Guarded() }

  /// Options, paths, dependent keys, collections, proxies, overrides, defaults: all that 1.28 can do.
  @Test(
    "a correct program prints the same, ends the same, and has no finding",
    arguments: ["", "all"]
  )
  func features(rules: String) throws {
    let program = try ObjectiveC.program("Features")
    try guarded.expectUnchanged(program, contain: rules)
  }

  @Test("64 threads that add and remove are notified as without the library")
  func threads() throws {
    let program = try ObjectiveC.program("Threads")
    let recorded = try guarded.recorded(program)
    #expect(recorded == ProgramRun(output: "3200 changes were told\n", complaint: "", status: 0))
    let audit = try guarded.audit()
    #expect(audit.status == 0, "\(audit)")
    let lines = try guarded.events().map(\.name)
    #expect(lines.count { $0 == "register" } == 6401)
    #expect(lines.count { $0 == "remove" } == 6401)
    #expect(lines.count { $0 == "dropped" } == 0)
  }

  @Test("the events of a log are of a runtime, numbered and complete")
  func head() throws {
    _ = try guarded.recorded(ObjectiveC.program("Faults"), ["observed-dies"])
    let events = try guarded.events()
    let process = try #require(events.first { $0.name == "process" })
    #expect(process.text("runtime") == "gnustep-1.28")
    #expect(process.keys["complete"] as? Bool == true)
    #expect(events.last?.name == "exit")
    #expect(events.last?.keys["status"] as? Int == 0)
    let own = events.filter { $0.name != "process" && $0.name != "module" && $0.name != "symbol" }
    #expect(
      own.map(\.name) == [
        "threadName", "register", "registerEnd", "deinit", "deinitEnd", "deinit", "deinitEnd",
        "exit",
      ]
        || own.map(\.name) == [
          "threadName", "register", "registerEnd", "deinit", "deinitEnd", "exit",
        ]
    )
    #expect(own.allSatisfy { $0.keys["thread"] as? Int == 1 })
  }
}

extension Guarded {
  /// Expects that a correct program, which ends with the status 3 and the line "done", prints the same and
  /// ends the same under the library, and that nothing is found in it.
  func expectUnchanged(
    _ program: URL,
    contain rules: String,
    at place: SourceLocation = #_sourceLocation
  ) throws {
    let alone = try raw(program)
    #expect(alone.status == 3, sourceLocation: place)
    #expect(alone.output.hasSuffix("done\n"), sourceLocation: place)
    let recorded = try recorded(program, contain: rules)
    #expect(recorded.withoutProcess == alone.withoutProcess, sourceLocation: place)
    let audit = try audit()
    #expect(audit.status == 0, "\(audit)", sourceLocation: place)
    #expect(!audit.output.contains("WARNING"), sourceLocation: place)
    #expect(!audit.output.contains("NOTE:"), sourceLocation: place)
  }
}
