import Foundation
import TestSupport

/// The programs that were built beside this test bundle.
enum Built {
  /// The package's own folder.
  static var package: URL { ProgramRun.package }

  static func program(_ name: String) throws -> URL { try ProgramRun.built(name) }

  /// Runs a program to its end, in `folder`.
  static func run(
    _ name: String,
    _ arguments: [String] = [],
    in folder: URL,
    environment: [String: String] = [:]
  ) throws -> ProgramRun {
    try ProgramRun(built: name, arguments, in: folder, environment: changes(environment))
  }

  /// A program that is not started yet.
  static func process(
    _ name: String,
    _ arguments: [String],
    in folder: URL,
    environment: [String: String]
  ) throws -> Process {
    let process = Process()
    process.executableURL = try program(name)
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.environment = ProgramRun.environment(changes(environment))
    return process
  }

  private static func changes(_ environment: [String: String]) -> [String: String?] {
    let all: [String: String?] = ["KVO_SAFETY_LOG": nil]
    return all.merging(environment) { $1 }
  }
}
