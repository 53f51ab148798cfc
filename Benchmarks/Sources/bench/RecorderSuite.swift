import BenchmarkHarness
import Foundation

/// The cost of recording, beside its lower bound and other recorders.
struct RecorderSuite {
  let suite: Suite

  init(_ workshop: inout Workshop) throws {
    suite = Suite(
      title: "Recording",
      name: "recorder",
      rounds: 9,
      tables: [Self.events, Self.stacks],
      figures: try LogSizes.figures(&workshop) + [
        .ratio(
          title: "an event, to the 32 bytes with rdtsc for a clock",
          of: "event-release",
          to: "rdtsc"
        )
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
    build: Program.Build = .release,
    isCounted: Bool = true
  ) -> Row {
    Row(
      "\(id)-\(build.rawValue)",
      title,
      target == nil ? .information : .ours,
      .driver(
        .product("RecorderDriver", build),
        leading: [id],
        // The calls of new stacks have about two million different paths.
        operations: .calibrated(limit: id == "new-stack" ? 1 << 20 : 1 << 22)
      ),
      target: target,
      counting: build == .release && isCounted ? .perOperation(10_000) : .none
    )
  }

  private static let events = Table(
    "An event without a stack",
    unit: "event",
    remarks: [
      """
      The event is a delivery (`notify`) with its order; ids are at hand. Pages of the lower bound
      and of the recorder are mapped and writable before the clock starts, but for the rows that say
      *cold*: there the recorder's own thread makes them while the events are recorded. That thread
      also puts checksums on what is full. It is in *all threads*, and in the rows that say so.
      Instructions are those of all threads. Every row of the recorder ends its log and fails the
      run where an event was lost. Where the processor's counter is steady the recorder takes its time
      from that, which is cheaper than the clock_gettime of the lower bound. LTTng-UST runs as a
      flight recorder (snapshot mode), so its consumer has nothing to do.
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
      ours("event-cold", "recorder, cold", isCounted: false),
      ours("general", "recorder, the call for any event (`registerEnd`)"),
      ours(
        "threads",
        "recorder, two threads at a time, these alone",
        target: .atMost(1.1, of: "event-release")
      ),
      ours("threads-all", "recorder, two threads at a time, with its own thread", isCounted: false),
      ours("threads-all-cold", "the same, cold", isCounted: false),
      ours(
        "event",
        "recorder, debug build",
        target: .atMost(3, of: "event-release"),
        build: .debug
      ),
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
      ours(
        "repeated-stack",
        "recorder, the same stack, debug build",
        target: .atMost(3, of: "repeated-stack-release"),
        build: .debug
      ),
    ]
  )
}
