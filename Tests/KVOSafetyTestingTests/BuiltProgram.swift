import Foundation

/// A program of this package, run to its end.
struct BuiltProgram {
  /// What it wrote to standard output.
  let output: String
  /// What it wrote to standard error.
  let complaint: String
  let status: Int32

  /// Runs the program that was built beside this test bundle.
  init(_ name: String, _ arguments: [String] = []) throws {
    let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let folder = URL(filePath: bundle).deletingLastPathComponent()
    let process = Process()
    process.executableURL = folder.appending(path: name)
    process.arguments = arguments
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
