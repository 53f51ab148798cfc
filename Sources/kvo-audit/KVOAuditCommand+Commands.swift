import ArgumentParser
import KVORules

extension KVOAuditCommand {
  /// All commands.
  private static let commands: [any ParsableCommand.Type] = [
    AnonymizeCommand.self, AuditCommand.self, CensusCommand.self, ControlCommand.self,
    ConvertCommand.self, DiffCommand.self, ExplainCommand.self, ExportCommand.self,
    GrowthCommand.self, HeapCommand.self, IndexCommand.self, MCPCommand.self, MergeCommand.self,
    RecordCommand.self, StatsCommand.self, SymbolsCommand.self, ValidateCommand.self,
    VerifyFixCommand.self, WatchCommand.self,
  ]

  /// The names of the commands.
  static let names = commands.compactMap { $0.configuration.commandName }

  /// The name of `command` as it is typed after that of the program: `symbols add`.
  static func typedName(of command: any ParsableCommand.Type) -> String {
    let parent = commands.first { $0.configuration.subcommands.contains { $0 == command } }
    return [parent, command].compactMap { $0?.configuration.commandName }.joined(separator: " ")
  }

  /// The commands that ArgumentParser has to know to parse `arguments`.
  ///
  /// It reflects on all options of all commands that it knows before it reads the arguments, and validates them in a
  /// debug build, which takes longer than auditing a small log.
  static func offered(to arguments: ArraySlice<String>) -> [any ParsableCommand.Type] {
    guard let name = arguments.first,
      !arguments.prefix(while: { $0 != "--" }).contains(where: listsAll)
    else { return commands }
    return [commands.first { $0.configuration.commandName == name } ?? AuditCommand.self]
  }

  /// Refuses help on a command that does not exist, for which ArgumentParser would list all commands.
  ///
  /// - Throws: `ValidationError`.
  static func checkHelp(_ arguments: [String]) throws {
    guard arguments.first == "help", let name = arguments.dropFirst().first, !name.hasPrefix("-"),
      name != "help", !names.contains(name)
    else { return }
    throw ValidationError(
      "\"\(ShownText.escaped(name))\" is not a command. `kvo-audit --help` lists all commands."
    )
  }

  /// Parses `arguments`.
  ///
  /// The command itself parses its arguments, if only one is concerned: from the root, ArgumentParser reflects on the
  /// command's options a third and a fourth time. Arguments that it refuses are parsed from the root, for the message.
  ///
  /// - Throws: what ArgumentParser does.
  static func command(of arguments: [String]) throws -> any ParsableCommand {
    let offered = configuration.subcommands
    if offered.count == 1 {
      let isNamed = arguments.first == offered[0].configuration.commandName
      let own = Array(arguments.dropFirst(isNamed ? 1 : 0))
      if let command = try? offered[0].parseAsRoot(own) { return command }
    }
    return try parseAsRoot(arguments)
  }

  /// Whether `argument` may ask for help or for completions, which list all commands; no arguments at all do so, too.
  private static func listsAll(_ argument: String) -> Bool {
    if argument.hasPrefix("-"), !argument.hasPrefix("--") { return argument.contains("h") }
    return argument == "help" || argument == "--version"
      || ["--help", "--generate-completion-script", "--experimental-dump-help", "---completion"]
        .contains { argument.hasPrefix($0) }
  }
}
