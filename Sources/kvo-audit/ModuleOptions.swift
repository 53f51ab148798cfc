import ArgumentParser

/// Whose code is the user's own, for every command that names frames.
struct ModuleOptions: ParsableArguments {
  @Option(
    name: .customLong("app-module"),
    help: ArgumentHelp(
      """
      Take only this module's frames for your own code (repeatable); without it, all but those of \
      the system and of KVOSafety.
      """,
      valueName: "name"
    )
  )
  var appModules: [String] = []

  @OptionGroup var configuration: ConfigurationOptions
}
