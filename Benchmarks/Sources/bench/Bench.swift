import BenchmarkHarness
import Foundation

/// `bench [--rounds <number>] [import] [objc] [observation] [recorder] [replay] [retention]`: measures, and
/// writes the reports.
///
/// Run in the folder of the root package; `make bench` does.
@main
enum Bench {
  static func main() {
    do {
      let arguments = try Arguments(CommandLine.arguments.dropFirst(), known: suites.keys)
      let names = arguments.suites.isEmpty ? suites.keys.sorted() : arguments.suites
      for name in names { try measure(name, arguments) }
    } catch {
      say("\(error)")
      exit(1)
    }
  }

  private static let suites: [String: @Sendable (inout Workshop) throws -> Suite] = [
    "import": { try ImportSuite(&$0).suite },
    "objc": { try ObjectiveCSuite(&$0).suite },
    "observation": { try ObservationSuite(&$0).suite },
    "recorder": { try RecorderSuite(&$0).suite },
    "replay": { try ReplaySuite(&$0).suite },
    "retention": { _ in RetentionSuite().suite },
  ]

  private static func measure(_ name: String, _ arguments: Arguments) throws {
    guard let makeSuite = suites[name] else { return }
    let root = URL(filePath: FileManager.default.currentDirectoryPath)
    var workshop = try Workshop(root: root)
    defer { workshop.clean() }
    var suite = try makeSuite(&workshop)
    suite.rounds = arguments.rounds ?? suite.rounds
    try workshop.programs.build(for: suite, progress: say)
    // After the build, so that the load is that of other programs.
    let description = RunDescription(
      root: root,
      command: arguments.command(suite: name),
      rounds: suite.rounds
    )
    let session = suite.usesLTTng ? try LTTngSession.start(scratch: workshop.scratch) : nil
    let runner = Runner(
      programs: workshop.programs,
      scratch: workshop.scratch,
      progress: say
    )
    let outcome = Result { try runner.measure(suite) }
    session?.stop()
    let report = ReportRenderer(suite: suite, measurements: try outcome.get(), run: description)
    let folder = root.appending(path: "Reports/benchmarks")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "\(suite.name).md")
    try report.render().write(to: file, atomically: true, encoding: .utf8)
    say("wrote Reports/benchmarks/\(suite.name).md")
  }

  /// Reports each step on standard error.
  @Sendable
  static func say(_ line: String) {
    FileHandle.standardError.write(Data("bench: \(line)\n".utf8))
  }
}

extension Suite {
  /// Whether one of its rows needs an LTTng session.
  fileprivate var usesLTTng: Bool {
    rows.flatMap(\.requirements).contains { $0.package == "lttng-tools" }
  }
}
