import KVOFindings
import KVORules
import Testing

/// Names and addresses of which a title, a table or a person left something out, or to which they added something.
@Suite("Damaged names") struct DamagedNameTests {
  private static let list = """
    An instance 0x2b0 of class Meter was deallocated while key value observers were still registered with it.
    Current observation info: <NSKeyValueObservationInfo 0x9> (
    <NSKeyValueObservance 0x8: Observer: 0x7f10, Key path: unit.level,
    Options: <New: YES, Old: NO, Prior: NO> Context: 0x0, Property: 0x6>
    """

  private static func removal(
    _ observer: String,
    _ path: String,
    _ subject: String
  ) -> String {
    "Cannot remove an observer <\(observer)> for the key path \(path) from <\(subject)> because it is not "
      + "registered as an observer."
  }

  private static func lines(_ text: String, _ change: (Int, String) -> String) -> String {
    text.split(separator: "\n").enumerated().map { change($0.offset, String($0.element)) }
      .joined(separator: "\n")
  }

  @Test("the end of a row and the number of a line are no part of a key path")
  func ends() {
    let says = ["KVO006 Meter.unit.level < ?"]
    let wrapped = Self.list.replacing("unit.level", with: "unit.\nlevel")
    for text in [Self.list, wrapped] {
      #expect(Reading.summary(text) == says)
      #expect(Reading.summary(Self.lines(text) { "| \($1) |" }) == says)
      #expect(Reading.summary(Self.lines(text) { "|\($1)|" }) == says)
      #expect(Reading.summary(Self.lines(text) { "  \($0 + 12)  \($1)" }) == says)
      #expect(Reading.summary(Self.lines(text) { "  \($0 + 12) | \($1)" }) == says)
    }
    let options = Reading.findings(Self.lines(Self.list) { "| \($1) |" }).first
    #expect(options?.crashFacts?.options == Reading.findings(Self.list).first?.crashFacts?.options)
  }

  @Test("a class without an address was wrapped, or cut after marks of Markdown")
  func classes() {
    let text = Self.removal("Dial", "\"level\"", "Meter\nView")
    #expect(Reading.summary(text) == ["KVO002 MeterView.level < Dial"])
    let head = "Cannot remove an observer `<Dial 0x1>` for the key path \"level\" from "
    for subject in ["<Met", "`<Met", "**<Met"] {
      #expect(Reading.summary(head + subject) == ["KVO002 ?.level < Dial"])
    }
  }

  @Test("a quoted key path was wrapped in a table, or where lines have numbers")
  func quoted() {
    let text = Self.removal("Dial 0x1", "\"unit2.\n3level\"", "Meter 0x2")
    let says = ["KVO002 Meter.unit2.3level < Dial"]
    #expect(Reading.summary(text) == says)
    #expect(Reading.summary(Self.lines(text) { "| \($1) |" }) == says)
    #expect(Reading.summary(Self.lines(text) { "  \($0 + 12)  \($1)" }) == says)
    let unhandled = """
      |<Dial: 0x1>: An -observeValueForKeyPath:ofObject:change:context: message was received but not handled.|
      |Key path: level|
      |Observed object: <Meter: 0x2>|
      """
    #expect(Reading.summary(unhandled) == ["KVO017 Meter.level < Dial"])
  }

  @Test("dots at the end of a key path stand for the rest of its name", arguments: ["…", "..."])
  func cut(dots: String) {
    let text = Self.removal("Dial 0x1", "\"unit.lev\(dots)\"", "Meter 0x2")
    #expect(Reading.summary(text) == ["KVO002 Meter.? < Dial"])
  }

  @Test(
    "a name at the end of a text is cut, also if a line end follows",
    arguments: ["", "\n", "\r\n"]
  )
  func end(ending: String) {
    let text = Self.removal("Dial 0x1", "\"level\"", "Meter 0x2")
    let cut = text.prefix { $0 != "M" } + "Met"
    #expect(Reading.summary(cut + ending) == ["KVO002 ?.level < Dial"])
    #expect(Reading.summary(text + ending) == ["KVO002 Meter.level < Dial"])
  }

  @Test("a list of registrations that was printed later is no part of a sentence's")
  func later() {
    let list = Self.list + "\n)\n"
    let other = list.split(separator: "\n").dropFirst().joined(separator: "\n")
      .replacing("unit.level", with: "title")
    let says = ["KVO006 Meter.unit.level < ?"]
    #expect(Reading.summary(list + "I also printed this:\n" + other) == says)
  }

  @Test(
    "dots in the place of a key path are not its name",
    arguments: ["[…]", "\"...\"", "\"…\"", "(...)"]
  )
  func dots(path: String) throws {
    let finding = try #require(
      Reading.findings(Self.removal("Dial 0x1", path, "Meter 0x2")).first
    )
    #expect(finding.keyPath == nil)
    #expect(finding.code == .removeUnregistered)
    let hidden = try #require(
      Reading.findings(Self.removal("Dial 0x1", "\"***\"", "Meter 0x2")).first
    )
    #expect(hidden.keyPath == "***")
  }

  @Test("a key path with dots in it stays")
  func dotted() {
    #expect(
      Reading.summary(Self.removal("Dial 0x1", "\"unit.level\"", "Meter 0x2"))
        == ["KVO002 Meter.unit.level < Dial"]
    )
  }

  @Test(
    "a title that is cut in an address is the same crash as the whole sentence",
    arguments: [
      "Crash: Cannot remove an observer <Dial 0x60001a> for the key path \"level\" from <Meter 0x7fe",
      "Crash: Cannot remove an observer <Dial 0x60001a> for the key path \"level\" from <Meter 0x7fe...",
      "Crash: Cannot remove an observer <Dial 0x60001a> for the key path \"level\" from <Meter 0x7fe…",
      "Crash: Cannot remove an observer <Dial 0x600",
    ]
  )
  func cutAddress(title: String) throws {
    let whole = Self.removal("Dial 0x60001a", "\"level\"", "Meter 0x7fe40")
    for text in ["\(title)\n\n\(whole)\n", "\(whole)\n\n\(title)\n"] {
      let findings = Reading.findings(text)
      #expect(findings.map(Reading.summary) == ["KVO002 Meter.level < Dial"])
      #expect(findings.first?.count == 1)
    }
    // Another object.
    let other = Self.removal("Dial 0x99", "\"level\"", "Meter 0x99")
    #expect(Reading.findings("\(title)\n\n\(other)\n").map(\.count).reduce(0, +) == 2)
    let complete = Self.removal("Dial 0x60001a", "\"level\"", "Meter 0x7fe")
    #expect(Reading.findings("\(complete)\n\n\(whole)\n").map(\.count).reduce(0, +) == 2)
  }

  @Test("a name without its module is that of the same class")
  func module() {
    let whole = Self.removal("Gauges.Dial 0x60001a", "\"level\"", "Gauges.Meter 0x7fe40")
    let says = ["KVO002 Gauges.Meter.level < Gauges.Dial"]
    for title in [
      Self.removal("Dial 0x60001a", "\"level\"", "Meter 0x7fe40"),
      Self.removal("Dial", "\"level\"", "Meter"),
    ] {
      #expect(Reading.summary("# \(title)\n\n\(whole)\n") == says)
      #expect(Reading.summary("# \(whole)\n\n\(title)\n") == says)
    }
    let death = Self.list.replacing("Meter", with: "Gauges.Meter")
    let words = "was deallocated while key value observers were still registered with it"
    #expect(
      Reading.summary("# Meter \(words).\n\nError:\n\(death)\n")
        == ["KVO006 Gauges.Meter.unit.level < ?"]
    )
    // Another module, another class whose name only ends alike, another object.
    for other in ["Tools.Dial 0x60001a", "BigDial 0x60001a", "Dial 0x77"] {
      let text = Self.removal(other, "\"level\"", "Gauges.Meter 0x7fe40")
      #expect(Reading.findings("\(text)\n\n\(whole)\n").count == 2, "\(other)")
    }
  }

  @Test("a class that the lines of a list cut is none, nor is the address in the next line its own")
  func cutInList() {
    let titles = [
      Self.removal("GaugeView 0x1", "\"level\"", "Meter 0x2"),
      Self.removal("DialView 0x3", "\"speed\"", "Meter 0x4"),
    ].map { String($0.prefix { $0 != "M" } + "Met") }
    let text = titles.joined(separator: "\n") + "\nThe view <Frame 0x5> was drawn.\n"
    let findings = Reading.findings(text)
    #expect(
      Set(findings.map(Reading.summary))
        == ["KVO002 ?.level < GaugeView", "KVO002 ?.speed < DialView"]
    )
    let wrapped = Self.removal("GaugeView 0x1", "\"level\"", "Meter\n0x2")
    #expect(Reading.summary(wrapped) == ["KVO002 Meter.level < GaugeView"])
    let numbered = Self.lines(wrapped) { "  \($0 + 12)  \($1)" }
    #expect(Reading.summary(numbered) == ["KVO002 Meter.level < GaugeView"])
    let alone = Self.removal("GaugeView 0x1", "\"level\"", "Meter\n")
    #expect(Reading.summary(alone) == ["KVO002 Meter.level < GaugeView"])
  }
}
