import KVOFindings
import KVORules
import Testing

/// Classes and key paths that have the letters of a sentence's own words and labels.
@Suite("Names like words") struct NamesLikeWordsTests {
  @Test(
    "a key path in a list of registrations ends before the label of the options",
    arguments: [
      "displayOptions", "options", "filterOptions.count", "optionsContext", "observer", "keyPath",
    ]
  )
  func listed(path: String) {
    let fault = ReportedFault("", .death, "Meter", [path, "level"], nil)
    #expect(Reading.summary(fault.sentence) == fault.says)
    let options = Reading.findings(fault.sentence).compactMap(\.crashFacts?.options)
    #expect(options == ["New: YES, Old: NO, Prior: NO", "New: YES, Old: NO, Prior: NO"])
  }

  @Test(
    "labels of a notification that was not handled are not names",
    arguments: [
      ("ChangeTracker", "level"), ("CurrencyExchange", "level"), ("Change", "level"),
      ("Context", "contextMenu"),
      ("ObservedObject", "observedObject.level"), ("Meter", "observedObject"),
      ("Meter", "changeCount"),
    ]
  )
  func unhandled(name: String, path: String) {
    let fault = ReportedFault("", .unhandled, name, [path], "GaugeView")
    #expect(Reading.summary(fault.sentence) == fault.says)
    #expect(Reading.summary(fault.sentence.replacing("\n", with: " ")) == fault.says)
  }

  @Test("the context is the one with the label, not that of a value")
  func context() {
    let fault = ReportedFault("", .unhandled, "Meter", ["level"], "GaugeView")
    let text = fault.sentence.replacing(
      "kind = 1;",
      with: "kind = 1;\n    new = \"<NSManagedObjectContext: 0x600>\";"
    )
    #expect(Reading.findings(text).first?.context == "NULL")
    let other = text.replacing("Context: 0x0", with: "Context: 0x1234")
    #expect(Reading.findings(other).first?.context == "0x1234")
  }

  @Test("a dictionary is described by its keys, none of which is its class")
  func dictionary() {
    let fault = ReportedFault("", .unhandled, "Meter", ["level"], "GaugeView")
    let text = fault.sentence.replacing(
      "<Meter: 0x7fd1c0d07a20>",
      with: "{\n    level = 3;\n    unit = bar;\n}"
    )
    #expect(Reading.summary(text) == ["KVO017 ?.level < GaugeView"])
  }

  @Test(
    "the class of a deallocated object may end or begin like the words before it",
    arguments: ["PlanInstance", "JapanInstance", "GaugeObject", "ObjectGauge", "Object"]
  )
  func deallocated(name: String) {
    let fault = ReportedFault("", .death, name, ["level"], name)
    #expect(Reading.summary(fault.sentence) == fault.says)
    let gnustep = "Object <\(name): 0x2b0> deallocated with observers still registered."
    #expect(Reading.summary(gnustep) == ["KVO006 \(name).? < ?"])
  }

  @Test(
    "a class without its address is no tag of HTML",
    arguments: ["Table", "Mark", "Span", "Code", "Font", "Small"]
  )
  func tags(name: String) {
    let text = """
      Fatal Exception: NSRangeException
      Cannot remove an observer <GaugeView> for the key path "level" from <\(name)> because it is not registered as \
      an observer.
      """
    #expect(Reading.summary(text) == ["KVO002 \(name).level < GaugeView"])
    let code = text.replacing("\"level\"", with: "<code>\"level\"</code>")
    #expect(Reading.summary(code) == ["KVO002 \(name).level < GaugeView"])
  }

  @Test("a key path without a name is none", arguments: ["\"\"", "\"(null)\"", "\"<null>\""])
  func noPath(path: String) {
    let text =
      "Cannot remove an observer <GaugeView 0x1a0> for the key path \(path) from <Meter 0x2b0> because it is not "
      + "registered as an observer."
    #expect(Reading.summary(text) == ["KVO002 Meter.? < GaugeView"])
  }
}
