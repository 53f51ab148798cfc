import KVOAudit
import Testing

@Suite("A pattern") struct GlobPatternTests {
  @Test(
    "matches whole texts",
    arguments: [
      ("", ""), ("a", "a"), ("*", ""), ("*", "a b"), ("**", "x"), ("a*", "a"), ("*a", "bca"),
      ("a*b*c", "aXbYbZc"), ("*ab*ab*", "xababx"), ("?", "é"), ("a?c", "abc"), (#"\*"#, "*"),
      (#"a\?"#, "a?"), (#"\\"#, #"\"#), (#"a\"#, #"a\"#), ("*.swift:4?", "Screen.swift:41"),
    ]
  )
  func accepts(pattern: String, text: String) {
    #expect(GlobPattern(pattern).matches(text))
  }

  @Test(
    "does not match a part, or another case",
    arguments: [
      ("", "a"), ("a", ""), ("a", "A"), ("a", "ab"), ("a*", "ba"), ("?", ""), ("?", "ab"),
      (#"\*"#, "a"), ("a*b", "abc"), ("*ab", "aab "), ("a*b*c", "acb"),
    ]
  )
  func refuses(pattern: String, text: String) {
    #expect(!GlobPattern(pattern).matches(text))
  }

  @Test("of many stars comes to an end")
  func stars() {
    let pattern = GlobPattern(String(repeating: "a*", count: 40) + "b")
    #expect(!pattern.matches(String(repeating: "a", count: 2_000)))
  }
}
