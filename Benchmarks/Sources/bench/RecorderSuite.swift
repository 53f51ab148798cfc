import BenchmarkHarness
import Foundation

/// What recording costs, beside the least it can cost and what others do.
struct RecorderSuite {
  let suite: Suite

  init(_ workshop: inout Workshop) throws {
    suite = Suite(
      title: "Recording",
      name: "recorder",
      rounds: 9,
      tables: [Self.events, Self.stacks],
      figures: [
        try Self.bytesPerEvent(&workshop),
        .ratio(
          title: "an event: debug build to release build",
          of: "event-debug",
          to: "event-release"
        ),
        .ratio(
          title: "an event with a repeated stack: debug build to release build",
          of: "repeated-stack-debug",
          to: "repeated-stack-release"
        ),
      ],
      explanations: Explanations.recorder
    )
  }

  private static let bound = Row(
    "bound",
    "clock_gettime, memcpy of 32 bytes into a mapped file",
    .bound,
    .driver(.c("Bounds/clock_memcpy")),
    counting: .perOperation(100_000)
  )

  private static func ours(
    _ id: String,
    _ title: String,
    target: Row.Target? = nil,
    build: Program.Build = .release
  ) -> Row {
    Row(
      "\(id)-\(build.rawValue)",
      title,
      target == nil ? .information : .ours,
      .driver(
        .product("RecorderDriver", build),
        leading: [id],
        operations: .calibrated(limit: 1 << 22)
      ),
      target: target,
      counting: build == .release ? .perOperation(10_000) : .none
    )
  }

  private static let events = Table(
    "An event without a stack",
    unit: "event",
    remarks: [
      """
      The event is a delivery (`notify`) with its order; ids are at hand. LTTng-UST runs as a flight
      recorder (snapshot mode), so its consumer has nothing to do.
      """
    ],
    bound: "bound",
    rows: [
      bound,
      Row(
        "rdtsc",
        "the same with rdtsc for a clock",
        .information,
        .driver(.c("Bounds/rdtsc_memcpy")),
        counting: .perOperation(100_000)
      ),
      ours("event", "recorder", target: .atMost(1.1, of: "bound")),
      ours("threads", "recorder, two threads at a time"),
      ours("event", "recorder, debug build", build: .debug),
      ours("idle", "recorder, recording off"),
      Row(
        "lttng",
        "LTTng-UST tracepoint",
        .peer,
        .driver(.c("Peers/lttng_ust", flags: ["-llttng-ust", "-ldl"])),
        requirements: [
          .header("lttng/tracepoint.h", package: "liblttng-ust-dev"),
          .tool("lttng-sessiond", package: "lttng-tools"),
        ]
      ),
      Row(
        "sqlite",
        "SQLite, WAL, 10,000 rows a transaction",
        .peer,
        .driver(.c("Peers/sqlite_wal", flags: ["-lsqlite3"])),
        requirements: [.header("sqlite3.h", package: "libsqlite3-dev")],
        counting: .perOperation(20_000)
      ),
      Row(
        "fprintf-flushed",
        "fprintf of a JSON line, flushed",
        .peer,
        .driver(.c("Peers/fprintf_json"), trailing: ["flushed"]),
        counting: .perOperation(10_000)
      ),
      Row(
        "fprintf-buffered",
        "fprintf of a JSON line, buffered",
        .peer,
        .driver(.c("Peers/fprintf_json"), trailing: ["buffered"]),
        counting: .perOperation(10_000)
      ),
    ]
  )

  private static let stacks = Table(
    "An event with a stack of 16 frames",
    unit: "event",
    remarks: [
      """
      The lower bound is the one above, which has no stack. `new stack` goes another way down its
      calls each time; what the calls themselves take stands below it.
      """
    ],
    bound: "bound",
    rows: [
      ours("repeated-stack", "recorder, the same stack each time", target: .atMost(8, of: "bound")),
      ours("new-stack", "recorder, a new stack each time"),
      ours("descent", "the calls of the new stacks, nothing recorded"),
      ours("repeated-stack", "recorder, the same stack, debug build", build: .debug),
    ]
  )

  /// What an event of the demo's mix adds to a log: between a run and one twice as long, so that the
  /// images and names that a log begins with fall out.
  private static func bytesPerEvent(_ workshop: inout Workshop) throws -> Suite.Figure {
    func measure(_ repetitions: Int) throws -> (bytes: Int, events: Int) {
      let log = workshop.path("demo-\(repetitions).log")
      _ = try workshop.run(
        .product("DemoDriver"),
        ["demo", String(repetitions), workshop.scratch.path, log]
      )
      let report = try workshop.run(
        .product("kvo-audit", .standalone),
        ["--format", "json", "--fail-on", "never", log]
      )
      let json = try JSONSerialization.jsonObject(with: Data(report.utf8)) as? [String: Any]
      guard let summary = json?["summary"] as? [String: Any], let events = summary["events"] as? Int
      else { throw BenchmarkFailure("kvo-audit's report has no number of events") }
      return (try workshop.byteCount(log), events)
    }
    let once = try measure(500)
    let twice = try measure(1_000)
    let bytes = Double(twice.bytes - once.bytes) / Double(twice.events - once.events)
    return .value(
      title: "bytes of the log per event, in the mix of `Examples/Demo`",
      "\(Figures.number(bytes)) (of \(Figures.number(Double(twice.events - once.events))) events)"
    )
  }
}
