import BenchmarkHarness
import Foundation

/// The cost of reading, judging and symbolicating a log, and of starting `kvo-audit`.
struct ReplaySuite {
  let suite: Suite

  init(_ workshop: inout Workshop) throws {
    suite = Suite(
      title: "Replaying",
      name: "replay",
      rounds: 5,
      tables: try [ReplayTables.rules(&workshop), OrderTable.table]
        + ReplayTables.binary(&workshop)
        + [
          ReplayTables.large(&workshop), ReplayTables.json(&workshop),
          SymbolTables.table(&workshop), Self.start,
        ],
      figures: ReplayTables.figures,
      explanations: Explanations.replay
    )
  }

  // MARK: - Starting

  private static let start = Table(
    "Starting",
    unit: "start",
    bound: "hello",
    rows: [
      Row("hello", "C hello", .bound, .command(.c("Bounds/hello")), counting: .wholeRun),
      Row(
        "version",
        "`kvo-audit --version`, Swift linked statically",
        .ours,
        .command(.product("kvo-audit", .standalone), arguments: ["--version"]),
        target: .atMost(3, of: "hello"),
        counting: .wholeRun
      ),
      Row(
        "version-dynamic",
        "`kvo-audit --version`, Swift linked dynamically",
        .information,
        .command(.product("kvo-audit"), arguments: ["--version"]),
        counting: .wholeRun
      ),
    ]
  )
}
