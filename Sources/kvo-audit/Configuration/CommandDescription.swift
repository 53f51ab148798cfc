import ArgumentParser

#if canImport(FoundationEssentials)
private import FoundationEssentials
#else
private import Foundation
#endif

/// The options of a command, as ArgumentParser describes them.
struct CommandDescription {
  /// An option with a long name.
  struct Option {
    var name: String
    var isFlag: Bool
    var isRepeating: Bool
    var defaultValue: String?
  }

  let name: String
  let options: [Option]

  subscript(name: String) -> Option? { options.first { $0.name == name } }

  /// Whether it takes the options of a project.
  var isConfigurable: Bool { self["config"] != nil }

  /// The commands that ``KVOAuditCommand/offered(to:)`` returned for the command line.
  static var offered: [CommandDescription] {
    let data = Data(KVOAuditCommand._dumpHelp().utf8)
    guard let tool = try? JSONDecoder().decode(Tool.self, from: data) else {
      preconditionFailure("ArgumentParser describes commands in another form")
    }
    return (tool.command.subcommands ?? []).map { command in
      CommandDescription(
        name: command.commandName,
        options: (command.arguments ?? []).compactMap { argument in
          guard let name = argument.preferredName, name.kind == "long" else { return nil }
          return Option(
            name: name.name,
            isFlag: argument.kind == "flag",
            isRepeating: argument.isRepeating,
            defaultValue: argument.defaultValue
          )
        }
      )
    }
  }

  // Of the JSON of `--experimental-dump-help`, what is needed here.
  private struct Tool: Decodable { var command: Command }
  private struct Command: Decodable {
    var commandName: String
    var subcommands: [Command]?
    var arguments: [Argument]?
  }
  private struct Argument: Decodable {
    var kind: String
    var isRepeating: Bool
    var preferredName: Name?
    var defaultValue: String?
  }
  private struct Name: Decodable {
    var kind: String
    var name: String
  }
}
