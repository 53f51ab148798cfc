import BenchmarkHarness
import Foundation

/// The cost of searching console text, and of grouping crash reports.
struct ImportSuite {
  let suite: Suite

  /// A console in which nothing matches.
  private static let consoleByteCount = 512 << 20
  private static let reportCount = 10_000

  init(_ workshop: inout Workshop) throws {
    suite = Suite(
      title: "Crash reports and console text",
      name: "import",
      rounds: 5,
      tables: [try Self.console(&workshop), try Self.reports(&workshop)],
      figures: [try Self.memory(&workshop)],
      explanations: Explanations.importing
    )
  }

  private static func console(_ workshop: inout Workshop) throws -> Table {
    let console = workshop.path("console.txt")
    try TextMaker.console(console, byteCount: consoleByteCount)
    let bytes = try workshop.byteCount(console)
    let megabytes = bytes / 1_000_000
    return Table(
      "Console text without a fault",
      unit: "megabyte",
      remarks: [
        """
        \(megabytes.formatted(.number)) MB of console lines, programs measured from start to end. 500 MB/s \
        are 2 ms a megabyte. The sum of the bytes has them in memory before its clock starts; grep counts \
        one fixed string.
        """
      ],
      bound: "bytes",
      rows: [
        Row(
          "bytes",
          "sum of the bytes",
          .bound,
          .driver(
            .c("Bounds/sum_file"),
            trailing: ["bytes", console, String(megabytes)],
            operations: .fixed(megabytes)
          )
        ),
        Row(
          "console",
          "`kvo-audit console.txt`",
          .ours,
          .command(
            .product("kvo-audit"),
            arguments: [console],
            operations: megabytes
          ),
          target: .atMost(2, of: "grep")
        ),
        Row(
          "grep",
          "`grep -c 'not registered as an observer'`",
          .peer,
          // A search without a match is not a failure here.
          .command(
            .tool("sh"),
            arguments: ["-c", "grep -c 'not registered as an observer' \"$0\" || true", console],
            operations: megabytes
          ),
          requirements: [.tool("grep", package: "grep")]
        ),
      ]
    )
  }

  private static let grouping =
    "cd \"$0\" && exec \"$1\" --fail-on never --format json *.ips > /dev/null"

  /// The peak memory usage of grouping.
  private static func memory(_ workshop: inout Workshop) throws -> Suite.Figure {
    let folder = workshop.scratch.appending(path: "crashes").path
    let program = try workshop.programs.path(of: .product("kvo-audit"))
    let run = try ChildProcess.run("/bin/sh", ["-c", grouping, folder, program])
    guard run.status == 0 else { throw BenchmarkFailure("grouping failed:\n\(run.output)") }
    return .value(
      title:
        "most memory while \(reportCount.formatted(.number)) reports are grouped (at most 300 MB)",
      "\(run.peakByteCount / 1_000_000) MB"
    )
  }

  private static func reports(_ workshop: inout Workshop) throws -> Table {
    let folder = workshop.scratch.appending(path: "crashes")
    let paths = try TextMaker.reports(folder, count: reportCount, groups: 25)
    let bytes = try paths.prefix(1).reduce(0) { try $0 + workshop.byteCount($1) }
    let program = Program.product("kvo-audit")
    try workshop.programs.build(program) { Bench.say($0) }
    return Table(
      "Grouping \(reportCount.formatted(.number)) crash reports",
      unit: "report",
      remarks: [
        """
        Reports of \((bytes / 1_000).formatted(.number)) kB each, in 25 groups; 20 s for all are 2 ms a \
        report.
        """
      ],
      rows: [
        Row(
          "group",
          "`kvo-audit --format json crashes/*.ips`",
          .ours,
          .command(
            .tool("sh"),
            arguments: ["-c", grouping, folder.path, try workshop.programs.path(of: program)],
            operations: reportCount
          ),
          roundLimit: 3
        )
      ]
    )
  }
}
