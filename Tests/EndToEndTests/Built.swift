import Foundation

/// What a program of this package did.
struct Run {
  let output: String
  let complaint: String
  let status: Int32
}

/// The programs that were built beside this test bundle.
enum Built {
  /// The package's own folder.
  static let package = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func program(_ name: String) throws -> URL {
    let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(filePath: bundle).deletingLastPathComponent().appending(path: name)
  }

  /// Runs a program to its end, in `folder`.
  static func run(
    _ name: String,
    _ arguments: [String] = [],
    in folder: URL,
    environment: [String: String] = [:]
  ) throws -> Run {
    let output = folder.appending(path: "output-\(UUID().uuidString)")
    let complaint = folder.appending(path: "complaint-\(UUID().uuidString)")
    let process = try process(name, arguments, in: folder, environment: environment)
    // Files, not pipes: nobody has to empty them for the program to go on.
    process.standardOutput = try handle(output)
    process.standardError = try handle(complaint)
    try process.run()
    process.waitUntilExit()
    return Run(
      output: try String(contentsOf: output, encoding: .utf8),
      complaint: try String(contentsOf: complaint, encoding: .utf8),
      status: process.terminationStatus
    )
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
    var all = ProcessInfo.processInfo.environment
    all["KVO_SAFETY_LOG"] = nil
    process.environment = all.merging(environment) { _, new in new }
    return process
  }

  private static func handle(_ file: URL) throws -> FileHandle {
    try Data().write(to: file)
    return try FileHandle(forWritingTo: file)
  }
}
