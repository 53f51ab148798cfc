import BenchmarkHarness
import Foundation

/// The cost of the preloaded library for an Objective-C program, beside the same program without
/// it.
struct ObjectiveCSuite {
  let suite: Suite

  /// Builds the library.
  ///
  /// - Throws: ``BenchmarkFailure`` if it does not build.
  init(_ workshop: inout Workshop) throws {
    let script = FileManager.default.currentDirectoryPath + "/Scripts/preload"
    let result = try ChildProcess.run(script, [workshop.scratch.path])
    guard result.status == 0 else {
      throw BenchmarkFailure(
        "Scripts/preload ended with status \(result.status):\n\(result.output)"
      )
    }
    let library = workshop.path("libKVOSafetyPreload.so")
    suite = Suite(
      title: "Objective-C programs",
      name: "objc",
      rounds: 9,
      tables: [Self.pairs(library), Self.sets(library), Self.deaths(library)],
      explanations: Explanations.objectiveC
    )
  }

  private static let requirements: [Requirement] = [
    .header("GNUstep/Foundation/Foundation.h", package: "libgnustep-base-dev"),
    .compilerPart("cc1obj", package: "gobjc"),
  ]

  private static func row(
    _ id: String,
    _ title: String,
    _ kind: Row.Kind,
    _ library: String,
    _ what: String,
    live: Int = 0,
    target: Row.Target? = nil
  ) -> Row {
    Row(
      id,
      title,
      kind,
      .driver(
        .objectiveC("Ours/ObjectiveC/observing"),
        leading: [library, what],
        trailing: live > 0 ? ["\(live)"] : [],
        operations: .calibrated(limit: 1 << 22)
      ),
      requirements: requirements,
      target: target
    )
  }

  /// GNUstep's cost of the equivalent of a token, for the tables of tokens.
  static func plain(_ id: String, _ title: String, _ what: String) -> Row {
    row(id, title, .peer, "raw", what)
  }

  private static func pairs(_ library: String) -> Table {
    Table(
      "An observation is added and removed",
      unit: "pair",
      remarks: [
        """
        GNUstep changes the class of the object at each addition, and back at each removal. Recorded are \
        four events with two stacks by libunwind.
        """
      ],
      bound: "pairs",
      rows: [
        row("pairs", "GNUstep", .bound, "raw", "pairs"),
        row(
          "pairs-recorded",
          "recorded",
          .ours,
          library,
          "pairs",
          target: .atMost(1.35, of: "pairs")
        ),
        row("pairs-many", "GNUstep, 50,000 others live", .peer, "raw", "pairs", live: 50_000),
        row(
          "pairs-many-recorded",
          "recorded, 50,000 others live",
          .ours,
          library,
          "pairs",
          live: 50_000,
          target: .atMost(1.35, of: "pairs-many")
        ),
      ]
    )
  }

  private static func sets(_ library: String) -> Table {
    Table(
      "An observed property is set",
      unit: "set",
      remarks: ["One observer, without options. Recorded are four events."],
      bound: "sets",
      rows: [
        row("sets", "GNUstep", .bound, "raw", "sets"),
        row("sets-recorded", "recorded", .ours, library, "sets", target: .atMost(1.2, of: "sets")),
      ]
    )
  }

  private static func deaths(_ library: String) -> Table {
    Table(
      "An object that nobody observes is allocated and deallocated",
      unit: "object",
      remarks: [
        "To reach: no more than 5 ns above the bound, whatever number of others are observed."
      ],
      bound: "deaths",
      rows: [
        row("deaths", "GNUstep", .bound, "raw", "deaths"),
        row("deaths-recorded", "recorded", .ours, library, "deaths"),
        row("deaths-many", "GNUstep, 50,000 others observed", .peer, "raw", "deaths", live: 50_000),
        row(
          "deaths-many-recorded",
          "recorded, 50,000 others observed",
          .ours,
          library,
          "deaths",
          live: 50_000
        ),
      ]
    )
  }
}
