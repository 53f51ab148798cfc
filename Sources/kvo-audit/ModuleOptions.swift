import ArgumentParser

/// The user's own modules, for every command that symbolicates frames.
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
}
