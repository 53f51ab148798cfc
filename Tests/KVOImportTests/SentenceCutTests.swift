import Foundation
import KVORules
import TestSupport
import Testing

/// Every sentence at every cut: a text says no more than it has, and names the rule from the first words on that
/// no other sentence has.
@Suite("Sentences that are cut") struct SentenceCutTests {
  struct Cut: Sendable, CustomStringConvertible {
    var rule: String
    var sentence: String
    /// After these words the rule is known; nil: only at the end, or where a name ends.
    var mark: String?

    var description: String { sentence }
  }

  private static let who = "<GaugeView 0x6000021f4e10>"
  private static let whom = "<Meter 0x7fd1c0d07a20>"
  private static let method = "observeValueForKeyPath:ofObject:change:context:"

  private static let cuts: [Cut] = [
    Cut(
      rule: "KVO014",
      sentence:
        "Cannot update for observer \(who) for the key path \"unit.name\" from \(whom), most likely because the "
        + "value for the key \"unit\" has changed without an appropriate KVO notification being sent. Check the "
        + "KVO-compliance of the Meter class.",
      mark: who
    ),
    Cut(
      rule: "KVO002",
      sentence:
        "Cannot remove observer \(who) for keypath \"unit.name\" from \(whom) as it is not a registered observer.",
      mark: who
    ),
    Cut(
      rule: "KVO006",
      sentence: "Object \(whom) deallocated with observers still registered.",
      mark: "deallocated with"
    ),
    Cut(
      rule: "KVO008",
      sentence: "*** -[GaugeView \(method)]: message sent to deallocated instance 0x6000021f4e10",
      mark: "]: message s"
    ),
    Cut(
      rule: "KVO008",
      sentence: "-[GaugeView \(method)]: unrecognized selector sent to instance 0x6000021f4e10",
      mark: "]: unrec"
    ),
    Cut(
      rule: "KVO029",
      sentence:
        "[<Meter 0x7fd1c0d07a20> addObserver:forKeyPath:options:context:] is not supported. Key path: unit.name",
      mark: "] is not"
    ),
    Cut(
      rule: "KVO030",
      sentence:
        "KVO failed to allocate class pair for name NSKVONotifying_Meter, automatic key-value observing will not "
        + "work for this class",
      mark: "NSKVONotifying_Meter,"
    ),
    Cut(
      rule: "KVO014",
      sentence:
        "KVO autonotifying only supports -set<Key>: methods that return void. Autonotifying will not be done for "
        + "invocations of -[Meter setUnit:].",
      mark: "-[Meter "
    ),
  ]

  @Test("report no more if they are cut, and identify their rule early", arguments: cuts)
  func cut(_ cut: Cut) throws {
    let from = try cut.mark.map { try #require(cut.sentence.range(of: $0)).upperBound }
    for end in cut.sentence.indices + [cut.sentence.endIndex] {
      let text = String(cut.sentence[..<end])
      let found = Reading.findings(text)
      if let from, end >= from { #expect(found.count == 1, "\(text)") }
      for finding in found {
        #expect(finding.code.rawValue == cut.rule, "\(text)")
        #expect(["Meter", nil].contains(finding.subject?.className), "\(text)")
        #expect(["GaugeView", nil].contains(finding.observer?.className), "\(text)")
        // If a sentence ends with the path, a part of it cannot be distinguished from the whole.
        let isLast = cut.sentence.hasSuffix("unit.name") && finding.keyPath?.hasSuffix(".") == false
        #expect(
          [nil, "unit", "unit.name"].contains(finding.keyPath)
            || isLast && "unit.name".hasPrefix(finding.keyPath ?? ""),
          "\(text)"
        )
      }
    }
    #expect(Reading.findings(cut.sentence).count == 1)
  }

  @Test("the facts of published reports are no more if they are cut in any form")
  func facts() {
    let containers: [Container] = [.sentence, .console, .crash, .crashlytics, .lldb, .flutter]
    for (row, fault) in ReportedFaults.all.enumerated() {
      let container = containers[row % containers.count]
      guard container.holds(fault) else { continue }
      let text = container.text(fault)
      let known = Set(fault.says)
      // Somewhere else in each: the rows are many, and their sentences few.
      let step = Rounds.areMany ? 29 : 101
      for offset in stride(from: row % step, to: text.count, by: step) {
        let cut = String(text.prefix(offset))
        for finding in Reading.findings(cut) {
          let names = [finding.subject?.className, finding.observer?.className].compactMap(\.self)
          #expect(
            names.allSatisfy { name in name == fault.subject || name == fault.observer },
            "\(fault): \(cut.suffix(200))"
          )
          #expect(
            finding.keyPath.map { path in
              fault.keyPaths.contains { $0 == path || $0.hasPrefix(path + ".") }
            }
              ?? true || known.contains(Reading.summary(finding)),
            "\(fault): \(Reading.summary(finding)) in \(cut.suffix(200))"
          )
        }
      }
    }
  }
}
