import Foundation
import TestSupport

/// A process that a test started, with its three streams.
final class Child {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let errors = Pipe()
  private var pending: [UInt8] = []

  /// Starts `program`; a name without a slash is one of this package's, beside the test bundle.
  init(_ program: String, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
    process.executableURL = URL(
      fileURLWithPath: program.contains("/") ? program : try Self.folder + "/" + program
    )
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "KVO_SAFETY_LOG" }
      .merging(environment) { $1 }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    // A program that stands still is a failure of its test, and not of all tests. Weakly: until then every process kept
    // its pipes open, and Foundation reads past the end of a list of more than 1,300 open files in Process.run().
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { [weak process] in
      if let process, process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    }
  }

  // Not SIG_IGN, which the programs would inherit.
  private static let survivesBrokenPipes: Void = { signal(SIGPIPE) { _ in } }()

  /// Seconds that no program of the tests needs.
  private static let patience = 600.0

  deinit { if process.isRunning { kill(SIGKILL) } }

  /// The folder of the built programs.
  static var folder: String {
    get throws { try ProgramRun.bundle.deletingLastPathComponent().path }
  }

  var id: Int32 { process.processIdentifier }
  var isRunning: Bool { process.isRunning }

  func kill(_ signal: Int32) { Foundation.kill(id, signal) }

  /// Writes to its input; throws if it has ended.
  func send(_ text: String) throws {
    _ = Self.survivesBrokenPipes
    try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
  }

  /// The next line of its output, without the newline; nil at the end.
  func line() throws -> String? {
    while true {
      if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        defer { pending.removeSubrange(...end) }
        return String(decoding: pending[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      pending += more
    }
  }

  /// Waits until it has ended, which its input must not be needed for.
  func waitUntilExit() { process.waitUntilExit() }

  /// Closes its input, takes its streams to their end and waits for it.
  @discardableResult
  func end() throws -> Outcome {
    try input.fileHandleForWriting.close()
    // Small outputs: neither pipe fills while the other is read.
    let rest = try output.fileHandleForReading.readToEnd() ?? Data()
    let complaint = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Outcome(
      ending: process.terminationReason == .exit ? .exit : .signal,
      status: process.terminationStatus,
      output: String(decoding: pending + rest, as: UTF8.self),
      complaint: String(decoding: complaint, as: UTF8.self)
    )
  }

  /// How a process ended, and what it said.
  struct Outcome: Equatable {
    enum Ending { case exit, signal }
    var ending = Ending.exit
    var status: Int32 = 0
    var output = ""
    var complaint = ""
  }
}
