import Foundation
import TestSupport
import Testing

/// One fault of `Faults.m`.
struct Fault: CustomTestStringConvertible, Sendable {
  let name: String
  /// How the program ends, as a shell says it.
  let status: Int32
  /// The rules that are broken, in the order of the report.
  let codes: [String]

  var testDescription: String { name }

  static let all = [
    Fault(name: "observer-dies", status: 139, codes: ["KVO007"]),
    Fault(name: "observer-dies-unchanged", status: 0, codes: ["KVO007"]),
    Fault(name: "path-observer-dies", status: 139, codes: ["KVO007"]),
    Fault(name: "path-of-the-dead", status: 0, codes: ["KVO007"]),
    Fault(name: "observed-dies", status: 0, codes: ["KVO006"]),
    Fault(name: "removed-twice", status: 0, codes: ["KVO001"]),
    Fault(name: "never-added", status: 0, codes: ["KVO002"]),
    Fault(name: "added-twice", status: 0, codes: ["KVO005"]),
    Fault(name: "added-twice-with-path", status: 0, codes: ["KVO009", "KVO005"]),
    Fault(name: "removed-by-context", status: 1, codes: []),
    Fault(name: "deaf", status: 1, codes: ["KVO017"]),
    Fault(name: "nil-path", status: 139, codes: ["KVO029"]),
    Fault(name: "empty-path", status: 1, codes: ["KVO029"]),
    Fault(name: "unknown-key", status: 0, codes: ["KVO029", "KVO002"]),
    Fault(name: "array", status: 0, codes: ["KVO029"]),
    Fault(name: "unbalanced", status: 0, codes: ["KVO012"]),
    Fault(name: "added-while-changing", status: 0, codes: ["KVO011"]),
    Fault(name: "class-changed", status: 0, codes: ["KVO030"]),
    Fault(name: "removed-while-initial", status: 0, codes: ["KVO010"]),
    Fault(name: "leaked", status: 0, codes: ["KVO021"]),
    Fault(name: "removed-by-two-threads", status: 0, codes: ["KVO025"]),
    Fault(name: "removed-side-by-side", status: 0, codes: []),
    Fault(name: "removed-while-dying", status: 0, codes: ["KVO025"]),
    // 1.28 does not notify of a change inside the callback of the same key, so no callback is inside itself.
    Fault(name: "changed-inside", status: 0, codes: ["KVO032"]),
  ]
}

@Suite("Faults of Objective-C programs", .enabled(if: ObjectiveC.isAvailable, ObjectiveC.whyNot))
struct FaultTests {
  private static let writes = ProcessInfo.processInfo.environment["KVO_SAFETY_WRITE_REPORTS"] == "1"
  private let guarded: Guarded

  init() throws { guarded = try Guarded() }

  @Test(
    "a program runs under the recorder as without it, even if it crashes",
    arguments: Fault.all
  )
  func transparency(fault: Fault) throws {
    let program = try ObjectiveC.program("Faults")
    let raw = try guarded.raw(program, [fault.name])
    let recorded = try guarded.recorded(program, [fault.name])
    #expect(raw.status == fault.status)
    #expect(recorded.withoutProcess == raw.withoutProcess)
  }

  @Test("a fault is found, with stacks of Objective-C", arguments: Fault.all)
  func finding(fault: Fault) throws {
    _ = try guarded.recorded(ObjectiveC.program("Faults"), [fault.name])
    let report = try guarded.report()
    let codes = report.matches(of: #/(?m)^(?:WARNING|NOTE): .*\((KVO\d{3}) /#)
      .map { String($0.output.1) }
    #expect(codes == fault.codes)
    let file = ObjectiveC.reports.appending(path: "\(fault.name).txt")
    if Self.writes { try Data(report.utf8).write(to: file) }
    #expect(try report == String(contentsOf: file, encoding: .utf8))
  }
}
