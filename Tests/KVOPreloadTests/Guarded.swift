import Foundation
import TestSupport

extension ProgramRun {
  /// The run without what differs from process to process: addresses, and what GNUstep's messages
  /// begin with.
  var withoutProcess: ProgramRun {
    ProgramRun(
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
  ) throws -> ProgramRun {
    var all: [String: String?] = environment
    for name in ProcessInfo.processInfo.environment.keys where all[name] == nil {
      if name.hasPrefix("KVO_SAFETY") || name == "LD_PRELOAD" { all.updateValue(nil, forKey: name) }
    }
    return try ProgramRun(program, arguments, in: folder.url, environment: all)
  }

  /// Runs a program under the library, which writes logs named `log-PID.kvolog`.
  func recorded(
    _ program: URL,
    _ arguments: [String] = [],
    contain: String? = nil,
    environment: [String: String] = [:]
  ) throws -> ProgramRun {
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
  func audit() throws -> ProgramRun { try command(logs.map(\.lastPathComponent)) }

  /// What it says of them as another runtime would have behaved.
  func audit(as profile: String) throws -> ProgramRun {
    try command(["--profile", profile] + logs.map(\.lastPathComponent))
  }

  /// What is found in the logs, the consequences of others left out.
  func findings() throws -> [FoundFault] {
    let run = try command(["--format", "json"] + logs.map(\.lastPathComponent))
    return try JSONDecoder().decode(FoundFaults.self, from: Data(run.output.utf8)).findings
  }

  /// What it says of one.
  func audit(_ log: URL) throws -> ProgramRun { try command([log.lastPathComponent]) }

  /// A log as JSON Lines.
  func convert(_ log: URL) throws -> String {
    try command(["convert", log.lastPathComponent]).output
  }

  func command(_ arguments: [String]) throws -> ProgramRun {
    try raw(ProgramRun.built("kvo-audit"), arguments)
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
      // Endless recursion overflows the stack in any of its functions.
      .replacing(#/(… these \d+ frames) \d+ times/#) { "\($0.output.1) N times" }
      .replacing(#/(?m)^ {4}#\d+ .*(?:\(lib|\(ld-|pthread_|raise\.c|abort\.c).*\n/#, with: "")
      .replacing(#/(?m)^ {4}#\d+ .* malloc\.c:\d+\n/#, with: "")
      .replacing(#/(?m)^( {4}|  > )#\d+ (\S.*?) {2,}/#) { "\($0.output.1)# \($0.output.2)  " }
      .replacing(#/(?s)\nNOT NAMED.*?\n\n/#, with: "\n")
      .replacing(#/(?s)\nNOT JUDGED.*?\n\n/#, with: "\n")
  }
}
