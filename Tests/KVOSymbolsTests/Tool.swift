import Foundation
import TestSupport
import Testing

/// A program that a test needs and that not every machine has.
struct Tool {
  let path: String

  /// The program of that name in the toolchain, beside `swift`, or else in `PATH`.
  init?(_ name: String) {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let toolchains = folders.map { "\($0)/swift" }
      .filter { FileManager.default.isExecutableFile(atPath: $0) }
      .map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().deletingLastPathComponent().path }
    let candidates = (toolchains + folders.map(String.init)).map { "\($0)/\(name)" }
    guard
      let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) })
    else { return nil }
    path = found
  }

  static func exists(_ name: String) -> Bool { Tool(name) != nil }

  /// Runs the program to its end and gives what it printed; a status other than 0 fails the test.
  @discardableResult
  func run(_ arguments: [String], input: Data = Data()) throws -> String {
    let run = try ProgramRun(URL(filePath: path), arguments, input: input)
    try #require(run.status == 0, "\(path) \(arguments): \(run.complaint)")
    return run.output
  }
}
