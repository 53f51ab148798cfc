import KVOFindings
import KVORules
import Testing

/// Key paths that a text wraps or cuts.
@Suite("Wrapped names") struct WrappedNameTests {
  private static let head =
    "*** Terminating app due to uncaught exception 'NSRangeException', reason: '"
    + #"Cannot remove an observer <GaugeView 0x1a0> for the key path "needle.le"#
  private static let tail =
    #"vel" from <Meter 0x2b0> because it is not registered as an observer.'"# + "\n"

  @Test(
    "a key path that continues in the next line is joined",
    arguments: ["\n", "\n  ", "\r\n> "]
  )
  func joined(end: String) {
    #expect(
      Reading.summary(Self.head + end + Self.tail) == ["KVO002 Meter.needle.level < GaugeView"]
    )
  }

  @Test(
    "a key path that other words follow is not named",
    arguments: [
      "\n", "\nnext message\n", "\n\nnext \"a\" from <b>\n", "\nIn other words \"a\" or \"b\"\n",
      "...\nother\n",
    ]
  )
  func cut(rest: String) {
    let findings = Reading.findings(Self.head + rest)
    #expect(findings.map(\.keyPath) == [nil])
    #expect(findings.map { $0.observer?.className } == ["GaugeView"])
  }

  @Test("a break of HTML and the line end after it are one", arguments: ["<br>\n", "<br />\r\n"])
  func breaks(end: String) {
    let text =
      "<p>Cannot remove an observer &lt;GaugeView 0x1a0&gt; for the key path\(end)&quot;level&quot; "
      + "from &lt;Meter 0x2b0&gt; because it is not registered as an observer.</p>\n"
    #expect(Reading.summary(text) == ["KVO002 Meter.level < GaugeView"])
    let other = "\(Self.head)\(end)\(end)next \"a\" from <b>\n"
    #expect(Reading.summary(other) == ["KVO002 ?.? < GaugeView"])
  }

  private static let list =
    "An instance 0x2b0 of class Meter was deallocated while key value observers were still "
    + "registered with it. Current observation info: <NSKeyValueObservationInfo 0x3c0> (\n"
    + "<NSKeyValueObservance 0x4d0: Observer: 0x1a0, Key path: needle.le"

  @Test("code below a list that was cut has no registration of it")
  func codeBelowList() {
    let text =
      Self.list + "\nvel, Options: <New: YES, Old: NO, Prior: NO> Context: 0x0, Property: 0x5e0>\n"
      + "<NSKeyValueObservance 0x6f\n\nMy code:\n\n"
      + "[self.meter addObserver:self forKeyPath:@\"level\" options:0 context:nil];\n"
    #expect(Reading.findings(text).map(\.keyPath) == ["needle.level"])
  }

  @Test("a stack below a list has no registration of it")
  func stackBelowList() {
    let stack = """
      0   Foundation   0x0000000106e34611 NSKVODeallocate + 294
      1   Gauges       0x0000000106e34700 -[Dial setMeter:] + 40
      2   Foundation   0x0000000106e34800 -[NSKeyValueObservance observeValueForKeyPath:ofObject:change:context:] + 345
      3   Foundation   0x0000000106e34900 NSKeyValueNotifyObserver + 350
      """
    let end = "\nvel, Options: <New: YES, Old: NO, Prior: NO> Context: 0x0>\n)\n"
    let text = Self.list + end + stack
    #expect(Reading.findings(text).map(\.keyPath) == ["needle.level"])
  }

  @Test("the same holds for a list of registrations")
  func lists() {
    let whole = Self.list + "\nvel, Options: <New: YES, Old: NO, Prior: NO> Context: 0x0>\n)\n"
    #expect(Reading.findings(whole).map(\.keyPath) == ["needle.level"])
    let cut = Self.list + "\nthe next line, it has a comma\n"
    #expect(Reading.findings(cut).map(\.keyPath) == [nil])
  }

  @Test("the same holds for a notification that was not handled")
  func unhandled() {
    func text(_ path: String) -> String {
      """
      <GaugeView: 0x1a0>: An -observeValueForKeyPath:ofObject:change:context: message was received but not handled.
      Key path: \(path)
      Observed object: <Meter: 0x2b0>
      Change: {
          kind = 1;
      }
      Context: 0x0

      """
    }
    #expect(Reading.summary(text("needle.le\nvel")) == ["KVO017 Meter.needle.level < GaugeView"])
    #expect(Reading.summary(text("level")) == ["KVO017 Meter.level < GaugeView"])
    #expect(Reading.summary(text("needle.le\nand so on")) == ["KVO017 Meter.? < GaugeView"])
    let line = text("needle.level").replacing("\n", with: " ")
    let wrapped = line.replacing("needle.level", with: "needle.le\nvel")
    #expect(Reading.summary(wrapped) == ["KVO017 Meter.needle.level < GaugeView"])
    let logged = text("level").split(separator: "\n").map { "runner: " + $0 + "\n" }.joined()
    #expect(Reading.summary(logged) == ["KVO017 Meter.level < GaugeView"])
  }

  @Test("a stack of addresses was wrapped", arguments: [3, 4, 7])
  func addresses(width: Int) {
    let all = (1...9).map { "0x18b3e8\($0)00" }
    let lines = stride(from: 0, to: all.count, by: width)
      .map { all[$0..<min(all.count, $0 + width)].joined(separator: " ") }
    for lead in ["", "> "] {
      let text =
        RemovalCrash.lines[0] + "\n*** First throw call stack:\n(" + lines.joined(separator: "\n")
        + ")\nlibc++abi: terminating\n"
      let quoted = text.split(separator: "\n").map { lead + $0 }.joined(separator: "\n")
      let frames = Reading.findings(quoted).first?.stacks.first?.frames ?? []
      #expect(frames.map(\.address) == (1...9).map { UInt64("18b3e8\($0)00", radix: 16) })
    }
  }
}
