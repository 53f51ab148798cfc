import BenchmarkHarness
import Foundation

/// The cost of reading and judging logs.
enum ReplayTables {
  /// The numbers of live registrations, and the permitted multiple of the lower bound.
  private static let few = (live: 1 << 16, target: 10.0)
  private static let many = (live: 1 << 22, target: 25.0)
  /// The number of rounds for rows with many registrations, each of which takes seconds.
  private static let longRounds = 3

  // MARK: - Rules

  private static let wordsPerEvent = 6

  static func rules(_ workshop: inout Workshop) throws -> Table {
    let eventCount = 1 << 20
    let words = workshop.path("words.bin")
    try Data(count: eventCount * wordsPerEvent * 8).write(to: URL(filePath: words))
    func row(_ id: String, _ size: (live: Int, target: Double), isLong: Bool = false) -> Row {
      Row(
        id,
        "all rules, \(size.live.formatted(.number)) live registrations",
        .ours,
        .driver(
          .product("ReplayDriver"),
          leading: ["rules"],
          trailing: [String(size.live)],
          // With fewer events, the work that is done once would dominate.
          operations: .fixed(isLong ? 1 << 22 : 1 << 18)
        ),
        target: .atMost(size.target, of: "words"),
        counting: isLong ? .none : .perOperation(20_000),
        roundLimit: isLong ? longRounds : nil
      )
    }
    return Table(
      "Judging events",
      unit: "event",
      remarks: [
        """
        From memory: their order and all rules, in the batches of an audit, no reading. Every
        registration is of an object of its own, the next one is random; seven of eight times it
        changes and its observer is notified, the eighth time it is removed and made again. Each is four
        events. The lower bound adds up 48 bytes an event. What makes the live registrations is done
        before the clock starts. The row with most registrations ran in \(longRounds) rounds at the most.
        """
      ],
      bound: "words",
      rows: [
        Row(
          "words",
          "sum of the words, 48 bytes an event",
          .bound,
          .driver(
            .c("Bounds/sum_file"),
            trailing: ["words", words, String(eventCount)],
            operations: .fixed(eventCount * 4)
          )
        ),
        row("rules-64k", few),
        row("rules-4m", many, isLong: true),
      ]
    )
  }

  // MARK: - Binary logs

  /// One table per log, each with the words of its own file as lower bound.
  static func binary(_ workshop: inout Workshop) throws -> [Table] {
    [
      binary(try Log(live: few.live, eventCount: 1 << 20, &workshop), "64k", target: few.target),
      binary(
        try Log(live: many.live, eventCount: 3 << 22, &workshop),
        "4m",
        target: many.target,
        isLong: true
      ),
    ]
  }

  private static func binary(
    _ log: Log,
    _ suffix: String,
    target: Double,
    isLong: Bool = false
  ) -> Table {
    func row(_ name: String, _ title: String, target: Row.Target? = nil) -> Row {
      Row(
        "\(name)-\(suffix)",
        title,
        target == nil ? .information : .ours,
        .driver(
          .product("ReplayDriver"),
          leading: [name],
          trailing: [log.path],
          operations: .fixed(log.eventCount)
        ),
        target: target,
        roundLimit: isLong ? longRounds : nil
      )
    }
    return Table(
      "Replaying a binary log with \(log.live.formatted(.number)) live registrations",
      unit: "event",
      remarks: [
        """
        The same events, written by the recorder: \(log.eventCount.formatted(.number)) in
        \(Figures.number(Double(log.byteCount) / 1e6)) MB. What makes the live registrations is read and
        judged with the rest. The lower bound is of this very file; the ratio to 48 bytes an event
        stands under *Further figures*.\(isLong ? " Ours ran in \(longRounds) rounds at the most." : "")
        """
      ],
      bound: "file-\(suffix)",
      rows: [
        log.words("file-\(suffix)", passCount: isLong ? 8 : 100),
        row("read-binary", "reader"),
        row(
          "audit-binary",
          "whole pipeline on a binary log, \(log.live.formatted(.number)) live registrations",
          target: .atMost(target, of: "file-\(suffix)")
        ),
      ]
    )
  }

  /// A log of a gigabyte, in the time that passes: two threads take the CPU time of both.
  static func large(_ workshop: inout Workshop) throws -> Table {
    let log = try Log(live: few.live, eventCount: 80_000_000, name: "large", &workshop)
    func row(_ workers: Int, _ title: String, target: Row.Target? = nil) -> Row {
      Row(
        "large-\(workers)",
        title,
        .ours,
        .driver(
          .product("ReplayDriver", .standalone),
          leading: ["elapsed"],
          trailing: [String(workers), log.path],
          operations: .fixed(log.eventCount)
        ),
        target: target,
        roundLimit: longRounds
      )
    }
    let figure = 5e9 / Double(log.eventCount)
    return Table(
      "Auditing a large log",
      unit: "event",
      remarks: [
        """
        The time that passes, not CPU time: \(log.eventCount.formatted(.number)) events in
        \(Figures.number(Double(log.byteCount) / 1e6)) MB, with \(few.live.formatted(.number)) live
        registrations, in \(longRounds) rounds at the most. Asked are 5 s for all of them, which are
        \(Figures.number(figure)) ns an event.
        """
      ],
      bound: "file-large",
      rows: [
        log.words("file-large", passCount: 1),
        row(1, "one thread"),
        row(2, "two threads", target: .faster(1.7, than: "large-1")),
      ]
    )
  }

  /// The binary rows with the other bound.
  static let figures: [Suite.Figure] = [
    .ratio(
      title: "whole pipeline on a binary log, 65,536 live registrations, to 48 bytes an event",
      of: "audit-binary-64k",
      to: "words"
    ),
    .ratio(
      title: "the same, 4,194,304 live registrations",
      of: "audit-binary-4m",
      to: "words"
    ),
  ]

  /// A log that the recorder wrote.
  private struct Log {
    let live: Int
    let path: String
    let eventCount: Int
    let byteCount: Int

    init(
      live: Int,
      eventCount wanted: Int,
      name: String? = nil,
      _ workshop: inout Workshop
    ) throws {
      self.live = live
      path = workshop.path("events-\(name ?? String(live)).kvolog")
      eventCount = try ReplayTables.write("write-binary", wanted, live: live, path, &workshop)
      byteCount = try workshop.byteCount(path)
    }

    /// The lower bound: the sum of its words, as often as it takes to measure that.
    func words(_ id: String, passCount: Int) -> Row {
      Row(
        id,
        "sum of the words of the file",
        .bound,
        .driver(
          .c("Bounds/sum_file"),
          trailing: ["words", path, String(eventCount)],
          operations: .fixed(eventCount * passCount)
        )
      )
    }
  }

  /// Writes a log and returns the number of its events.
  private static func write(
    _ name: String,
    _ count: Int,
    live: Int,
    _ path: String,
    _ workshop: inout Workshop
  ) throws -> Int {
    let written = try workshop.run(
      .product("ReplayDriver"),
      [name, String(count), workshop.scratch.path, String(live), path]
    )
    guard let line = written.split(separator: "\n").first(where: { $0.hasPrefix("events=") }),
      let count = Int(line.dropFirst("events=".count))
    else { throw BenchmarkFailure("ReplayDriver did not say how many events it wrote") }
    return count
  }

  // MARK: - JSON Lines

  static func json(_ workshop: inout Workshop) throws -> Table {
    let log = workshop.path("events.jsonl")
    // Larger than the processor's caches: the lower bound reads memory, as the reader does.
    let count = try write("write-json", 1_000_000, live: 4_096, log, &workshop)
    let bytes = try workshop.byteCount(log)
    // After the registrations at the beginning of the log.
    let counting = Row.Counting.perOperation(20_000)
    func driver(_ name: String) -> Workload {
      .driver(
        .product("ReplayDriver"),
        leading: [name],
        trailing: [log],
        operations: .calibrated(limit: count)
      )
    }
    func removed(_ count: String, _ title: String, _ target: Row.Target? = nil) -> Row {
      Row(
        "audit-removed-\(count)",
        title,
        target == nil ? .information : .ours,
        .driver(
          .product("ReplayDriver"),
          leading: ["audit-removed"],
          trailing: [count],
          operations: .fixed(300_000)
        ),
        target: target,
        counting: .perOperation(30_000)
      )
    }
    return Table(
      "JSON Lines",
      unit: "event",
      remarks: [
        "\(count.formatted(.number)) lines of \(Figures.number(Double(bytes) / Double(count))) bytes; "
          + "jq is measured from start to end."
      ],
      bound: "bytes",
      rows: [
        Row(
          "bytes",
          "sum of the bytes of the file",
          .bound,
          .driver(
            .c("Bounds/sum_file"),
            trailing: ["bytes", log, String(count)],
            operations: .fixed(count * 4)
          )
        ),
        Row("read-json", "reader", .ours, driver("read-json"), counting: counting),
        Row(
          "audit-json",
          "whole pipeline, file to report",
          .ours,
          driver("audit-json"),
          target: .atMost(15, of: "bytes"),
          counting: counting
        ),
        removed("once", "the same, a log of one object that is registered and removed"),
        removed(
          "twice",
          "the same, removed twice: one place fails 100,000 times",
          .atMost(2, of: "audit-removed-once")
        ),
        Row(
          "jq",
          "jq -c .event",
          .peer,
          .command(.tool("jq"), arguments: ["-c", ".event", log], operations: count),
          requirements: [.tool("jq", package: "jq")]
        ),
        Row(
          "foundation",
          "JSONSerialization, each line",
          .peer,
          driver("foundation")
        ),
      ]
    )
  }
}
