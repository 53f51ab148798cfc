/// The options that a command line gives, as far as that can be known without parsing it.
struct CommandLineOptions {
  /// The command that is named, or nil if it is left out.
  let command: String?
  /// The options before `--`, in their order.
  let options: [(name: String, value: String?)]

  /// The values of an option, none for a flag or if they are left out; nil: the command line does not have it.
  subscript(name: String) -> [String]? {
    let found = options.filter { $0.name == name }
    return found.isEmpty ? nil : found.compactMap(\.value)
  }

  /// Looks through arguments.
  ///
  /// - Parameters:
  ///   - arguments: those after the name of the program.
  ///   - commands: the names of the commands.
  ///   - isFlag: whether the option of a long name takes no value.
  init(_ arguments: [String], commands: [String], isFlag: (String) -> Bool) {
    command = arguments.first.flatMap { commands.contains($0) ? $0 : nil }
    var options: [(String, String?)] = []
    var rest = arguments.dropFirst(command == nil ? 0 : 1).prefix { $0 != "--" }
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("--") else { continue }
      let parts = argument.dropFirst(2)
        .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      if parts.count == 2 || isFlag(parts[0]) {
        options.append((parts[0], parts.count == 2 ? parts[1] : nil))
      } else {
        // A value does not begin with a dash: "--contain --config x" leaves it out.
        let isValue = rest.first.map { !$0.hasPrefix("-") || $0 == "-" } ?? false
        options.append((parts[0], isValue ? rest.popFirst() : nil))
      }
    }
    self.options = options
  }
}
