import KVOFindings
import KVORules
import Testing

/// Sentences that run into each other, and lists of registrations that are far from their sentence.
@Suite("Overlapping sentences") struct OverlappingSentencesTests {
  private static let unhandled =
    "<GaugeView: 0x1a0>: An -observeValueForKeyPath:ofObject:change:context: message was received but not handled"

  @Test(
    "words in which the next sentence begins are read to their end",
    arguments: [
      "\(unhandled).\nKey path: level\nObserved objectoanobject that is not KVC-compliant for the \"x\" property.",
      "\(unhandled).\nKey path: level\nObserved objecthisclassisnotobservable",
      "-[GaugeView observeValueForKeyPath:ofObject:change:context:] cannot be sent to an object that is not "
        + "KVC-compliant for the \"level\" property",
      "\(unhandled.dropLast())deallocated while key value observers were still registered with it.",
    ]
  )
  func joined(text: String) {
    #expect(Reading.findings(text).allSatisfy { $0.observer?.className != "Meter" })
  }

  private static func death(_ name: String, _ path: String) -> String {
    ReportedFault("", .death, name, [path], nil).sentence
  }

  private static let stack = (0..<220).map {
    "\($0)   Gauges  0x10\(1_000 + $0) -[Dial turn\($0):by:] + 4"
  }
  .joined(separator: "\n")

  @Test("a sentence without a list does not take that of a later one")
  func later() {
    let words = String(Self.death("Meter", "level").prefix { $0 != "." }) + ".\n"
    let text = words + Self.stack + "\n" + Self.death("Dial", "speed") + "\n"
    #expect(Reading.summary(text) == ["KVO006 Meter.? < ?", "KVO006 Dial.speed < ?"])
  }

  @Test("a name of the list may be at the end of what is read of it")
  func end() {
    func letters(_ text: String) -> Int {
      text.count { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }
    let death = Self.death("Meter", "level")
    let words = "registered with it"
    let list = death[(death.firstRange(of: words)?.upperBound ?? death.startIndex)...]
    let line = "NSKeyValueDidChange" + String(repeating: "y", count: 41) + "\n"
    for distance in [1, 19, 20, 21] {
      let count = 200_000 - letters(String(list)) - distance
      let filler =
        String(repeating: line, count: count / 60) + String(repeating: "y", count: count % 60)
      let text = death + "\n" + filler + " NSKeyValueObservance more\n" + filler
      #expect(Reading.summary(text) == ["KVO006 Meter.level < ?"])
    }
  }
}
