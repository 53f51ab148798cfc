import KVOAudit
import KVOReports
import KVORules
import KVOText

/// The value of each option of a command, and where it comes from.
struct ShownConfiguration {
  private let rows: [[String]]

  /// Collects the options.
  ///
  /// - Parameters:
  ///   - command: the command.
  ///   - given: what the command line gives.
  ///   - entries: what the project sets and the command takes.
  ///   - path: the file of `entries`.
  init(
    _ command: CommandDescription,
    _ given: CommandLineOptions,
    entries: [ProjectConfiguration.Entry],
    path: String
  ) {
    let own: Set = ["config", "no-config", "show-config", "help", "version"]
    rows = command.options.filter { !own.contains($0.name) }.flatMap { option -> [[String]] in
      let set = entries.filter { $0.name == option.name }
      let lines = set.map { "\(ShownText.escaped(path)):\($0.line)" }
      if let values = given[option.name] {
        let source =
          "command line" + (set.isEmpty ? "" : ", instead of \(lines.joined(separator: ", "))")
        let alone = option.isFlag ? "true" : option.defaultValue ?? "–"
        let shown = option.isRepeating && !option.isFlag ? values : [values.last ?? alone]
        return shown.map { [option.name, ShownText.escaped($0), source] }
      }
      if option.name == "suppressions", given["no-suppressions"] != nil {
        return [[option.name, "–", "command line: --no-suppressions"]]
      }
      guard set.isEmpty else {
        let last = option.isRepeating ? 0 : set.count - 1
        return zip(set, lines).dropFirst(last).map {
          [option.name, ShownText.escaped($0.value ?? "true"), $1]
        }
      }
      let (value, source) = Self.usual(option)
      return [[option.name, ShownText.escaped(value), source]]
    }
  }

  /// The value of an option that is neither in the file nor on the command line.
  private static func usual(_ option: CommandDescription.Option) -> (value: String, source: String)
  {
    switch option.name {
    case "color" where StandardStreams.isSet("NO_COLOR"):
      return ("never", "NO_COLOR in the environment")
    case "suppressions" where OutputFile.exists(SuppressionFile.defaultName):
      return (SuppressionFile.defaultName, "in the working directory")
    case "source-root":
      if let root = SourceRoot.current?.path { return (root, "of the working directory") }
    case "format" where option.isRepeating: return ("text", "default")
    // Given alone, they have a value; not given, they do nothing.
    case "contain", "serve": return ("–", "default")
    case "profile": return ("as recorded", "default")
    case "no-annotations" where !GitHubActions.isRunning:
      return ("false", "default; GITHUB_ACTIONS is not true, so that there are none")
    default: break
    }
    return (option.defaultValue ?? (option.isFlag ? "false" : "–"), "default")
  }

  /// A line for each value: the option, the value, where it comes from.
  var text: String {
    let widths = (0..<2).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = (0..<2).map { column in
        row[column] + String(repeating: " ", count: widths[column] - row[column].count)
      }
      return cells.joined(separator: "  ") + "  \(row[2])\n"
    }.joined()
  }
}
