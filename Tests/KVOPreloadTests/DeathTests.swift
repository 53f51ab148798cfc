import Foundation
import TestSupport
import Testing

/// A way of `Deaths.m` in which observed objects are deallocated.
struct Death: CustomTestStringConvertible, Sendable {
  let name: String
  /// The rules that are broken everywhere, and those that are on some runtimes.
  let codes: Set<String>
  var others: Set<String> = []

  var testDescription: String { name }

  static let all = [
    Death(name: "every-option", codes: ["KVO006"]),
    Death(name: "path", codes: ["KVO006"]),
    Death(name: "dependent-key", codes: ["KVO006"], others: ["KVO040"]),
    Death(name: "dependent-path", codes: ["KVO006"]),
    Death(name: "relay", codes: ["KVO006"]),
    Death(name: "observer-first", codes: ["KVO007"]),
    Death(name: "itself", codes: ["KVO006", "KVO020"]),
    // On libobjc2 registrations are lost with the class, and the other observer is not notified of the change.
    Death(name: "changed-class", codes: ["KVO007", "KVO030"], others: ["KVO032"]),
    Death(name: "both-ways", codes: ["KVO006"]),
    // 1.28 keeps its observer with an owner that is no longer on the path.
    Death(name: "path-dies", codes: ["KVO006"], others: ["KVO007"]),
  ]
}

/// A fault that ends a program on a newer GNUstep, and the one rule that contains it.
struct EndingFault: CustomTestStringConvertible, Sendable {
  let name: String
  let rule: String

  var testDescription: String { "\(name), containing \(rule)" }

  static let all = [
    EndingFault(name: "observed-dies", rule: "KVO006"),
    EndingFault(name: "removed-while-dying", rule: "KVO025"),
    EndingFault(name: "class-changed", rule: "KVO030"),
  ]
}

@Suite("Contained deallocations", .enabled(if: ObjectiveC.isAvailable, ObjectiveC.whyNot))
struct DeathTests {
  private let guarded: Guarded

  init() throws { guarded = try Guarded() }

  @Test(
    "an object that is deallocated while observed sends no more messages to its observers",
    arguments: [.distributions] + Runtime.newer,
    Death.all
  )
  func contained(runtime: Runtime, death: Death) throws {
    let program = try ObjectiveC.program("Deaths", on: runtime)
    let contained = try guarded.recorded(program, [death.name], contain: "all")
    #expect(contained.status == 0, "\(contained)")
    #expect(contained.output.hasPrefix("\(death.name):\n") && contained.output.hasSuffix("done\n"))
    // The name that an owner gets when the object was deallocated.
    #expect(!contained.output.contains("Barbara"))
    let codes = try Set(guarded.findings().map(\.code))
    #expect(codes.subtracting(death.others) == death.codes)
    #expect(try !guarded.audit().output.contains("CRASHED"))
  }

  @Test(
    "nothing is read of an observer that was deallocated before its removal",
    arguments: [.distributions] + Runtime.newer,
    ["late-removal", "unmapped-removal"]
  )
  func lateRemoval(runtime: Runtime, way: String) throws {
    let program = try ObjectiveC.program("Deaths", on: runtime)
    let recorded = try guarded.recorded(program, [way])
    #expect(recorded.status == 0 && recorded.output == "\(way):\ndone\n", "\(recorded)")
    #expect(try guarded.findings().map(\.code) == ["KVO007"])
  }

  @Test(
    "without containment it ends the program there",
    .enabled(if: !Runtime.newer.isEmpty, Runtime.whyNot),
    arguments: Runtime.newer,
    Death.all.map(\.name)
  )
  func raw(runtime: Runtime, name: String) throws {
    let program = try ObjectiveC.program("Deaths", on: runtime)
    #expect(try guarded.raw(program, [name]).status != 0)
    #expect(try guarded.recorded(program, [name]).status != 0)
  }

  @Test(
    "one rule contains its fault, and the others leave it as it is",
    .enabled(if: !Runtime.newer.isEmpty, Runtime.whyNot),
    arguments: Runtime.newer,
    EndingFault.all
  )
  func rules(runtime: Runtime, fault: EndingFault) throws {
    let program = try ObjectiveC.program("Faults", on: runtime)
    let contained = try guarded.recorded(program, [fault.name], contain: fault.rule)
    #expect(contained.status == 0 && contained.output.hasSuffix("done\n"), "\(contained)")
    #expect(try guarded.findings().map(\.code) == [fault.rule])
    let others =
      ["KVO001", "KVO002", "KVO007", "KVO008", "KVO017", "KVO029"]
      + EndingFault.all.map(\.rule).filter { $0 != fault.rule }
    let raw = try guarded.raw(program, [fault.name])
    let left = try Guarded().recorded(
      program,
      [fault.name],
      contain: others.joined(separator: ",")
    )
    #expect(left.status == raw.status)
  }
}
