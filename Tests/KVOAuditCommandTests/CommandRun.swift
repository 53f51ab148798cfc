import Foundation

/// One run of the built `kvo-audit`, and what came of it.
struct CommandRun {
  let status: Int32
  let output: String
  let complaint: String

  /// The executable, which stands beside the test bundle.
  private static var executable: URL {
    get throws {
      let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      return URL(filePath: bundle).deletingLastPathComponent().appending(path: "kvo-audit")
    }
  }

  /// Runs `kvo-audit` with `arguments` in `folder` and waits for its end.
  init(_ arguments: [String], in folder: URL, input: String = "") throws {
    try self.init(Self.executable, arguments, folder, input)
  }

  /// Runs a bash script in which `$audit` is the built program.
  init(shell script: String, in folder: URL) throws {
    let definition = "audit='\(try Self.executable.path)'; export audit\n"
    try self.init(URL(filePath: "/bin/bash"), ["-c", definition + script], folder, "")
  }

  private init(
    _ executable: URL,
    _ arguments: [String],
    _ folder: URL,
    _ input: String
  ) throws {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "NO_COLOR" }
    let streams = (input: Pipe(), output: Pipe(), error: Pipe())
    process.standardInput = streams.input
    process.standardOutput = streams.output
    process.standardError = streams.error
    try process.run()
    try streams.input.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try streams.input.fileHandleForWriting.close()
    // Both pipes are emptied at once: a full one would stop the program.
    let complaints = Drain(streams.error.fileHandleForReading)
    output = String(
      decoding: try streams.output.fileHandleForReading.readToEnd() ?? Data(),
      as: UTF8.self
    )
    complaint = complaints.text
    process.waitUntilExit()
    status = process.terminationStatus
  }
}

/// Reads a pipe to its end on a thread of its own.
private final class Drain: @unchecked Sendable {
  // `data` is written by the thread before it signals, and read after the wait for that.
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
  /// Waits for the end of the pipe; to be asked once.
  var text: String {
    done.wait()
    return String(decoding: data, as: UTF8.self)
  }
}
