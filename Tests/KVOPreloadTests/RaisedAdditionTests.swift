import Foundation
import TestSupport
import Testing

/// The runs of `Raising.m`, and an addition that raises and nothing catches.
@Suite("Additions that raise", .enabled(if: ObjectiveC.isAvailable, ObjectiveC.whyNot))
struct RaisedAdditionTests {
  private let guarded: Guarded

  init() throws { guarded = try Guarded() }

  /// The program always ends far below the frame of the addition, so that frames alone do not show what was caught.
  @Test(
    "an exception that was caught is not a second refusal when the program exits",
    arguments: [
      ("caught", ["notObservable"]), ("getter", ["raised"]), ("inside", []), ("ends-inside", []),
    ]
  )
  func exit(run: String, reasons: [String]) throws {
    let program = try ObjectiveC.program("Raising")
    let raw = try guarded.raw(program, [run])
    let recorded = try guarded.recorded(program, [run])
    #expect(raw.status == 0)
    #expect(recorded.withoutProcess == raw.withoutProcess)
    #expect(try refusals() == reasons)
    #expect(try guarded.findings().map(\.code) == reasons.map { _ in "KVO029" })
  }

  @Test(
    "what nothing catches is a refusal also if the program's handler aborts",
    arguments: [("aborts", ["notObservable"]), ("aborts-later", [])]
  )
  func abort(run: String, reasons: [String]) throws {
    let program = try ObjectiveC.program("Raising")
    let raw = try guarded.raw(program, [run])
    let recorded = try guarded.recorded(program, [run])
    #expect(raw.status == 128 + SIGABRT)
    #expect(recorded.withoutProcess == raw.withoutProcess)
    #expect(try refusals() == reasons)
    #expect(try guarded.events().contains { $0.name == "crash" })
    #expect(try guarded.findings().map(\.code) == reasons.map { _ in "KVO029" })
  }

  @Test(
    "a key that is not ASCII cannot be observed on GNUstep 1.28; elsewhere something else raised"
  )
  func otherRuntime() throws {
    let program = try ObjectiveC.program("Raising")
    let other = try ObjectiveC.plainLibrary("OtherRuntime")
    let library = try ObjectiveC.library()
    let recorded = try guarded.recorded(
      program,
      ["caught"],
      environment: ["LD_PRELOAD": "\(library.path):\(other.path)"]
    )
    #expect(recorded.status == 0)
    #expect(try guarded.events().first { $0.name == "process" }?.text("runtime") == "apple")
    #expect(try refusals() == ["raised"])
  }

  private func refusals() throws -> [String] {
    try guarded.events().filter { $0.name == "refused" }.compactMap { $0.text("reason") }
  }
}
