import KVOAudit
import Testing

@Suite("A pattern for the paths of logs") struct PathPatternTests {
  private func values(_ pattern: String, _ path: String) throws -> [String: String] {
    let values = try PathPattern(pattern).values(in: path)
    return Dictionary(uniqueKeysWithValues: values.map { ($0.rawValue, $1) })
  }

  @Test("finds values in the last components of a path")
  func values() throws {
    let path = "/fleet/logs/2.4.1/day=2026-11-01/phone-7.kvolog"
    #expect(
      try values("{version}/day={day}/{device}.kvolog", path)
        == ["version": "2.4.1", "day": "2026-11-01", "device": "phone-7"]
    )
    // The shortest values, from the left.
    #expect(try values("{device}-*", path) == ["device": "phone"])
    #expect(try values("/*/*/{os}-*.kvolog", path) == ["os": "phone"])
    #expect(try values("{os} {version}.log", "a/iOS 16.4.log") == ["os": "iOS", "version": "16.4"])
  }

  @Test(
    "finds nothing in a path that it does not match as a whole",
    arguments: [
      ("{version}/x/*.kvolog", "1.0/y/a.kvolog"), ("{version}/*/*/*", "a/b"),
      ("{version}/{day}", "1.0/"), ("v{version}", "v"), ("{device}.kvolog", "a.kvolog.1"),
    ]
  )
  func misses(pattern: String, path: String) throws {
    #expect(try values(pattern, path) == [:])
  }

  @Test(
    "is refused with a reason",
    arguments: [
      ("logs/*", "\"logs/*\" has none of {version}, {os}, {day} and {device}"),
      ("{build}", "\"{build}\" is not known; known are {version}, {os}, {day}, {device}"),
      ("{day}/{day}", "\"{day}\" is there twice"),
      ("a{day/b", "\"{day\" has no closing brace"),
    ]
  )
  func refusals(pattern: String, reason: String) {
    let refusal = #expect(throws: PathPattern.Refusal.self) { try PathPattern(pattern) }
    #expect(refusal?.reason == reason)
  }
}
