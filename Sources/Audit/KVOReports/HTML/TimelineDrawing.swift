import KVOAudit
import KVORules
import KVOText

/// The live registrations of one process over its events, with its findings on them, as coordinates.
struct TimelineDrawing: Hashable {
  static let width = 960.0
  static let height = 130.0
  /// At how many positions findings are marked, at most; those that are nearer are one mark.
  static let columnCount = 48

  /// Findings of about the same time.
  struct Mark: Hashable {
    var x: Double
    var severity: Severity
    /// The signature of the worst of them.
    var signature: String
    /// Its tooltip.
    var label: String
    /// How many times findings happened there.
    var count: Int
  }

  /// A label of an axis, and its position.
  struct Tick: Hashable {
    var position: Double
    var text: String
  }

  struct Point: Hashable {
    var x: Double
    var y: Double
  }

  /// The outline of the live registrations, as the corners of a line.
  let corners: [Point]
  let marks: [Mark]
  let eventTicks: [Tick]
  let countTicks: [Tick]
  /// What the drawing shows, in words.
  let summary: String

  /// Lays out `process`.
  ///
  /// - Parameters:
  ///   - process: the activity.
  ///   - findings: the report's, the worst first.
  init(_ process: Activity.Process, findings: [Finding]) {
    let steps = process.curve.steps
    let peak = process.curve.peak
    let top = Self.roundedUp(peak)
    func x(_ index: Int) -> Double { Self.width * Double(index) / Double(max(1, steps.count)) }
    func y(_ count: Int) -> Double { Self.height * (1 - Double(count) / Double(top)) }
    var corners: [Point] = []
    for (index, step) in steps.enumerated() {
      corners.append(Point(x: x(index), y: y(step.peak)))
      corners.append(Point(x: x(index + 1), y: y(step.peak)))
    }
    self.corners = corners
    countTicks = Set([0, top / 2, top]).sorted().filter { $0 * 2 % max(1, top) == 0 }
      .map { Tick(position: y($0), text: Wording.grouped($0)) }
    let start = steps.first?.time
    eventTicks = Self.tickIndices(steps.count).map { index in
      let event = index == 0 ? process.firstEvent : steps[index - 1].lastEvent
      let time = index == 0 ? start : steps[index - 1].time
      let elapsed = time.flatMap { time in start.map { time >= $0 ? time - $0 : 0 } }
      let text =
        "event \(Wording.grouped(event))" + (elapsed.map { " · \(Self.spelled($0))" } ?? "")
      return Tick(position: x(index), text: text)
    }
    marks = Self.marks(process, findings)
    let end = steps.last?.live ?? 0
    summary =
      "At most \(Wording.count(peak, "observation")) \(peak == 1 ? "was" : "were") live at a time, "
      + "and \(Wording.grouped(end)) at the end."
  }

  /// The next of 1, 2, 4, 10, 20, 40, 100, …: half of it is a whole number, but for 1.
  static func roundedUp(_ count: Int) -> Int {
    var unit = 1
    while true {
      for factor in [1, 2, 4] where unit * factor >= count { return unit * factor }
      guard unit <= Int.max / 40 else { return count }
      unit *= 10
    }
  }

  /// A span of time in the largest unit that leaves a number before the point.
  static func spelled(_ nanoseconds: UInt64) -> String {
    let units: [(UInt64, String)] = [
      (3_600_000_000_000, "h"), (60_000_000_000, "min"), (1_000_000_000, "s"), (1_000_000, "ms"),
      (1_000, "µs"),
    ]
    for (size, name) in units where nanoseconds >= size {
      let tenths = nanoseconds / (size / 10)
      let isRound = tenths % 10 == 0 || tenths >= 1_000
      return "\(tenths / 10)" + (isRound ? "" : ".\(tenths % 10)") + " \(name)"
    }
    return "\(nanoseconds) ns"
  }

  private static func tickIndices(_ stepCount: Int) -> [Int] {
    guard stepCount > 0 else { return [] }
    if stepCount < 3 { return [0, stepCount] }
    return [0, stepCount / 2, stepCount]
  }

  private static func marks(
    _ process: Activity.Process,
    _ findings: [Finding]
  ) -> [Mark] {
    guard let last = process.curve.steps.last?.lastEvent else { return [] }
    let stepCount = process.curve.steps.count
    let columnCount = min(columnCount, stepCount)
    var columns: [Int: Mark] = [:]
    for finding in findings where finding.input == process.input && finding.crashFacts == nil {
      for event in finding.events where event >= process.firstEvent && event <= last {
        let step = process.curve.index(of: event)
        let column = step * columnCount / stepCount
        if columns[column] != nil {
          columns[column]?.count += 1
          continue
        }
        // Findings come the worst first, so that the first one here is the worst here.
        columns[column] = Mark(
          x: width * (Double(column) + 0.5) / Double(columnCount),
          severity: finding.severity,
          signature: finding.signature,
          label: "event \(Wording.grouped(event)): \(finding.code.rawValue) \(finding.code.slug)",
          count: 1
        )
      }
    }
    return columns.sorted { $0.key < $1.key }.map(\.value)
  }
}
