import BenchmarkHarness

// Other forms of observing than a token on a single key, divided by that one.
extension ObservationSuite {
  static let formsOfSets = Table(
    "A set that a path, another key or another form is notified of",
    unit: "set",
    remarks: [
      """
      One observer, which adds the value to a sum that is checked. The path is `\\.owner?.value`; the key that
      depends is affected by two, of which one is set; the collection has 100 elements.
      """
    ],
    bound: "set",
    rows: [
      ours("set-classic", "classic form", atMost: 3, of: "set"),
      ours("set-controller", "controller", atMost: 3, of: "set"),
      ours(
        "set-dependent",
        "token, of a key that depends on the one that is set",
        atMost: 3,
        of: "set"
      ),
      peer("map", "OpenCombine, `map` of one of the two (0.14 has no `combineLatest`)"),
      ObjectiveCSuite.plain("gnustep-dependent", "GNUstep, of a dependent key", "dependent-sets"),
      ours("set-deep", "token, at the end of a path", atMost: 3, of: "set"),
      peer("switch", "OpenCombine, `switchToLatest`"),
      peer("tracking-deep", "withObservationTracking over the path, armed again"),
      ObjectiveCSuite.plain("gnustep-deep", "GNUstep, at the end of a path", "deep-sets"),
      ours("set-middle", "token, another object in the middle of a path", atMost: 10, of: "set"),
      peer("switch-middle", "OpenCombine, `switchToLatest`, another object"),
      ObjectiveCSuite.plain("gnustep-middle", "GNUstep, another object", "middle-sets"),
      ours("set-element", "token, one element is replaced", atMost: 8, of: "set"),
      ours("set-recorded-again", "token, recording on", atMost: 3, of: "set"),
    ]
  )

  static let formsOfPairs = Table(
    "Beginning to observe, and ending it: paths, other keys, other forms",
    unit: "pair",
    remarks: ["Recording off; the path and the key that depends are those above."],
    bound: "pair",
    rows: [
      ours("pair-deep", "token, a path", atMost: 3, of: "pair"),
      peer("switch-pair", "OpenCombine, `switchToLatest`, sink and cancel"),
      ours("pair-deep-classic", "classic form, a path by name", atMost: 3, of: "pair"),
      ObjectiveCSuite.plain("gnustep-deep-pair", "GNUstep, a path", "deep-pairs"),
      ours("pair-dependent", "token, a key that depends on others", atMost: 3, of: "pair"),
      peer("map-pair", "OpenCombine, `map`, sink and cancel"),
      ObjectiveCSuite.plain(
        "gnustep-dependent-pair",
        "GNUstep, a dependent key",
        "dependent-pairs"
      ),
      ours("pair-controller", "controller", atMost: 3, of: "pair"),
      ours("pair-initial", "token, with an initial notification", atMost: 2, of: "pair"),
      ours("pair-classic", "classic form", atMost: 2, of: "pair"),
    ]
  )

  private static func ours(
    _ id: String,
    _ title: String,
    atMost times: Double,
    of other: String
  ) -> Row {
    row(
      id,
      title,
      .ours,
      target: .atMost(times, of: other),
      limit: 1 << 18,
      counting: .perOperation(2_000)
    )
  }

  private static func peer(_ id: String, _ title: String) -> Row {
    row(id, title, .peer, limit: 1 << 18)
  }
}
