import BenchmarkHarness

/// What stands on the command line: `bench [--rounds <number>] [<suite> …]`.
struct Arguments {
  /// The suites that are named, in that order; none: all.
  private(set) var suites: [String] = []
  /// How often each row is run; nil: as often as the suite says.
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

  /// What to type for the same.
  func command(suite: String) -> String {
    "make bench SUITES=\(suite)" + (rounds.map { " ROUNDS=\($0)" } ?? "")
  }
}
