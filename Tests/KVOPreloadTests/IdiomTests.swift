import Foundation
import TestSupport
import Testing

/// A program of `Idioms.m` or another source, and the rules that it breaks.
struct Idiom: CustomTestStringConvertible, Sendable {
  let name: String
  var source = "Idioms"
  var codes: [String] = []
  /// The functions of the program on the first stack of the finding, the innermost first.
  var callers: [String] = []

  var testDescription: String { name }

  static let all = [
    // A class is not asked for methods that the program did not ask for.
    Idiom(name: "makes-methods"),
    Idiom(name: "variables-alone"),
    // Foundation raises, as without the library.
    Idiom(name: "number-as-key"),
    // What an override keeps from Foundation is not a fault.
    Idiom(name: "copies-keys"),
    Idiom(name: "guards-itself"),
    Idiom(name: "counts-additions", source: "Overrides"),
    Idiom(name: "removes-later", source: "Overrides"),
    Idiom(name: "never-changes"),
    Idiom(name: "guards-all"),
    // The new callback is notified.
    Idiom(name: "gains-callback"),
    Idiom(name: "changes-observers-class"),
    Idiom(name: "changes-class-between"),
    // Its name is not asked for.
    Idiom(name: "names-exception", codes: ["KVO039"]),
    Idiom(name: "misspelt-by-case", codes: ["KVO029"], callers: ["misspeltByCase", "main"]),
    Idiom(
      name: "after-number",
      codes: ["KVO001"],
      callers: ["-[Screen unwatch:for:]", "afterNumber", "main"]
    ),
    // Only the observer that was added before is lost.
    Idiom(
      name: "changes-class",
      codes: ["KVO030"],
      callers: ["-[Screen unwatch:for:]", "changesClass", "main"]
    ),
    // The stack is that of the program's call, not of the override.
    Idiom(
      name: "overrides-and-removes-twice",
      codes: ["KVO001"],
      callers: ["-[Screen unwatch:for:]", "overridesAndRemovesTwice", "main"]
    ),
    // What an override keeps from Foundation did not remove the observer.
    Idiom(
      name: "keeps-removed",
      source: "Overrides",
      codes: ["KVO006"],
      callers: ["-[Account dealloc]", "-[Patient dealloc]", "keepsRemoved", "main"]
    ),
    // A deallocated observer is only an address, and 1.28 notifies and removes what has it.
    Idiom(name: "removes-deallocated", source: "Leftovers", codes: ["KVO007"]),
    Idiom(name: "removes-deallocated-again", source: "Leftovers", codes: ["KVO001"]),
    Idiom(name: "screens-at-one-address", source: "Leftovers", codes: ["KVO007"]),
    Idiom(name: "careful-at-the-address", source: "Leftovers", codes: ["KVO007"]),
    // 1.28 forgets the observers of an object before its -dealloc.
    Idiom(name: "sets-in-dealloc", source: "Leftovers", codes: ["KVO006"]),
    // Only Foundation's own method raises.
    Idiom(name: "taken-by-category", source: "Leftovers"),
    Idiom(name: "taken-by-root", source: "Leftovers"),
    // Nobody observes a key that the class does not have.
    Idiom(name: "tries-key", source: "Leftovers"),
    Idiom(name: "tries-key-of-path", source: "Leftovers"),
    // A removal that names nothing does nothing, and only that of no key path is known to be a mistake.
    Idiom(name: "removes-nil-observer", source: "Leftovers"),
    Idiom(name: "removes-nil-path", source: "Leftovers", codes: ["KVO029", "KVO029"]),
    Idiom(name: "removes-nil-of-nil", source: "Leftovers"),
    // Changes nest in the order in which they begin, also those of objects that are observed later.
    Idiom(name: "observed-inside", source: "Leftovers"),
    Idiom(
      name: "never-ends-outside",
      source: "Leftovers",
      codes: ["KVO012"],
      callers: ["neverEndsOutside"]
    ),
    // Which of the two was first is not known.
    Idiom(name: "notified-while-leaving", source: "Leftovers"),
    // A key does not end at a zero: the second removal of the same one is the only fault.
    Idiom(
      name: "zero-in-key",
      source: "Leftovers",
      codes: ["KVO001"],
      callers: ["zeroInKey", "main"]
    ),
    // Only the one that 1.28 does not end.
    Idiom(name: "replaces", source: "Overrides", codes: ["KVO012"]),
    // Removed before its memory is freed.
    Idiom(name: "removes-when-freed", source: "Freed"),
    Idiom(name: "removes-at-one-address", source: "Freed"),
    Idiom(name: "removes-one-when-freed", source: "Freed", codes: ["KVO006"]),
    Idiom(name: "removes-twice-when-freed", source: "Freed", codes: ["KVO001"]),
    Idiom(name: "observer-removes-when-freed", source: "Freed"),
    Idiom(name: "observer-removes-one-when-freed", source: "Freed", codes: ["KVO007"]),
    Idiom(name: "both-remove-when-freed", source: "Freed"),
    // Its observer is notified once, after both changes.
    Idiom(name: "getter-sets", source: "Freed"),
  ]
}

@Suite("Idioms", .enabled(if: ObjectiveC.isAvailable, ObjectiveC.whyNot))
struct IdiomTests {
  private let guarded: Guarded

  init() throws { guarded = try Guarded() }

  @Test(
    "a program that works with the runtime does the same when it is recorded",
    arguments: Idiom.all,
    ["", "all"]
  )
  func unchanged(idiom: Idiom, rules: String) throws {
    let program = try ObjectiveC.program(idiom.source)
    let raw = try guarded.raw(program, [idiom.name])
    let recorded = try guarded.recorded(program, [idiom.name], contain: rules)
    #expect(raw.status == 0)
    #expect(recorded.withoutProcess == raw.withoutProcess)
    let audit = try guarded.audit()
    #expect(try guarded.findings().map(\.code) == idiom.codes, "\(audit)")
    #expect(try guarded.events().allSatisfy { $0.name != "dropped" })
    let callers = audit.output.split(separator: "\n")
      .drop { !$0.contains("#0 ") }
      .prefix { $0.contains(#/ #\d+ /#) }
      .compactMap { $0.firstMatch(of: #/ #\d+ (.*?) {2}/#).map { String($0.output.1) } }
    if !idiom.callers.isEmpty { #expect(callers == idiom.callers, "\(audit)") }
  }

  @Test("a change is delivered to the observer that has the address of a deallocated one")
  func addresses() throws {
    let program = try ObjectiveC.program("Leftovers")
    _ = try guarded.recorded(program, ["screens-at-one-address"])
    #expect(try !guarded.audit().output.contains("KVO008"))
  }

  @Test("a class object that has no callback is found, and contained", arguments: ["", "KVO017"])
  func classObserver(rules: String) throws {
    let program = try ObjectiveC.program("Overrides")
    let recorded = try guarded.recorded(program, ["class-observes"], contain: rules)
    #expect(recorded.output == (rules.isEmpty ? "raised\ndone\n" : "done\n"))
    #expect(try guarded.findings().map(\.code) == ["KVO017"])
  }

  @Test("the advice for a replacement that 1.28 never ends names the methods that end it")
  func replacement() throws {
    _ = try guarded.recorded(ObjectiveC.program("Overrides"), ["replaces"])
    let advice = try guarded.audit().output.split(separator: "\n").filter { $0.contains("Fix:") }
    #expect(advice.count == 1)
    let call = "[shelf replaceObjectInBooksAtIndex:index withObject:object];"
    #expect(advice.first?.contains(call) == true, "\(advice)")
  }
}
