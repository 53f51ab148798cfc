package import Foundation

/// A program that was run to its end, and what came of it.
package struct ProgramRun: Equatable, CustomStringConvertible, Sendable {
  /// What it wrote to standard output.
  package var output: String
  /// What it wrote to standard error.
  package var complaint: String
  /// The exit status, or 128 and the signal that ended it, as a shell says it.
  package var status: Int32

  package var description: String { "status \(status)\n\(output)\(complaint)" }

  package init(output: String = "", complaint: String = "", status: Int32 = 0) {
    self.output = output
    self.complaint = complaint
    self.status = status
  }

  /// Runs a program, and waits for its end and that of its output.
  ///
  /// - Parameters:
  ///   - program: the executable.
  ///   - arguments: what follows its name.
  ///   - folder: the working directory; nil: that of the tests.
  ///   - environment: what differs from the environment of the tests; nil takes a variable out.
  ///   - input: its standard input.
  /// - Throws: if it cannot be started.
  package init(
    _ program: URL,
    _ arguments: [String] = [],
    in folder: URL? = nil,
    environment: [String: String?] = [:],
    input: Data = Data()
  ) throws {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    if let folder { process.currentDirectoryURL = folder }
    process.environment = Self.environment(environment)
    let streams = (input: Pipe(), output: Pipe(), error: Pipe())
    process.standardInput = streams.input
    process.standardOutput = streams.output
    process.standardError = streams.error
    try process.run()
    // All pipes at once: a full one would stop the program.
    let output = Drain(streams.output.fileHandleForReading)
    let complaint = Drain(streams.error.fileHandleForReading)
    try streams.input.fileHandleForWriting.write(contentsOf: input)
    try streams.input.fileHandleForWriting.close()
    self.output = output.text
    self.complaint = complaint.text
    process.waitUntilExit()
    let isSignal = process.terminationReason == .uncaughtSignal
    status = isSignal ? 128 + process.terminationStatus : process.terminationStatus
  }

  /// Runs a program that was built beside this test bundle.
  package init(
    built name: String,
    _ arguments: [String] = [],
    in folder: URL? = nil,
    environment: [String: String?] = [:]
  ) throws {
    try self.init(Self.built(name), arguments, in: folder, environment: environment)
  }

  /// Runs the command that `/usr/bin/env` finds.
  package init(command: [String], in folder: URL? = nil, input: Data = Data()) throws {
    try self.init(URL(filePath: "/usr/bin/env"), command, in: folder, input: input)
  }

  /// Runs a script of bash.
  package init(
    shell script: String,
    in folder: URL? = nil,
    environment: [String: String?] = [:]
  ) throws {
    try self.init(URL(filePath: "/bin/bash"), ["-c", script], in: folder, environment: environment)
  }

  /// The environment of the tests with some variables changed; nil takes one out.
  ///
  /// Programs keep indices of what they read beside the tests, not in the user's cache folder.
  package static func environment(_ changes: [String: String?]) -> [String: String] {
    var all = ProcessInfo.processInfo.environment
    // Where the tests themselves run says nothing about what they test.
    all["GITHUB_ACTIONS"] = nil
    all["GITHUB_STEP_SUMMARY"] = nil
    all["KVO_SAFETY_INDEX"] = nil
    all["XDG_CACHE_HOME"] = caches
    for (name, value) in changes { all[name] = value }
    return all
  }

  /// Where the programs that tests run keep what they may compute again.
  ///
  /// `Scripts/test-targets` puts the index of the C library there: reading its debug information takes longer than
  /// the rest of an audit.
  private static let caches = try? built("caches").path

  /// The package's own folder.
  package static let package = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// This test bundle, which is a program.
  package static var bundle: URL {
    get throws {
      URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    }
  }

  /// The program that was built beside this test bundle.
  package static func built(_ name: String) throws -> URL {
    try bundle.deletingLastPathComponent().appending(path: name)
  }
}

/// Reads a pipe to its end on a thread of its own.
private final class Drain: @unchecked Sendable {
  // Sendable: `data` is written by the thread before it signals, and read after the wait for that.
  private var data = Data()
  private let done = DispatchSemaphore(value: 0)

  init(_ handle: FileHandle) {
    Thread.detachNewThread { [self] in
      data = (try? handle.readToEnd()) ?? Data()
      done.signal()
    }
  }

  /// What was read.
  ///
  /// Waits for the end of the pipe; may be called once.
  var text: String {
    done.wait()
    return String(decoding: data, as: UTF8.self)
  }
}
