import ArgumentParser
import Foundation

/// Values of packages that are used here.
extension LivingValues {
  static func argumentParser() -> [Any] {
    let parsed = try? Convert.parse(["in.log", "--format", "text", "-vv", "--limit", "3"])
    var failure: (any Error)?
    do { _ = try Convert.parse(["--format", "none"]) } catch { failure = error }
    return [
      parsed as Any, Convert.self, failure as Any, Shared(), CommandConfiguration(abstract: "a"),
      Convert.configuration, ArgumentHelp("a", valueName: "b"), ArgumentVisibility.hidden,
      NameSpecification.shortAndLong, CompletionKind.file(extensions: ["log"]),
      CompletionKind.custom { _, _, _ in [] }, CompletionShell.bash, ExitCode.validationFailure,
      ValidationError("a"), CleanExit.message("a"), Option<Int>(), Flag(wrappedValue: true),
      Argument<String>(), ArgumentArrayParsingStrategy.remaining, FlagInversion.prefixedNo,
      FlagExclusivity.exclusive, SingleValueParsingStrategy.next,
    ]
  }
}

private enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

private struct Shared: ParsableArguments {
  @Flag(name: .shortAndLong) var verbose: Int
  @Option var limit: Int?
}

private struct Convert: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    subcommands: [Inner.self]
  )
  @Argument(transform: { URL(filePath: $0) }) var input: URL
  @Option var format = Format.json
  @OptionGroup var shared: Shared

  struct Inner: ParsableCommand {
    @Flag(inversion: .prefixedNo) var all = true
  }
}
