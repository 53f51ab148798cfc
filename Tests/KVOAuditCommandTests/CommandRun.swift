import Foundation
import TestSupport

/// One run of the built `kvo-audit`, and what came of it.
struct CommandRun {
  let status: Int32
  let output: String
  let complaint: String

  /// Runs `kvo-audit` with `arguments` in `folder` and waits for its end.
  init(
    _ arguments: [String],
    in folder: URL,
    environment: [String: String?] = [:],
    input: String = ""
  ) throws {
    let audit = try ProgramRun.built("kvo-audit")
    try self.init(audit, arguments, folder, input, environment: environment)
  }

  /// Runs a bash script in which `$audit` is the built program.
  init(shell script: String, in folder: URL) throws {
    let definition = "audit='\(try ProgramRun.built("kvo-audit").path)'; export audit\n"
    try self.init(URL(filePath: "/bin/bash"), ["-c", definition + script], folder, "")
  }

  private init(
    _ program: URL,
    _ arguments: [String],
    _ folder: URL,
    _ input: String,
    environment: [String: String?] = [:]
  ) throws {
    let run = try ProgramRun(
      program,
      arguments,
      in: folder,
      environment: ["NO_COLOR": nil].merging(environment) { $1 },
      input: Data(input.utf8)
    )
    status = run.status
    output = run.output
    complaint = run.complaint
  }
}
