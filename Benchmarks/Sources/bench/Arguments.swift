import BenchmarkHarness

/// The command line: `bench [--rounds <number>] [<suite> …]`.
struct Arguments {
  /// The named suites, in that order; empty: all.
  private(set) var suites: [String] = []
  /// The number of runs of each row; nil: the suite's default.
  private(set) var rounds: Int?

  init(_ arguments: some Sequence<String>, known: some Collection<String>) throws {
    var rest = arguments.makeIterator()
    while let argument = rest.next() {
      if argument == "--rounds" {
        guard let text = rest.next(), let number = Int(text), number > 0 else {
          throw BenchmarkFailure("--rounds takes a number above 0")
        }
        rounds = number
      } else if known.contains(argument) {
        suites.append(argument)
      } else {
        let names = known.sorted().joined(separator: ", ")
        throw BenchmarkFailure("unknown suite \"\(argument)\"; there are \(names)")
      }
    }
  }

  /// The command line with the same meaning.
  func command(suite: String) -> String {
    "make bench SUITES=\(suite)" + (rounds.map { " ROUNDS=\($0)" } ?? "")
  }
}
