import BenchmarkHarness
import Foundation

/// What it costs to read a log, to judge it and to name its addresses; and to start `kvo-audit`.
struct ReplaySuite {
  let suite: Suite

  init(_ workshop: inout Workshop) throws {
    suite = Suite(
      title: "Replaying",
      name: "replay",
      rounds: 5,
      tables: [
        try Self.rules(&workshop),
        try Self.json(&workshop),
        try Self.symbols(&workshop),
        Self.start,
      ],
      explanations: Explanations.replay
    )
  }

  // MARK: - Rules

  private static let wordsPerEvent = 6

  private static func rules(_ workshop: inout Workshop) throws -> Table {
    let eventCount = 1 << 20
    let words = workshop.path("words.bin")
    try Data(count: eventCount * wordsPerEvent * 8).write(to: URL(filePath: words))
    func row(_ id: String, live: Int, target: Double, operations: OperationCount) -> Row {
      Row(
        id,
        "all rules, \(live.formatted(.number)) live registrations",
        .ours,
        .driver(
          .product("ReplayDriver"),
          leading: ["rules"],
          trailing: [String(live)],
          operations: operations
        ),
        target: .atMost(target, of: "words"),
        counting: live < 1 << 20 ? .perOperation(20_000) : .none
      )
    }
    return Table(
      "Judging events",
      unit: "event",
      remarks: [
        """
        From memory: the sequencer and all rules, no reading. Every registration is of an object of
        its own, the next one is random; seven of eight times it changes and its observer is told,
        the eighth time it is removed and made again. Each is four events. The lower bound adds up
        48 bytes an event.
        """
      ],
      bound: "words",
      rows: [
        Row(
          "words",
          "sum of the words of as many events",
          .bound,
          .driver(
            .c("Bounds/sum_file"),
            trailing: ["words", words, String(eventCount)],
            operations: .fixed(eventCount * 4)
          )
        ),
        row("rules-64k", live: 1 << 16, target: 10, operations: .fixed(1 << 18)),
        row("rules-4m", live: 1 << 22, target: 25, operations: .fixed(1 << 18)),
      ]
    )
  }

  // MARK: - JSON Lines

  private static func json(_ workshop: inout Workshop) throws -> Table {
    let log = workshop.path("events.jsonl")
    let written = try workshop.run(
      .product("ReplayDriver"),
      ["write-json", "100000", workshop.scratch.path, "4096", log]
    )
    guard let line = written.split(separator: "\n").first(where: { $0.hasPrefix("events=") }),
      let count = Int(line.dropFirst("events=".count))
    else { throw BenchmarkFailure("ReplayDriver did not say how many events it wrote") }
    let bytes = try workshop.byteCount(log)
    // Past the registrations that the log begins with.
    let counting = Row.Counting.perOperation(20_000)
    func driver(_ name: String) -> Workload {
      .driver(
        .product("ReplayDriver"),
        leading: [name],
        trailing: [log],
        operations: .calibrated(limit: count)
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
            operations: .fixed(count * 40)
          )
        ),
        Row("read-json", "reader", .ours, driver("read-json"), counting: counting),
        Row(
          "audit-json",
          "whole pipeline, file to report",
          .ours,
          driver("audit"),
          target: .atMost(15, of: "bytes"),
          counting: counting
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
          driver("foundation"),
          counting: counting
        ),
      ]
    )
  }

  // MARK: - Symbols

  private static let addressCount = 20_000
  /// How often the addresses are asked for where reading the image is not to weigh.
  private static let repetitions = 10

  private static func symbols(_ workshop: inout Workshop) throws -> Table {
    let program = Program.product("kvo-audit", .release)
    try workshop.programs.build(program) { Bench.say($0) }
    let image = try workshop.programs.path(of: program)
    let symbols = try workshop.run(.tool("nm"), ["--defined-only", "--print-size", image])
    let addresses = try AddressList(nm: symbols, count: addressCount).text
    let once = workshop.path("addresses.txt")
    let often = workshop.path("addresses-often.txt")
    try addresses.write(toFile: once, atomically: true, encoding: .utf8)
    try String(repeating: addresses, count: repetitions)
      .write(toFile: often, atomically: true, encoding: .utf8)
    let bytes = Double(try workshop.byteCount(image)) / 1e6
    func ours(_ id: String, _ title: String, list: String, count: Int, peer: String) -> Row {
      Row(
        id,
        title,
        .ours,
        .command(.product("SymbolsDriver"), arguments: [image, list], operations: count),
        target: .faster(20, than: peer),
        counting: .wholeRun
      )
    }
    func peer(_ id: String, _ title: String, list: String, count: Int) -> Row {
      Row(
        id,
        title,
        .peer,
        .command(
          .tool("llvm-symbolizer"),
          arguments: ["--obj=\(image)", "--functions=linkage", "--no-demangle", "--inlines"],
          input: list,
          operations: count
        ),
        requirements: [.tool("llvm-symbolizer", package: "llvm")],
        counting: .wholeRun
      )
    }
    let many = addressCount * repetitions
    return Table(
      "Naming \(addressCount.formatted(.number)) addresses",
      unit: "address",
      remarks: [
        """
        Addresses spread over the functions of `kvo-audit` (\(Figures.number(bytes)) MB, release, with
        debug information): function, file and line of every inlined call. All programs are measured
        from start to end; with every address asked for \(repetitions) times, reading the debug
        information hardly weighs. Ours demangles the names, llvm-symbolizer is told not to.
        """
      ],
      rows: [
        ours("symbols", "resolver", list: once, count: addressCount, peer: "llvm"),
        peer("llvm", "llvm-symbolizer", list: once, count: addressCount),
        ours(
          "symbols-often",
          "resolver, each \(repetitions) times",
          list: often,
          count: many,
          peer: "llvm-often"
        ),
        peer("llvm-often", "llvm-symbolizer, each \(repetitions) times", list: often, count: many),
      ]
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
