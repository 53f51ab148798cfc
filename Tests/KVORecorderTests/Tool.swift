import Foundation
import Testing

/// Programs that some tests need and that not every machine has.
enum Tool {
  static let hasReadelf = FileManager.default.isExecutableFile(atPath: "/usr/bin/readelf")
  static let hasCompiler = FileManager.default.isExecutableFile(atPath: "/usr/bin/gcc")
  static let hasFlock = FileManager.default.isExecutableFile(atPath: "/usr/bin/flock")

  /// Whether the tests, and so the programs that they start, are built with a sanitizer.
  static let isSanitized = hasThreadSanitizer || dlsym(nil, "__asan_init") != nil
  static let hasThreadSanitizer = dlsym(nil, "__tsan_init") != nil

  /// Runs a program to its end and gives what it printed; a status other than 0 fails the test.
  @discardableResult
  static func run(_ path: String, _ arguments: [String]) throws -> String {
    let outcome = try Child(path, arguments).end()
    try #require(
      outcome.ending == .exit && outcome.status == 0,
      "\(path) \(arguments): \(outcome.complaint)"
    )
    return outcome.output
  }
}
