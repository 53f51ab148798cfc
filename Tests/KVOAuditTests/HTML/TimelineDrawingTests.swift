import KVORules
import Testing

@testable import KVOAudit
@testable import KVOReports

@Suite("The timeline of a page")
struct TimelineDrawingTests {
  private func process(_ counts: [Int], time: ((Int) -> UInt64)? = nil) -> Activity.Process {
    var curve = LiveCurve()
    for (place, live) in counts.enumerated() {
      curve.add(1, lastEvent: place + 1, live: live, time: time?(place))
    }
    return Activity.Process(firstEvent: 1, curve: curve)
  }

  private func finding(_ events: [Int], _ severity: Severity, _ signature: String) -> Finding {
    Finding(
      code: .doubleRemove,
      severity: severity,
      profile: .swift,
      consequence: .contained,
      message: "",
      events: events,
      hint: "",
      signature: signature
    )
  }

  @Test("is as wide as the events and as high as a round number above the most that were live")
  func corners() {
    let drawing = TimelineDrawing(process([0, 2, 3, 1]) { UInt64($0) * 1_500_000 }, findings: [])
    #expect(drawing.corners.map(\.x) == [0, 240, 240, 480, 480, 720, 720, 960])
    #expect(drawing.corners.map(\.y) == [130, 130, 65, 65, 32.5, 32.5, 97.5, 97.5])
    #expect(
      drawing.countTicks == [
        .init(position: 130, text: "0"), .init(position: 65, text: "2"),
        .init(position: 0, text: "4"),
      ]
    )
    #expect(
      drawing.eventTicks == [
        .init(position: 0, text: "event 1 · 0 ns"), .init(position: 480, text: "event 2 · 1.5 ms"),
        .init(position: 960, text: "event 4 · 4.5 ms"),
      ]
    )
    #expect(drawing.summary == "At most 3 observations were live at a time, and 1 at the end.")
  }

  @Test("shows as much as possible of a log without times, with one event, and with none")
  func small() {
    let one = TimelineDrawing(process([1]), findings: [])
    #expect(one.eventTicks.map(\.text) == ["event 1", "event 1"])
    #expect(one.countTicks.map(\.text) == ["0", "1"])
    #expect(one.summary == "At most 1 observation was live at a time, and 1 at the end.")
    let none = TimelineDrawing(process([]), findings: [finding([1], .error, "a")])
    #expect(none.corners.isEmpty && none.marks.isEmpty && none.eventTicks.isEmpty)
  }

  @Test("marks the times of findings, the worst if there are several")
  func marks() {
    let findings = [
      finding([2, 4], .error, "aaaaaaaa"), finding([1, 2], .warning, "bbbbbbbb"),
    ]
    let drawing = TimelineDrawing(process([1, 1, 1, 1]), findings: findings)
    #expect(
      drawing.marks == [
        .init(
          x: 120,
          severity: .warning,
          signature: "bbbbbbbb",
          label: "event 1: KVO001 double-remove",
          count: 1
        ),
        .init(
          x: 360,
          severity: .error,
          signature: "aaaaaaaa",
          label: "event 2: KVO001 double-remove",
          count: 2
        ),
        .init(
          x: 840,
          severity: .error,
          signature: "aaaaaaaa",
          label: "event 4: KVO001 double-remove",
          count: 1
        ),
      ]
    )
  }

  @Test("has few marks if there are many findings, and none of other inputs or processes")
  func bounds() {
    let count = 10_000
    var other = finding(Array(1...count), .error, "cccccccc")
    other.input = 1
    let findings = [
      finding(Array(1...count), .error, "aaaaaaaa"), other,
      finding([count + 1], .error, "dddddddd"),
    ]
    let drawing = TimelineDrawing(process(Array(repeating: 1, count: count)), findings: findings)
    #expect(drawing.marks.count == TimelineDrawing.columnCount)
    #expect(drawing.marks.reduce(0) { $0 + $1.count } == count)
    #expect(drawing.marks.allSatisfy { $0.signature == "aaaaaaaa" && $0.x > 0 && $0.x < 960 })
    #expect(drawing.corners.count <= 2 * LiveCurve.limit)
  }

  @Test(
    "rounds up to what has a middle",
    arguments: [
      (0, 1), (1, 1), (2, 2), (3, 4), (5, 10), (10, 10), (11, 20), (21, 40), (41, 100),
      (1_435, 2_000), (Int.max, Int.max),
    ]
  )
  func rounding(count: Int, top: Int) {
    #expect(TimelineDrawing.roundedUp(count) == top)
  }

  @Test(
    "spells times in a unit that fits",
    arguments: [
      (UInt64(0), "0 ns"), (999, "999 ns"), (1_000, "1 µs"), (1_540, "1.5 µs"),
      (12_000_000, "12 ms"), (250_500_000, "250 ms"), (1_000_000_000, "1 s"),
      (90_000_000_000, "1.5 min"),
      (7_200_000_000_000, "2 h"), (UInt64.max, "5124095 h"),
    ]
  )
  func times(nanoseconds: UInt64, text: String) {
    #expect(TimelineDrawing.spelled(nanoseconds) == text)
  }
}
