import ArgumentParser

/// What the rules judge by.
struct JudgingOptions: ParsableArguments {
  @Option(
    help: """
      Judge by the behavior of this runtime; by default, each log is judged by that of the runtime on \
      which it was recorded. all: write the consequence of each fault on each runtime, as text or json.
      """
  )
  var profile: ProfileChoice?

  @Flag(help: "Report observations that are registered at an orderly exit as leaked (KVO021).")
  var leaksAtExit = false
}
