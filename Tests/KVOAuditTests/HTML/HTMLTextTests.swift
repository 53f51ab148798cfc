import Testing

@testable import KVOReports

@Suite("The text of a page")
struct HTMLTextTests {
  private func written(_ write: (inout HTMLText) -> Void) -> String {
    var page = HTMLText()
    write(&page)
    return String(decoding: page.bytes, as: UTF8.self)
  }

  @Test(
    "shows text of unknown origin verbatim or escaped",
    arguments: [
      ("</script><b>&", "&lt;/script&gt;&lt;b&gt;&amp;"),
      ("\"a' onload=", "&quot;a&#39; onload="),
      ("a\u{0}\u{1b}[31m\r\n", "a\\u{0}\\u{1b}[31m\\r\\n"),
      ("x\u{202e}gnp.exe\u{2066}", "x\\u{202e}gnp.exe\\u{2066}"),
      ("مرحبا ✓", "مرحبا ✓"),
      ("", ""),
    ]
  )
  func escaping(text: String, shown: String) {
    #expect(written { $0.text(text) } == shown)
    #expect(
      written { $0.element("p", ["title": text.isEmpty ? nil : text], text: text) }
        == (text.isEmpty ? "<p></p>" : "<p title=\"\(shown)\">\(shown)</p>")
    )
  }

  @Test("cuts long texts and attributes, and shows how much")
  func long() {
    let text = String(repeating: "<", count: 1_234)
    let cut = String(repeating: "&lt;", count: 1_000) + "… (234 more characters)"
    #expect(written { $0.text(text) } == cut)
    #expect(written { $0.open("a", ["title": text]) } == "<a title=\"\(cut)\">")
    #expect(written { $0.text("abcdef", limit: 4) } == "abcd… (2 more characters)")
    #expect(written { $0.text("abcd", limit: 4) } == "abcd")
    // Long in bytes alone.
    #expect(written { $0.text("äöüß", limit: 4) } == "äöüß")
    // One character of many marks.
    let tower = "e" + String(repeating: "\u{301}", count: 5_000)
    #expect(written { $0.text(tower) }.unicodeScalars.count < 1_100)
  }

  @Test("has attributes that stand alone, and leaves out those without a value")
  func flags() {
    let attributes: KeyValuePairs<StaticString, String?> = ["hidden": "", "id": nil, "class": "x"]
    #expect(written { $0.open("p", attributes) } == "<p hidden class=\"x\">")
  }

  @Test(
    "sets off code between backticks",
    arguments: [
      ("call `a()`, or `b`", "call <code>a()</code>, or <code>b</code>"),
      ("one ` alone", "one ` alone"),
      ("`<i>`", "<code>&lt;i&gt;</code>"),
      ("``", "<code></code>"),
    ]
  )
  func prose(text: String, shown: String) {
    #expect(written { $0.prose(text) } == shown)
  }

  @Test(
    "writes coordinates with two digits at the most",
    arguments: [
      (0.0, "0"), (12.0, "12"), (0.5, "0.5"), (33.333, "33.33"), (1.005, "1"), (2.01, "2.01"),
      (-0.25, "-0.25"), (99.999, "100"),
    ]
  )
  func numbers(number: Double, text: String) {
    #expect(HTMLText.number(number) == text)
  }
}
