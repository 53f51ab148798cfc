import KVOFindings
import KVORules
import Testing

/// The runtime's notice that it leaves a setter as it is.
@Suite("Notices of setters that notify no one") struct SetterNoticeTests {
  private static let head = "KVO autonotifying only supports -set<Key>: methods that "
  private static let tail = "Autonotifying will not be done for invocations of "
  private static let returns = head + "return void. " + tail
  private static let takes =
    head
    + "take id, NSNumber-supported scalar types, and some NSValue-supported structure types. "
    + tail

  @Test(
    "names the class and the key, however it is printed",
    arguments: [
      (returns + "-[NSView _setWindow:].", "KVO014 NSView.window < ?"),
      (returns + "[NSView _setWindow:].", "KVO014 NSView.window < ?"),
      (takes + "-[Meter setLevel:].", "KVO014 Meter.level < ?"),
      (takes + "-[Meter setURL:].", "KVO014 Meter.URL < ?"),
      (
        "2012-11-20 13:06:30.699 Gauges[812:303] \(returns)-[Meter setLevel:].",
        "KVO014 Meter.level < ?"
      ),
      ("> \(returns)\n> -[Meter setLevel:].", "KVO014 Meter.level < ?"),
      (
        returns.replacing("<Key>", with: "&lt;Key&gt;") + "-[Meter setLevel:].",
        "KVO014 Meter.level < ?"
      ),
      // If the tag was taken for an HTML tag.
      (returns.replacing("<Key>", with: "") + "-[Meter setLevel:].", "KVO014 Meter.level < ?"),
      // Cut in the selector.
      (returns + "-[Meter setLev", "KVO014 Meter.? < ?"),
    ]
  )
  func notices(text: String, says: String) {
    #expect(Reading.summary(text + "\n") == [says])
  }

  @Test(
    "is not recognized in sources, in prose and without its method",
    arguments: [
      "  NSLog(@\"\(returns)-[%s %s].\", name, selector);\n",
      "If a setter returns its object, it says “\(returns)-[Meter setLevel:].”\n",
      returns, returns + "-[Met",
      "Autonotifying is not supported for collections.\n",
    ]
  )
  func lookAlikes(text: String) { #expect(Reading.summary(text) == []) }

  @Test("is a warning with the consequence, and no crash")
  func advice() throws {
    let finding = try #require(Reading.findings(Self.returns + "-[Meter setLevel:].\n").first)
    #expect(finding.severity == .warning)
    #expect(finding.consequence == .wrong)
    #expect(
      finding.message
        == #"Changes of "level" that are made through a setter of Meter are not notified, because the setter returns a value"#
    )
    #expect(
      finding.hint
        == #"let the setter return void, or call willChangeValueForKey: and didChangeValueForKey: around every change of "level""#
    )
    let advice = CrashAdvice(finding)
    #expect(advice.systems == "silent, with wrong values, on every iOS and macOS")
    #expect(!advice.why.contains("part of a key path"))
    let system = try #require(Reading.findings(Self.returns + "-[NSView _setWindow:].\n").first)
    #expect(system.hint.hasPrefix("NSView is the system's"))
    let argument = try #require(Reading.findings(Self.takes + "-[Meter setLevel:].\n").first)
    #expect(argument.message.hasSuffix("the setter takes what cannot be boxed"))
  }

  @Test("hides no crash that follows it")
  func crash() {
    let text =
      Self.returns + "-[Meter setLevel:].\nEXC_BAD_ACCESS\n#0  0x01 in objc_msgSend ()\n"
      + "#1  0x02 in NSKeyValueNotifyObserver ()\n#2  0x03 in -[Meter poll] ()\n"
    #expect(Reading.summary(text) == ["KVO014 Meter.level < ?", "KVO008 ?.? < ?"])
  }
}
