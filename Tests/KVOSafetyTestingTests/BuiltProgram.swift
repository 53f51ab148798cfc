import Foundation

/// A program of this package, run to its end.
struct BuiltProgram {
  /// What it wrote to standard output.
  let output: String
  let status: Int32

  /// Runs the program that was built beside this test bundle.
  ///
  /// Standard error goes nowhere.
  init(_ name: String, _ arguments: [String] = []) throws {
    let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let folder = URL(filePath: bundle).deletingLastPathComponent()
    let process = Process()
    process.executableURL = folder.appending(path: name)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = try output.fileHandleForReading.readToEnd()
    process.waitUntilExit()
    self.output = String(decoding: data ?? Data(), as: UTF8.self)
    status = process.terminationStatus
  }
}
