import Foundation
import KVORules
import TestSupport
import Testing

/// Facts of published reports, rendered in every container and with every damage.
@Suite("Facts of published reports") struct ReportedFaultTests {
  @Test("are read from every container", arguments: Container.allCases)
  func containers(container: Container) {
    // Each fact in each container in the long form, and in every fourth one in the short form.
    let number = Container.allCases.firstIndex(of: container) ?? 0
    for (offset, fault) in ReportedFaults.all.enumerated()
    where container.holds(fault) && Rounds.includes(offset + number, every: 4) {
      #expect(Reading.summary(container.text(fault)) == fault.says, "\(fault) in \(container)")
    }
  }

  @Test("are read from a console after every damage", arguments: Damage.allCases)
  func damages(damage: Damage) {
    for fault in ReportedFaults.all {
      let text = damage.applied(to: Container.console.text(fault))
      #expect(Reading.summary(text) == fault.says, "\(fault), \(damage)")
    }
  }

  /// Every form with every damage, with some of the facts each: they are thousands of texts.
  @Test(
    "are read from every container after every damage, 98 of 100 with every detail",
    arguments: Container.allCases
  )
  func damagedContainers(container: Container) {
    var count = 0
    var missed: [String] = []
    for (offset, damage) in Damage.allCases.enumerated() where container.survives(damage) {
      let rows = ReportedFaults.all.enumerated().filter { $0.offset % 16 == offset }
      for (_, fault) in rows where container.holds(fault) {
        count += 1
        let found = Reading.summary(damage.applied(to: container.text(fault)))
        if found != fault.says { missed.append("\(fault), \(damage): \(found)") }
      }
    }
    #expect(missed.count * 50 <= count, "\(container): \(missed.count) of \(count): \(missed)")
  }

  /// For each sentence the words after its first object that no other sentence has.
  private static let marks: [(kind: ReportedFault.Kind, mark: String)] = [
    (.removal, "<GaugeView 0x6000021f4e10>"), (.silentChange, "<GaugeView 0x6000021f4e10>"),
    (.death, "of class Meter "), (.unhandled, "An -observeV"), (.uncompliant, "] was s"),
  ]

  @Test(
    "say no more where a text is cut, and name the same rule from the first words of its own on"
  )
  func cuts() throws {
    for (kind, mark) in Self.marks {
      let fault = ReportedFault("", kind, "Meter", ["unit.name"], "GaugeView")
      let whole = fault.sentence
      var end = try #require(whole.range(of: mark)?.upperBound)
      while end < whole.endIndex {
        check(String(whole[..<end]), fault)
        end = whole.index(after: end)
      }
    }
  }

  private func check(_ text: String, _ fault: ReportedFault) {
    let found = Reading.findings(text)
    let named = ["Meter", "GaugeView", nil]
    #expect(found.count == 1, "\(text)")
    for finding in found {
      // Before its reason, a removal of a longer path may have failed for either.
      let isOpen = fault.kind == .silentChange && !text.contains(", most")
      let code = isOpen ? "KVO002" : String(fault.says[0].prefix(6))
      #expect(finding.code.rawValue == code, "\(text)")
      #expect(named.contains(finding.subject?.className), "\(text)")
      #expect(named.contains(finding.observer?.className), "\(text)")
      let path = finding.keyPath
      #expect(path == nil || path == "unit.name" || path == "unit", "\(text)")
    }
  }
}
