package import Foundation

/// The machine, time and versions of a report.
package struct RunDescription: Hashable, Sendable {
  package var processor: String
  package var coreCount: Int
  package var system: String
  package var swift: String
  package var compiler: String
  package var commit: String
  package var command: String
  package var date: String
  package var rounds: Int
  /// The number of threads that were running or waiting for a core in the minute before, from the
  /// kernel.
  package var load: String

  package init(
    processor: String,
    coreCount: Int,
    system: String,
    swift: String,
    compiler: String,
    commit: String,
    command: String,
    date: String,
    rounds: Int,
    load: String
  ) {
    self.processor = processor
    self.coreCount = coreCount
    self.system = system
    self.swift = swift
    self.compiler = compiler
    self.commit = commit
    self.command = command
    self.date = date
    self.rounds = rounds
    self.load = load
  }

  /// Queries this machine.
  ///
  /// - Parameters:
  ///   - root: the folder of the root package, for the commit.
  ///   - command: the command that the user typed.
  ///   - rounds: the number of runs of each row.
  package init(root: URL, command: String, rounds: Int) {
    self.init(
      processor: Self.processor,
      coreCount: Foundation.ProcessInfo.processInfo.activeProcessorCount,
      system: "\(Self.firstLine("uname", ["-sr"])), \(Self.distribution)",
      swift: Self.firstLine("swift", ["--version"]),
      compiler: Self.firstLine("cc", ["--version"]),
      commit: Self.commit(of: root),
      command: command,
      date: Date.now.formatted(.iso8601.year().month().day()),
      rounds: rounds,
      load: Self.load
    )
  }

  /// The facts as rows of a table.
  var rows: [(name: String, value: String)] {
    [
      ("machine", "\(processor), \(coreCount) cores; \(system)"),
      ("toolchain", "\(swift); \(compiler)"),
      ("commit", commit),
      ("command", "`\(command)`"),
      ("date", date),
      ("rounds", "\(rounds)"),
      ("load before", load),
    ]
  }

  private static var processor: String {
    let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    for line in text.split(separator: "\n") where line.hasPrefix("model name") {
      return line.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown"
    }
    return "unknown"
  }

  private static var distribution: String {
    let text = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)) ?? ""
    for line in text.split(separator: "\n") where line.hasPrefix("PRETTY_NAME=") {
      return line.dropFirst("PRETTY_NAME=".count).trimmingCharacters(in: ["\""])
    }
    return "unknown"
  }

  private static var load: String {
    let text = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)) ?? ""
    return text.split(separator: " ").first.map(String.init) ?? "unknown"
  }

  /// The commit, and whether anything except the reports differs from it.
  private static func commit(of root: URL) -> String {
    let git = ["-C", root.path]
    let commit = firstLine("git", git + ["rev-parse", "--short=10", "HEAD"])
    let changes = ["status", "--porcelain", "--", ".", ":!Reports/benchmarks"]
    return firstLine("git", git + changes) == "unknown" ? commit : "\(commit), with changes"
  }

  /// The first line that a program prints, or "unknown".
  private static func firstLine(_ name: String, _ arguments: [String]) -> String {
    guard let path = Tool.path(of: name),
      let result = try? ChildProcess.run(path, arguments), result.status == 0,
      let line = result.output.split(separator: "\n").first
    else { return "unknown" }
    return String(line)
  }
}
