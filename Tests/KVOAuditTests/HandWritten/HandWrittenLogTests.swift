import Foundation
import KVOAudit
import KVOFindings
import KVORules
import KVOTrace
import KVOTraceJSON
import TestSupport
import Testing

@Suite("Logs written by hand")
struct HandWrittenLogTests {
  /// The keys that say nothing by their absence.
  ///
  /// Others have a default, or mean something else where they are absent: a context, an observer, why a
  /// registration is meant to live.
  private static let optionalKeys: Set<String> = [
    "t", "thread", "order", "stack", "scope", "registration", "site", "executor", "token", "change",
    "label", "kind", "repetition", "parent", "handled", "pid", "schema", "runtime", "roots",
  ]

  @Test("there are more than sixty of them")
  func count() { #expect(HandWrittenLog.all.count > 60) }

  @Test("each is judged as its author expected", arguments: HandWrittenLog.all)
  func whole(log: HandWrittenLog) {
    let outcome = Outcome(of: log.text)
    #expect(outcome.codes == log.expected)
  }

  @Test(
    "without its optional keys each is judged alike, or the report names the missing key",
    arguments: HandWrittenLog.all
  )
  func without(log: HandWrittenLog) {
    let present = Self.optionalKeys.filter { log.text.contains("\"\($0)\":") }.sorted()
    for key in present {
      check(log, without(log.text) { name, _ in name == key }, "without \(key)")
    }
    check(log, without(log.text) { name, _ in Self.optionalKeys.contains(name) }, "without all")
  }

  @Test("without any of its optional keys here and there", arguments: HandWrittenLog.all)
  func sometimes(log: HandWrittenLog) {
    for seed in 1...8 as ClosedRange<UInt64> {
      var random = SplitMix64(seed: seed)
      // Sorted, because a set has another order in each run.
      let keys = Self.optionalKeys.sorted().filter { _ in Bool.random(using: &random) }
      check(log, without(log.text) { name, _ in keys.contains(name) }, "seed \(seed)")
      let mixed = without(log.text) { name, _ in
        keys.contains(name) && Bool.random(using: &random)
      }
      check(log, mixed, "seed \(seed), from some lines")
    }
  }

  /// Nothing is found that is not there, and what is not found is said not to be judged.
  private func check(_ log: HandWrittenLog, _ text: String, _ what: String) {
    let outcome = Outcome(of: text)
    var allowed = log.expected
    // Added twice, from an unknown call site.
    if allowed.contains("KVO018") { allowed.insert("KVO005") }
    #expect(outcome.codes.subtracting(allowed) == [], "\(log.name), \(what):\n\(text)")
    let missing = log.expected.subtracting(outcome.codes).subtracting(outcome.notJudged)
    #expect(missing == [], "\(log.name), \(what):\n\(text)")
  }

  /// The lines of `text` without the keys that `drops` names; those of objects inside are asked for too.
  private func without(_ text: String, _ drops: (String, String) -> Bool) -> String {
    func strip(_ value: Any, _ event: String) -> Any {
      if let list = value as? [Any] { return list.map { strip($0, event) } }
      guard let object = value as? [String: Any] else { return value }
      var kept: [String: Any] = [:]
      for key in object.keys.sorted() where !isDropped(key, object, event) {
        kept[key] = strip(object[key] as Any, event)
      }
      return kept
    }
    func isDropped(_ key: String, _ object: [String: Any], _ event: String) -> Bool {
      // What an event is about is not a key that may be missing.
      let required: Set<String> =
        switch event {
        case "registerEnd", "cancel", "notify", "notifyEnd", "attach", "detach": ["registration"]
        default: []
        }
      return !required.contains(key) && drops(key, event)
    }
    return text.split(separator: "\n").map { line in
      guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
        let event = object["event"] as? String,
        let data = try? JSONSerialization.data(
          withJSONObject: strip(object, event),
          options: [.sortedKeys, .withoutEscapingSlashes]
        )
      else { return String(line) }
      return String(decoding: data, as: UTF8.self)
    }.joined(separator: "\n") + "\n"
  }

  private struct Outcome {
    var codes: Set<String>
    var notJudged: Set<String>

    init(of text: String) {
      let reader = JSONLinesReader()
      var events: [Event] = []
      reader.read(Array(text.utf8)[...], event: { events.append($1) }, problem: { _ in })
      #expect(reader.problems == [], "\(text)")
      let report = Audit().report(on: [.events(events, names: reader.names, label: "hand")])
      codes = Set(report.findings.flatMap(\.withConsequences).map(\.code.rawValue))
      notJudged = Set(report.notJudged.map(\.code.rawValue))
    }
  }
}
