import ArgumentParser

/// A command line, preceded by the options of the project.
struct ConfiguredCommandLine {
  /// The arguments to be parsed.
  let arguments: [String]
  /// What `--show-config` prints, if it is given.
  private(set) var shown: ShownConfiguration?

  private let given: [String]
  private let path: String
  private let applied: [ProjectConfiguration.Entry]
  private let command: String

  /// Reads the options of the project, if there are any.
  ///
  /// - Parameter given: the arguments after the name of the program.
  /// - Throws: ``ExitStatus/unreadable`` if the file cannot be used; says why first.
  init(_ given: [String]) throws {
    self.given = given
    let own = given.prefix { $0 != "--" }
    let hasDefault =
      OutputFile.exists(ProjectConfiguration.defaultName)
      && !OutputFile.isFolder(ProjectConfiguration.defaultName)
    // Describing all options takes longer than auditing a small log.
    let isConcerned =
      hasDefault || own.contains { $0.hasPrefix("--config") || $0 == "--show-config" }
    guard isConcerned, given.first != "help", !own.contains(where: Self.ends.contains),
      let line = Self.parts(of: given)
    else {
      arguments = given
      (path, applied, command) = ("", [], "")
      return
    }
    let (description, options) = line
    let isRefused = options["no-config"] != nil
    let path = options["config"]?.last ?? (hasDefault ? ProjectConfiguration.defaultName : nil)
    var entries: [ProjectConfiguration.Entry] = []
    if let path, !isRefused {
      do throws(ProjectConfiguration.Failure) {
        entries = try ProjectConfiguration(path: path).entries
      } catch {
        for message in error.messages { StandardStreams.complain("kvo-audit: \(message)") }
        throw ExitStatus.unreadable
      }
    }
    let known = entries.filter { description.takes($0) }
    let applied = known.filter { entry in
      options[entry.name] == nil
        && (entry.name != "suppressions" || options["no-suppressions"] == nil)
    }
    (self.path, self.applied, command) = (path ?? "", applied, description.name)
    arguments = Self.arguments(given, options, description.name, applied)
    if options["show-config"] != nil {
      shown = ShownConfiguration(description, options, entries: known, path: path ?? "")
    }
  }

  /// What ends kvo-audit without running a command.
  private static let ends: Set = [
    "--help", "-h", "--version", "--generate-completion-script", "--experimental-dump-help",
  ]

  /// The command that takes options of the project, and what the command line gives it; nil: it takes none.
  private static func parts(
    of given: [String]
  ) -> (command: CommandDescription, options: CommandLineOptions)? {
    let names = KVOAuditCommand.names
    let name = given.first.flatMap { names.contains($0) ? $0 : nil } ?? "audit"
    guard let command = CommandDescription.offered.first(where: { $0.name == name }),
      command.isConfigurable
    else { return nil }
    let options = CommandLineOptions(given, commands: names) {
      command[$0]?.isFlag ?? true
    }
    return (command, options)
  }

  private static func arguments(
    _ given: [String],
    _ options: CommandLineOptions,
    _ command: String,
    _ entries: some Collection<ProjectConfiguration.Entry>
  ) -> [String] {
    let rest = given.dropFirst(options.command == nil ? 0 : 1)
    return [command]
      + entries.map { entry in "--\(entry.name)" + (entry.value.map { "=\($0)" } ?? "") } + rest
  }

  /// Ensures that the arguments can be parsed, apart from the logs that they may lack.
  ///
  /// - Throws: as ``parse(with:)``.
  func check() throws {
    let lacking = [[], ["log"], ["log", "log"]]
    let possible = lacking.first { (try? KVOAuditCommand.command(of: given + $0)) != nil }
    _ = try parse(with: possible ?? ["log"])
  }

  /// Parses the arguments.
  ///
  /// - Parameter more: what follows them.
  /// - Returns: the command.
  /// - Throws: what ArgumentParser does; ``ExitStatus/unreadable`` if the file is at fault, and says that first.
  func parse(with more: [String] = []) throws -> any ParsableCommand {
    do {
      return try KVOAuditCommand.command(of: arguments + more)
    } catch {
      guard !applied.isEmpty, (try? KVOAuditCommand.command(of: given + more)) != nil
      else { throw error }
      let options = CommandLineOptions(given, commands: [command]) { _ in true }
      let wrong = applied.indices.first { index in
        let some = Self.arguments(given, options, command, applied[...index])
        return (try? KVOAuditCommand.command(of: some + more)) == nil
      }
      let line = applied[wrong ?? applied.startIndex].line
      let reason = KVOAuditCommand.message(for: error).replacing("\n", with: " ")
      StandardStreams.complain("kvo-audit: \(path):\(line): \(reason)")
      throw ExitStatus.unreadable
    }
  }
}

extension CommandDescription {
  /// Whether an option of the project is also one of the command.
  ///
  /// `--format` is another option where it cannot be repeated.
  fileprivate func takes(_ entry: ProjectConfiguration.Entry) -> Bool {
    guard let option = self[entry.name] else { return false }
    return entry.name != "format" || option.isRepeating
  }
}
