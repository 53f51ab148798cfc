import ArgumentParser

/// The user's own modules, for every command that symbolicates frames.
struct ModuleOptions: ParsableArguments {
  @Option(
    name: .customLong("app-module"),
    help: ArgumentHelp(
      """
      Only frames of this module are your own code (repeatable); by default, all frames except those \
      of the system and of KVOSafety.
      """,
      valueName: "name"
    )
  )
  var appModules: [String] = []
}
