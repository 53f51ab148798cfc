import Foundation
import TestSupport
import Testing

/// The faults of `Mistakes.m`: around changes, keys and exceptions.
@Suite("Mistakes", .enabled(if: ObjectiveC.isAvailable, ObjectiveC.whyNot))
struct MistakeTests {
  static let all = [
    // One exception, and two observers that are no longer notified of anything.
    Fault(name: "raises", status: 0, codes: ["KVO032", "KVO032", "KVO039"]),
    // The second account changes inside the callback that is left, and nobody is notified of the first one again.
    Fault(name: "raises-through", status: 0, codes: ["KVO032", "KVO039", "KVO039"]),
    // The change is never made, which follows from the exception.
    Fault(name: "prior-raises", status: 0, codes: ["KVO039"]),
    Fault(name: "initial-raises", status: 0, codes: ["KVO007", "KVO039"]),
    Fault(name: "added-to-unobserved", status: 0, codes: ["KVO011"]),
    Fault(name: "added-elsewhere", status: 0, codes: ["KVO011"]),
    Fault(name: "ends-at-address", status: 0, codes: ["KVO012"]),
    Fault(name: "never-ends", status: 0, codes: ["KVO012"]),
    Fault(name: "proxy-raises", status: 0, codes: ["KVO012"]),
    Fault(name: "crosses", status: 0, codes: ["KVO012"]),
    Fault(name: "announced", status: 0, codes: ["KVO012"]),
    Fault(name: "misspelt", status: 0, codes: ["KVO029"]),
    Fault(name: "beyond-ascii", status: 1, codes: ["KVO029"]),
    Fault(name: "ignored-dependency", status: 0, codes: ["KVO040"]),
    Fault(name: "setter-raises", status: 0, codes: ["KVO012"]),
    // A crash, for which nothing is found.
    Fault(name: "setter-ends-process", status: 1, codes: []),
    // The exception that nothing catches ends the process: nobody else was to be notified.
    Fault(name: "deaf-before-others", status: 1, codes: ["KVO017"]),
    Fault(name: "deaf-before-change", status: 1, codes: ["KVO017"]),
    Fault(name: "passes-on-copy", status: 0, codes: ["KVO017"]),
    Fault(name: "key-changes", status: 0, codes: ["KVO012", "KVO012"]),
    Fault(name: "ends-with-dependent", status: 0, codes: ["KVO012"]),
  ]

  private static let writes = ProcessInfo.processInfo.environment["KVO_SAFETY_WRITE_REPORTS"] == "1"
  private let guarded: Guarded

  init() throws { guarded = try Guarded() }

  @Test("a mistake is found, with the stack of its call site", arguments: all)
  func finding(fault: Fault) throws {
    let program = try ObjectiveC.program("Mistakes")
    let raw = try guarded.raw(program, [fault.name])
    let recorded = try guarded.recorded(program, [fault.name])
    #expect(raw.status == fault.status)
    #expect(recorded.withoutProcess == raw.withoutProcess)
    let report = try guarded.report()
    #expect(try guarded.findings().map(\.code) == fault.codes, "\(report)")
    #expect(!report.contains("(no stack"), "\(report)")
    let file = ObjectiveC.reports.appending(path: "\(fault.name).txt")
    if Self.writes { try Data(report.utf8).write(to: file) }
    #expect(try report == String(contentsOf: file, encoding: .utf8))
  }

  @Test("a notification that an override passes on by another string is contained if unhandled")
  func containedCopy() throws {
    let program = try ObjectiveC.program("Mistakes")
    let contained = try guarded.recorded(program, ["passes-on-copy"], contain: "KVO017")
    #expect(contained.output == "the balance is 1\ndone\n")
    #expect(contained.status == 0)
    #expect(try guarded.findings().map(\.code) == ["KVO017"])
  }

  @Test("an observer whose initial callback raised is contained when it is deallocated")
  func containment() throws {
    let program = try ObjectiveC.program("Mistakes")
    let contained = try guarded.recorded(program, ["initial-raises-changed"], contain: "KVO007")
    #expect(contained.output == "raised: Brittle\nthe balance is 1\ndone\n")
    #expect(contained.status == 0)
  }
}
