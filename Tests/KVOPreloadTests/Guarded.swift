import Foundation
import TestSupport

/// What a program did.
struct Run: Equatable, CustomStringConvertible {
  let output: String
  let complaint: String
  /// The exit status, or 128 and the signal that ended it, as a shell says it.
  let status: Int32

  var description: String { "status \(status)\n\(output)\(complaint)" }

  /// The run without what differs from process to process: addresses, and what GNUstep's messages
  /// begin with.
  var withoutProcess: Run {
    Run(
      output: output,
      complaint: complaint.replacing(#/0x[0-9a-f]+/#, with: "0x…")
        .replacing(#/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [^ ]*\[\d+:\d+\] /#, with: ""),
      status: status
    )
  }
}

/// Runs programs, raw and under the library, in a folder of their own.
struct Guarded {
  let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Runs a program to its end as it is.
  func raw(
    _ program: URL,
    _ arguments: [String] = [],
    environment: [String: String] = [:]
  ) throws -> Run {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = folder.url
    var all = ProcessInfo.processInfo.environment
    for name in all.keys where name.hasPrefix("KVO_SAFETY") || name == "LD_PRELOAD" {
      all[name] = nil
    }
    process.environment = all.merging(environment) { _, new in new }
    let output = folder.url.appending(path: "output-\(UUID().uuidString)")
    let complaint = folder.url.appending(path: "complaint-\(UUID().uuidString)")
    // Files, not pipes: nobody has to empty them for the program to go on.
    process.standardOutput = try handle(output)
    process.standardError = try handle(complaint)
    try process.run()
    process.waitUntilExit()
    let isSignal = process.terminationReason == .uncaughtSignal
    return Run(
      output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
      complaint: String(decoding: try Data(contentsOf: complaint), as: UTF8.self),
      status: isSignal ? 128 + process.terminationStatus : process.terminationStatus
    )
  }

  /// Runs a program under the library, which writes logs named `log-PID.kvolog`.
  func recorded(
    _ program: URL,
    _ arguments: [String] = [],
    contain: String? = nil,
    environment: [String: String] = [:]
  ) throws -> Run {
    var all = [
      "LD_PRELOAD": try ObjectiveC.library().path,
      "KVO_SAFETY_LOG": folder.path("log-%p.kvolog"),
    ]
    all["KVO_SAFETY_CONTAIN"] = contain
    return try raw(program, arguments, environment: all.merging(environment) { _, new in new })
  }

  /// The logs that were written, by the number of their process.
  var logs: [URL] {
    get throws {
      try folder.names.filter { $0.hasSuffix(".kvolog") }
        .sorted { $0.count == $1.count ? $0 < $1 : $0.count < $1.count }
        .map { folder.url.appending(path: $0) }
    }
  }

  /// What `kvo-audit` says of the logs.
  func audit() throws -> Run { try command(logs.map(\.lastPathComponent)) }

  /// What it says of them as another runtime would have behaved.
  func audit(as profile: String) throws -> Run {
    try command(["--profile", profile] + logs.map(\.lastPathComponent))
  }

  /// What is found in the logs, the consequences of others left out.
  func findings() throws -> [FoundFault] {
    let run = try command(["--format", "json"] + logs.map(\.lastPathComponent))
    return try JSONDecoder().decode(FoundFaults.self, from: Data(run.output.utf8)).findings
  }

  /// What it says of one.
  func audit(_ log: URL) throws -> Run { try command([log.lastPathComponent]) }

  /// A log as JSON Lines.
  func convert(_ log: URL) throws -> String {
    try command(["convert", log.lastPathComponent]).output
  }

  private func command(_ arguments: [String]) throws -> Run {
    let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let audit = URL(filePath: bundle).deletingLastPathComponent().appending(path: "kvo-audit")
    return try raw(audit, arguments)
  }

  /// The report without what differs from machine to machine: numbers of events, which move with the
  /// number of images, the frames of other people's libraries, and what lies behind the findings.
  func report() throws -> String {
    try audit().output
      .replacing(#/· event \d+/#, with: "· event N")
      .replacing(#/· events \d+(?:, \d+)*/#) { match in
        let count = match.output.split(separator: ",").count
        return "· events " + Array(repeating: "N", count: count).joined(separator: ", ")
      }
      .replacing(#/\(no stack, event \d+\)/#, with: "(no stack, event N)")
      .replacing(#/in \d+ events/#, with: "in N events")
      .replacing(#/, access to 0x[0-9a-f]+/#, with: "")
      .replacing(#/(?m)^ {4}#\d+ .*(?:\(lib|\(ld-|pthread_|raise\.c|abort\.c).*\n/#, with: "")
      .replacing(#/(?m)^ {4}#\d+ .* malloc\.c:\d+\n/#, with: "")
      .replacing(#/(?m)^( {4}|  > )#\d+ (\S.*?) {2,}/#) { "\($0.output.1)# \($0.output.2)  " }
      .replacing(#/(?s)\nNOT NAMED.*?\n\n/#, with: "\n")
      .replacing(#/(?s)\nNOT JUDGED.*?\n\n/#, with: "\n")
  }

  private func handle(_ file: URL) throws -> FileHandle {
    try Data().write(to: file)
    return try FileHandle(forWritingTo: file)
  }
}
