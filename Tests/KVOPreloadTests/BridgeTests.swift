import Foundation
import TestSupport
import Testing

/// What `ObjectiveCProbe` prints of one thing that it does.
struct Bridged: CustomTestStringConvertible, Sendable {
  let what: String
  let output: String
  /// The rules that are broken, in the order of the report.
  var codes: [String] = []
  /// The faults that a log alone can show.
  var codesOfLog: [String] = []

  var testDescription: String { what }

  static let all = [
    Bridged(
      what: "values",
      output: """
        Account: setting, old none, new 0
        Account: setting, prior, old 0, new none
        Account: setting, old 0, new 5
        Account#2 balance ObjectiveCProbe.swift:N nobody true
        true
        Account: setting, prior, old 5, new none
        plain: setting, old none, new none
        Account: setting, old 5, new 6
        plain: setting, old none, new none
        0 false 0

        """
    ),
    Bridged(
      what: "path",
      output: """
        setting, old none, new Ada
        setting, old Ada, new Grace
        setting, old Grace, new Edsger

        """
    ),
    Bridged(
      what: "collection",
      output: """
        insertion, old none, new GSArray, at 0..<1
        insertion, old none, new GSArray, at 1..<2

        """
    ),
    Bridged(what: "ends", output: "once\n0\n", codesOfLog: ["KVO031"]),
    // A note: the token ended its observation. Notes are not said while the program runs.
    Bridged(what: "observed-dies", output: "false 0\n", codesOfLog: ["KVO006"]),
    Bridged(what: "path-observed-dies", output: "false\n", codesOfLog: ["KVO006"]),
    // Two closures of one owner are two observations.
    Bridged(what: "duplicate", output: "told 2\ntold 1\n"),
    Bridged(what: "owner-dies", output: "false 0\n"),
    Bridged(
      what: "wrong-path",
      output: """
        "balanse": false
        "": false
        "owner.nam": false
        "nothing.name": false
        "entries.count": false
        "owner..name": false
        array: false
        0

        """,
      codes: Array(repeating: "KVO029", count: 7)
    ),
    Bridged(what: "threads", output: "0 0\n"),
  ]
}

/// A program in Swift observes objects in Objective-C through tokens.
@Suite(
  "Observing Objective-C objects from Swift",
  .enabled(if: ObjectiveC.isAvailable, ObjectiveC.whyNot)
)
struct BridgeTests {
  private static let writes = ProcessInfo.processInfo.environment["KVO_SAFETY_WRITE_REPORTS"] == "1"
  private let guarded: Guarded

  init() throws { guarded = try Guarded() }

  private func probe(_ what: String, environment: [String: String] = [:]) throws -> ProgramRun {
    try ObjectiveC.probe(in: guarded, what, environment: environment)
  }

  private func codes(in text: String) -> [String] {
    text.matches(of: #/(?m)^(?:WARNING|NOTE): .*\((KVO\d{3}) /#).map { String($0.output.1) }
  }

  @Test("values arrive, tokens end, faults are reported as they happen", arguments: Bridged.all)
  func live(example: Bridged) throws {
    let run = try probe(example.what)
    #expect(run.status == 0)
    #expect(
      run.output.replacing(#/\.swift:\d+/#, with: ".swift:N") == example.output + "done\n"
    )
    #expect(codes(in: run.complaint) == example.codes)
    if example.codes.isEmpty { #expect(run.complaint == "") }
  }

  @Test("the log has the same, with stacks of both languages", arguments: Bridged.all)
  func log(example: Bridged) throws {
    _ = try probe(
      example.what,
      environment: ["KVO_SAFETY_LOG": guarded.folder.path("log-%p.kvolog")]
    )
    let report = try guarded.report()
    #expect(codes(in: report).sorted() == (example.codes + example.codesOfLog).sorted())
    guard !(example.codes + example.codesOfLog).isEmpty else { return }
    let text = report.replacing(#/\.(swift|m):\d+/#) { ".\($0.output.1):N" }
      .replacing(#/(?m)^.*# .*ObjectiveCProbe\.(?:main\(\)|\$main\(\)).*\n.*# main .*\n/#, with: "")
      .replacing(#/Signature: [0-9a-f]{8}/#, with: "Signature: X")
    let file = ObjectiveC.reports.appending(path: "bridge-\(example.what).txt")
    if Self.writes { try Data(text.utf8).write(to: file) }
    #expect(try text == String(contentsOf: file, encoding: .utf8))
  }
}

/// A program in Swift that loads no Objective-C.
@Suite("Observing without Objective-C")
struct NoRuntimeTests {
  @Test("without a runtime it is an error and no trap")
  func withoutRuntime() throws {
    let run = try Guarded().raw(ProgramRun.built("ObjectiveCProbe"), ["nothing"])
    #expect(
      run
        == ProgramRun(
          output: """
            refused: no Objective-C runtime with a Foundation is loaded in this process; link \
            GNUstep's libgnustep-base, or open it with dlopen, before objects are observed (true)
            no class 0

            """,
          complaint: "",
          status: 0
        )
    )
  }
}

/// A process that two could record: the library for Objective-C programs, and the recorder in Swift.
@Suite("One log for one process", .enabled(if: ObjectiveC.isAvailable, ObjectiveC.whyNot))
struct OneLogTests {
  private let guarded: Guarded

  init() throws { guarded = try Guarded() }

  private func run(_ what: String) throws -> ProgramRun {
    try ObjectiveC.probe(
      in: guarded,
      what,
      environment: [
        "LD_PRELOAD": ObjectiveC.library().path,
        "KVO_SAFETY_LOG": guarded.folder.path("log-%p.kvolog"),
      ]
    )
  }

  @Test("if the library was first, Swift reports that its observations are not in the log")
  func libraryFirst() throws {
    let run = try run("both")
    #expect(run.output == "told\ntold of our own\ndone\n")
    #expect(
      run.complaint.hasPrefix(
        """
        KVOSafety: libKVOSafetyPreload.so records this process already, and what is observed in Swift \
        is not in its log; run the program without the library to have it in \
        "\(guarded.folder.path("log-%p.kvolog"))".

        """
      )
    )
    #expect(try guarded.logs.count == 1)
    let events = try guarded.events()
    #expect(events.first { $0.name == "process" }?.text("runtime") == "gnustep-1.28")
    // The observer that Swift made, and the one that Objective-C did.
    #expect(events.count { $0.name == "register" } == 2)
    let report = try guarded.report()
    #expect(report.contains("(KVO001 ") && report.contains("(KVO006 "))
  }

  @Test("if Swift was first, the library reports the same of Objective-C, and hooks nothing")
  func swiftFirst() throws {
    let run = try run("swift-first")
    #expect(run.output == "told of our own\ntold\ntold of our own\ndone\n")
    #expect(
      run.complaint.hasPrefix(
        """
        KVOSafety: this program records what it observes in Swift already, and what is observed in \
        Objective-C is not in that log.

        """
      )
    )
    #expect(try guarded.logs.count == 1)
    let events = try guarded.events()
    #expect(events.first { $0.name == "process" }?.text("runtime") == "swift")
    #expect(events.count { $0.name == "register" } == 3)
    let report = try guarded.report()
    #expect(!report.contains("(KVO001 ") && report.contains("(KVO006 "))
  }

  @Test("a log that is started by hand does not take the library's over")
  func byHand() throws {
    let run = try run("started-by-hand")
    #expect(
      run.output == """
        libKVOSafetyPreload.so records this process already, and what is observed in Swift is not in \
        its log; run the program without the library to have it in "by-hand.kvolog" (true)
        told
        told of our own
        done

        """
    )
    #expect(try guarded.folder.names.filter { $0.hasSuffix(".kvolog") }.count == 1)
  }
}

extension ObjectiveC {
  /// Runs `ObjectiveCProbe` with the objects of `Teller.m`.
  fileprivate static func probe(
    in guarded: Guarded,
    _ what: String,
    environment: [String: String]
  ) throws -> ProgramRun {
    let library = try bundle("Teller", with: ["Bank"]).path
    let probe = try ProgramRun.built("ObjectiveCProbe")
    return try guarded.raw(probe, [what, library], environment: environment)
  }
}
