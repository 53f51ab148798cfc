import Foundation

/// A program of this package, run to its end.
struct BuiltProgram {
  let output: String
  let complaint: String
  let status: Int32

  /// Runs the program that was built beside this test bundle.
  init(_ name: String, _ arguments: [String] = []) throws {
    let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let folder = URL(fileURLWithPath: bundle).deletingLastPathComponent()
    let process = Process()
    process.executableURL = folder.appendingPathComponent(name)
    process.arguments = arguments
    let output = Pipe()
    let complaint = Pipe()
    process.standardOutput = output
    process.standardError = complaint
    try process.run()
    // Both pipes are drained at once, or the program would wait for the one that is not.
    async let errorData = complaint.fileHandleForReading.readToEnd()
    let outputData = try output.fileHandleForReading.readToEnd()
    _ = errorData
    process.waitUntilExit()
    self.output = String(decoding: outputData ?? Data(), as: UTF8.self)
    self.complaint = ""
    status = process.terminationStatus
  }
}
