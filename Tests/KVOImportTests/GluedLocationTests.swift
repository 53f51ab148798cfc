import KVORules
import Testing

/// Frames whose location follows the function without a blank, and console lines with a date of slashes.
@Suite("Glued locations") struct GluedLocationTests {
  @Test(
    "a location that follows the function without a sign between is not part of its name",
    arguments: [
      ("-[GaugeView stop](GaugeView.m:29)", "-[GaugeView stop]", "GaugeView.m"),
      ("-[GaugeView stop]GaugeView.m:29", "-[GaugeView stop]", "GaugeView.m"),
      ("-[GaugeView stop:](GaugeView+Level.mm:29)", "-[GaugeView stop:]", "GaugeView+Level.mm"),
      ("-[GaugeView stop] + 44GaugeView.m:29", "-[GaugeView stop]", "GaugeView.m"),
      ("GaugeView.stop()GaugeView.swift:29", "GaugeView.stop()", "GaugeView.swift"),
      ("GaugeView.stop()(GaugeView.swift:29)", "GaugeView.stop()", "GaugeView.swift"),
      ("GaugeView.stop()   GaugeView.swift:29", "GaugeView.stop()", "GaugeView.swift"),
      ("-[GaugeView stop] GaugeView.m:29", "-[GaugeView stop]", "GaugeView.m"),
      ("-[GaugeView stop] + 44 GaugeView.m:29", "-[GaugeView stop]", "GaugeView.m"),
      ("-[GaugeView stop] at GaugeView.m:29", "-[GaugeView stop]", "GaugeView.m"),
    ]
  )
  func glued(frame: (text: String, symbol: String, file: String)) {
    let text = """
      Cannot remove an observer <GaugeView 0x1a0> for the key path "level" from <Meter 0x2b0> because it is not \
      registered as an observer.
      (
      \t0   CoreFoundation  0x000000010efa11e6 __exceptionPreprocess + 294
      \t1   Gauges  0x000000010efa11e7 \(frame.text)
      )
      """
    let own = Reading.findings(text).first?.stacks.first?.frames.last
    #expect(own?.symbol == frame.symbol)
    #expect(own?.file == frame.file)
    #expect(own?.line == 29)
  }

  @Test(
    "a date of slashes before each line is removed",
    arguments: [
      "9/3/16 10:11:12.345 Gauges[4711]: ", "9/3/2016, 9:11:12 AM Gauges[4711]: ",
      "03/09/2016 10:11:12 ",
    ]
  )
  func dates(front: String) {
    let text = [
      #"Cannot remove an observer <GaugeView 0x1a0> for the key path "level" from <Met"#,
      "er 0x2b0> because it is not registered as an observer.",
    ]
    #expect(
      Reading.summary(text.map { front + $0 + "\n" }.joined())
        == ["KVO002 Meter.level < GaugeView"]
    )
  }
}
