import BenchmarkHarness
import Foundation

/// The cost of symbolicating addresses.
enum SymbolTables {
  private static let addressCount = 20_000
  /// The number of lookups of the addresses that makes the time for reading the image negligible.
  private static let repetitions = 10

  static func table(_ workshop: inout Workshop) throws -> Table {
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
    // An index of an earlier run is for another image.
    _ = try workshop.run(.product("SymbolsDriver"), ["index", "1", workshop.path(""), image, once])
    let bytes = Double(try workshop.byteCount(image)) / 1e6
    func ours(_ mode: String, _ title: String, _ list: String, count: Int, peer: String) -> Row {
      Row(
        "symbols-\(mode)-\(count)",
        title,
        .ours,
        .command(.product("SymbolsDriver"), arguments: [mode, image, list], operations: count),
        target: .faster(20, than: peer),
        counting: count == addressCount ? .wholeRun : .none
      )
    }
    func inProcess(_ mode: String, _ title: String, _ target: Row.Target? = nil) -> Row {
      Row(
        "symbols-\(mode)-in-process",
        title,
        target == nil ? .information : .ours,
        .driver(
          .product("SymbolsDriver"),
          leading: [mode],
          trailing: [image, once],
          operations: .fixed(addressCount)
        ),
        target: target
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
        counting: count == addressCount ? .wholeRun : .none
      )
    }
    let many = addressCount * repetitions
    return Table(
      "Naming \(addressCount.formatted(.number)) addresses",
      unit: "address",
      remarks: [
        """
        Addresses spread over the functions of `kvo-audit` (\(Figures.number(bytes)) MB, release, with
        debug information): function, file and line of every inlined call. Programs are measured from
        start to end, process against process; *in process* is the resolver alone, without start, list
        and printing, and has no peer: *cold* from its making on, the last row with what it had read of
        the image before. *With an index* the image is not read; making the index is divided by as many
        addresses, and demangles on other threads. With every address asked for \(repetitions)
        times, reading the debug information weighs less. Ours demangles the names, llvm-symbolizer is
        told not to.
        """
      ],
      rows: [
        ours("each", "resolver, one by one", once, count: addressCount, peer: "llvm"),
        ours("batch", "resolver, all at once", once, count: addressCount, peer: "llvm"),
        Row(
          "symbols-indexed",
          "resolver with an index",
          .ours,
          .command(
            .product("SymbolsDriver"),
            arguments: ["indexed", image, once],
            operations: addressCount
          ),
          target: .faster(7, than: "llvm"),
          counting: .wholeRun
        ),
        inProcess("index", "making the index", .atMost(1, of: "llvm")),
        peer("llvm", "llvm-symbolizer", list: once, count: addressCount),
        ours("each", "resolver, each \(repetitions) times", often, count: many, peer: "llvm-often"),
        ours(
          "batch",
          "resolver, all at once, each \(repetitions) times",
          often,
          count: many,
          peer: "llvm-often"
        ),
        peer("llvm-often", "llvm-symbolizer, each \(repetitions) times", list: often, count: many),
        inProcess("each", "resolver in process, cold, one by one"),
        inProcess("batch", "resolver in process, cold, all at once"),
        inProcess("known", "resolver in process, new addresses of functions that have names"),
        inProcess("indexed", "resolver in process, cold, with an index"),
        inProcess(
          "indexed-known",
          "resolver in process, known addresses, with an index",
          .atMost(0.2, of: "symbols-known-in-process")
        ),
      ]
    )
  }
}
