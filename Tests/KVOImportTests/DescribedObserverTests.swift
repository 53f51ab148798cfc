import KVORules
import Testing

/// The observer of an unhandled notification: the object that the runtime describes before the sentence, and no other.
@Suite("Described observers") struct DescribedObserverTests {
  @Test("a tag of XML is not an observer", arguments: ["string", "reason", "Message"])
  func tag(name: String) {
    let text = """
      <key>description</key>
      <\(name)>An -observeValueForKeyPath:ofObject:change:context: message was received but not handled.
      Key path: level
      Observed object: &lt;Meter: 0x2b0&gt;
      Change: {
          kind = 1;
      }
      Context: 0x0</\(name)>
      """
    #expect(Reading.summary(text) == ["KVO017 Meter.level < ?"])
    let described = text.replacing("<\(name)>An", with: "<\(name)>&lt;GaugeView&gt;: An")
    #expect(Reading.summary(described) == ["KVO017 Meter.level < GaugeView"])
  }

  private static let time = "2024-05-06 07:08:09.123 Gauges[47:1a] "
  private static let sentence =
    "An -observeValueForKeyPath:ofObject:change:context: message was received but not handled."
  private static let details = """
    \(sentence)
    Key path: level
    Observed object: <Meter: 0x6000021f4e10>
    Change: {
        kind = 1;
    }
    Context: 0x0

    """

  /// An object that a log printed, and the same sentence after it with an observer that describes itself otherwise.
  @Test(
    "an object in the lines before is not the observer",
    arguments: [
      "\(time)pushing <GaugeScreen: 0x7fa1>\n\(time)com.gauges.dial@2x: ",
      "\(time)<GaugeScreen: 0x7fa1>\n\(time)com.gauges.dial@2x: ",
      "\(time)pushing <GaugeScreen: 0x7fa1>\ncom.gauges.dial@2x: ",
      "\(time)<GaugeScreen: 0x7fa1> was shown\ncom.gauges.dial@2x: ",
      "<GaugeScreen: 0x7fa1>\n\ncom.gauges.dial@2x: ",
      "the screen is <GaugeScreen: 0x7fa1>\ncom.gauges.dial@2x: ",
      "\(time)done <GaugeScreen: 0x7fa1>\n\n# Crash with reason: ",
      "<GaugeScreen: 0x7fa1>\nCrash with reason: ",
      "\(time)<GaugeScreen: 0x7fa1>\nIts words are:\n",
      "\(time)pushing <GaugeScreen: 0x7fa1>\n",
      "[07:08:09]: <GaugeScreen: 0x7fa1>\n[07:08:10]: ",
      "Observed object:\n<GaugeScreen: 0x7fa1>\nContext: 0x0\ndial: ",
      "<GaugeScreen: 0x7fa1>\n2   Gauges   0x0000000185f08d98 -[Meter wait] + 56\ndial: ",
    ]
  )
  func others(lead: String) {
    #expect(Reading.summary(lead + Self.details) == ["KVO017 Meter.level < ?"])
  }

  @Test(
    "a description begins with its object, over any lines",
    arguments: [
      "<GaugeText: 0x7fa1>\n    Frame = {{0, 0}, {8, 3}}\n    Style = 'round'\n: ",
      "\(time)<GaugeText: 0x7fa1>\n    Frame = {{0, 0}, {8, 3}}\n: ",
      "reason: '<GaugeText: 0x7fa1>\n    Frame = {{0, 0}, {8, 3}}\n: ",
      "reason: '<GaugeText: 0x7fa1> {\n    layer = <Layer: 0x7fa2>\n}: ",
      "<GaugeText: 0x7fa1>(\n    <Dial: 0x7fa3>,\n    two\n): ",
      "\(time)<GaugeText: 0x7fa1> {layer = <Layer: 0x7fa2>}: ",
      "Gauges[47:1a] <GaugeText: 0x7fa1> of the dial: ",
      "NSInternalInconsistencyException: <GaugeText: 0x7fa1> of the dial: ",
      "\(time)pushing <GaugeScreen: 0x7fa0>\n\(time)<GaugeText: 0x7fa1>: ",
    ]
  )
  func described(lead: String) {
    #expect(Reading.summary(lead + Self.details) == ["KVO017 Meter.level < GaugeText"])
  }

  @Test(
    "a log puts the time before each line of the description",
    arguments: [
      "2024-05-06 07:08:09.123 ", "2024-05-06T07:08:09.123Z ", "[07:08:09] ", "[07:08:09]: ▸ ",
    ]
  )
  func dated(prefix: String) {
    let text = "<GaugeText: 0x7fa1>\n    Frame = {{0, 0}, {8, 3}}\n: " + Self.details
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { prefix + $0 }
    #expect(
      Reading.summary("\(prefix)pushed <GaugeScreen: 0x7fa0>\n" + lines.joined(separator: "\n"))
        == ["KVO017 Meter.level < GaugeText"]
    )
    // The time alone is before the sentence.
    let bare = "\(prefix)<GaugeScreen: 0x7fa0>\n\(prefix)\(Self.details)"
    #expect(Reading.summary(bare) == ["KVO017 Meter.level < ?"])
  }

  @Test("a crash that is printed twice is one, and the second has no observer of the first")
  func twice() {
    let text =
      "# Crash with reason: \(Self.sentence) Key path: level Observed object: <Meter: 0x6000021f4e10>\n\n"
      + "NSInternalInconsistencyException\n<GaugeText: 0x7fa1>: \(Self.details)"
    let once = ["KVO017 Meter.level < GaugeText"]
    #expect(Reading.summary(text) == once)
    #expect(Reading.summary(text + "\n-----\n\n" + text) == once)
  }
}
