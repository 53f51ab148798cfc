import Foundation
import TestSupport
import Testing

/// The emitter built by clang, with ARC and without: EndToEndTests builds it with GCC.
@Suite(
  "The emitter under ARC",
  .enabled(if: Runtime.newer.contains { $0.kind == "ng" }, Runtime.whyNot)
)
struct EmitterUnderARCTests {
  private func log(of what: String, withARC: Bool, in guarded: Guarded) throws -> [String] {
    let runtime = try #require(Runtime.newer.first { $0.kind == "ng" })
    let log = guarded.folder.path("log.jsonl")
    _ = try guarded.raw(
      ObjectiveC.emitting(on: runtime, withARC: withARC),
      [what],
      environment: ["KVO_SAFETY_EMITTER_LOG": log]
    )
    return try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").compactMap {
      let keys = try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      return keys?["event"] as? String
    }
    // When GNUstep opens a converter of texts is its own affair.
    .filter { $0 != "module" }
  }

  @Test(
    "it writes the same events with ARC as without, and they are judged the same",
    arguments: [
      (what: "faulty", findings: ["KVO001"]), (what: "correct", findings: []),
      (what: "raising", findings: []),
    ]
  )
  func same(what: String, findings: [String]) throws {
    let counted = try Guarded()
    let manual = try Guarded()
    #expect(
      try log(of: what, withARC: true, in: counted) == log(of: what, withARC: false, in: manual)
    )
    for guarded in [counted, manual] {
      let audit = try guarded.command(["--profile", "apple-modern", "log.jsonl"]).output
      let codes = audit.matches(of: #/(?m)^(?:WARNING|NOTE): .*\((KVO\d{3}) /#)
      #expect(codes.map { String($0.output.1) } == findings, "\(audit)")
    }
  }
}
