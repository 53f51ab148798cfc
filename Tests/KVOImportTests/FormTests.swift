import KVOFindings
import KVORules
import Testing

/// Every kind of fault in the forms that texts have, and as many texts that only look like one.
@Suite("Texts of every form") struct FormTests {
  private static let faults =
    RemovalForms.faults + DeathForms.faults + UnhandledForms.faults + DeadObserverForms.faults
    + SilentChangeForms.faults + RefusalForms.faults + RaceForms.faults + PastedTexts.faults
    + CollectedForms.faults + GatheredForms.faults

  private static let lookAlikes =
    RemovalForms.lookAlikes + DeathForms.lookAlikes + UnhandledForms.lookAlikes
    + DeadObserverForms.lookAlikes + SilentChangeForms.lookAlikes + RefusalForms.lookAlikes
    + RaceForms.lookAlikes + PastedTexts.lookAlikes + PublishedLookAlikes.all
    + GatheredForms.lookAlikes

  @Test("a fault is found, with the facts in the text", arguments: faults)
  func fault(sample: Sample) { #expect(Reading.summary(sample.text) == sample.says) }

  @Test("text that only looks like a fault stays silent", arguments: lookAlikes)
  func lookAlike(sample: Sample) { #expect(Reading.summary(sample.text) == []) }

  @Test("a weak reading never fails a build, a certain one of an error does")
  func severity() {
    let findings = Self.faults.flatMap { Reading.findings($0.text) }
    let weak = findings.filter { $0.confidence == .low }
    #expect(!weak.isEmpty)
    #expect(weak.filter { $0.severity == .error }.map(\.message) == [])
    let certain = findings.filter { $0.confidence == .high && $0.code == .removeUnregistered }
    #expect(!certain.isEmpty)
    #expect(certain.filter { $0.severity < .error }.map(\.message) == [])
  }

  @Test("a text has the same result with line ends of Windows, and in UTF-16", arguments: faults)
  func encodings(sample: Sample) {
    let windows = sample.text.replacing("\n", with: "\r\n")
    #expect(Reading.summary(windows) == sample.says)
    let units = Array(sample.text.utf16)
    let little = units.reduce(into: [0xff, 0xfe] as [UInt8]) { bytes, unit in
      bytes += [UInt8(unit & 0xff), UInt8(unit >> 8)]
    }
    #expect(Reading.findings(little).map(Reading.summary) == sample.says)
    let big = units.reduce(into: [0xfe, 0xff] as [UInt8]) { bytes, unit in
      bytes += [UInt8(unit >> 8), UInt8(unit & 0xff)]
    }
    #expect(Reading.findings(big).map(Reading.summary) == sample.says)
    let marked = [0xef, 0xbb, 0xbf] + Array(sample.text.utf8)
    #expect(Reading.findings(marked).map(Reading.summary) == sample.says)
  }

  @Test("a text has the same result in whatever pieces it is read", arguments: faults)
  func pieces(sample: Sample) {
    let bytes = Array(sample.text.utf8)
    for count in [1, 7, 100] {
      #expect(Reading.findings(bytes, pieceByteCount: count).map(Reading.summary) == sample.says)
    }
  }

  @Test("what another program appended in UTF-16 is read, or refused if it is most of the text")
  func appended() {
    let units = Array("\r\n\(RemovalCrash.sentence)\r\n".utf16)
    let wide = units.flatMap {
      [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
    }
    let line = Array("2024-03-01 10:11:12 the gauge has started\n".utf8)
    let refused = Reading.imported(line + wide + wide)
    #expect(refused.refusal != nil && refused.findings.isEmpty)
    let long = Array(repeating: line, count: 20).flatMap(\.self)
    #expect(
      Reading.findings(long + wide).map(Reading.summary) == ["KVO002 Meter.level < GaugeView"]
    )
    #expect(Reading.findings(wide).map(Reading.summary) == ["KVO002 Meter.level < GaugeView"])
  }
}
