import KVOFindings
import Testing

/// Characters that a page or a document of JSON writes by their number.
@Suite("Characters by number") struct NumberedCharacterTests {
  private static let crash = RemovalCrash.lines[0] + "\n"

  @Test("quotation marks of a blog are those of the key path", arguments: [1, 2])
  func quotationMarks(depth: Int) {
    var page = Self.crash.replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("'", with: "&#8216;").replacing("\"level\"", with: "&#8220;level&#8221;")
    if depth == 2 { page = page.replacing("&", with: "&amp;") }
    #expect(Reading.summary("<p>\(page)</p>\n") == ["KVO002 Meter.level < GaugeView"])
    let hexadecimal = Self.crash.replacing("<", with: "&#x3c;").replacing(">", with: "&#x3E;")
      .replacing("\"", with: "&#x201C;").replacing(" for the", with: "&#13;&#10;for the")
    #expect(Reading.summary(hexadecimal) == ["KVO002 Meter.level < GaugeView"])
  }

  @Test("letters of names are kept, and signs without width are not")
  func letters() {
    let text = Self.crash.replacing("Meter", with: "Zähler").replacing("level", with: "größe")
    let says = ["KVO002 Zähler.größe < GaugeView"]
    #expect(Reading.summary(text) == says)
    let json = text.replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
      .replacing("ä", with: "\\u00e4").replacing("ö", with: "\\u00f6")
      .replacing("ß", with: "\\u00DF").replacing("GaugeView", with: "Gauge\\u00adView")
    #expect(Reading.summary("{\"message\":\"\(json)\"}") == says)
    let page = text.replacing("ä", with: "&#228;").replacing("ö", with: "&#xf6;")
      .replacing("ß", with: "&#xDF;").replacing("GaugeView", with: "Gauge\u{ad}View")
    #expect(Reading.summary(page) == says)
  }

  @Test(
    "what has no number is no character",
    arguments: ["&#;", "&#x;", "&#12", "&#xfffffff;", "&"]
  )
  func others(text: String) {
    let sentence = RemovalCrash.sentence + " \(text)\n"
    #expect(Reading.summary(sentence) == ["KVO002 Meter.level < GaugeView"])
  }
}
