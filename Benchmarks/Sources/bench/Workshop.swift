import BenchmarkHarness
import Foundation

/// Prepares a suite's measurements: builds programs, and keeps files.
struct Workshop {
  var programs: ProgramLocator
  /// Files that exist for the whole run.
  let scratch: URL

  init(root: URL) throws {
    let folder = root.appending(path: ".build/benchmarks")
    scratch = folder.appending(path: "scratch-\(ProcessInfo.processInfo.processIdentifier)")
    Self.removeScratch(ofEndedRunsIn: folder)
    programs = ProgramLocator(root: root, binaries: folder.appending(path: "bin"))
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
  }

  /// Removes the files.
  func clean() { try? FileManager.default.removeItem(at: scratch) }

  /// Removes one file, which may be large.
  func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

  /// A run that was interrupted could not clean up.
  private static func removeScratch(ofEndedRunsIn folder: URL) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in names where name.hasPrefix("scratch-") {
      guard let process = pid_t(name.dropFirst("scratch-".count)), kill(process, 0) != 0 else {
        continue
      }
      try? FileManager.default.removeItem(at: folder.appending(path: name))
    }
  }

  func path(_ name: String) -> String { scratch.appending(path: name).path }

  /// Builds `program`, runs it and returns its output.
  mutating func run(
    _ program: Program,
    _ arguments: [String],
    environment: [String: String] = [:],
    accepting statuses: Set<Int32> = [0]
  ) throws -> String {
    try programs.build(program) { Bench.say($0) }
    let path = try programs.path(of: program)
    let result = try ChildProcess.run(path, arguments, environment: environment)
    guard statuses.contains(result.status) else {
      throw BenchmarkFailure(
        "\(program.name) ended with status \(result.status):\n\(result.output)"
      )
    }
    return result.output
  }

  func byteCount(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.size] as? Int) ?? 0
  }
}
