import Foundation

/// A program of this package, run to its end.
struct BuiltProgram {
  /// What it wrote to standard output.
  let output: String
  /// What it wrote to standard error.
  let complaint: String
  let status: Int32

  /// This test bundle, which is a program.
  static var bundle: URL {
    get throws {
      URL(
        filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      )
    }
  }

  /// Runs the program that was built beside this test bundle.
  init(
    _ name: String,
    _ arguments: [String] = [],
    environment: [String: String] = [:]
  ) throws {
    let process = Process()
    process.executableURL = try Self.bundle.deletingLastPathComponent().appending(path: name)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    process.standardOutput = output
    // A file, not a pipe: nobody has to empty it for the program to go on.
    let errors = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data().write(to: errors)
    defer { try? FileManager.default.removeItem(at: errors) }
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    let data = try output.fileHandleForReading.readToEnd()
    process.waitUntilExit()
    self.output = String(decoding: data ?? Data(), as: UTF8.self)
    complaint = try String(contentsOf: errors, encoding: .utf8)
    status = process.terminationStatus
  }
}
