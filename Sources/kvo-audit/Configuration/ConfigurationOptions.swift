import ArgumentParser

/// Where the options of a project come from.
///
/// They are applied before arguments are parsed (``ConfiguredCommandLine``); this declares them for help.
struct ConfigurationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Read the options of the project from this file, "name = value" a line; without it, \
      \(ProjectConfiguration.defaultName) in the working directory, where there is one. What the command line gives \
      takes precedence.
      """,
      valueName: "file"
    ),
    completion: .file()
  )
  var config: String?

  @Flag(help: "Read no such file, not even \(ProjectConfiguration.defaultName).")
  var noConfig = false

  @Flag(help: "Print the value of each option, and where it comes from; do nothing else.")
  var showConfig = false

  func validate() throws {
    guard noConfig, let config else { return }
    throw ValidationError("--no-config and --config \(config) contradict each other")
  }
}
