import ArgumentParser
import KVOAudit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The suppressions of a team.
struct SuppressionOptions: ParsableArguments {
  @Option(
    name: .customLong("suppressions"),
    help: ArgumentHelp(
      """
      Do not count the findings that this file suppresses (repeatable); by default, \
      \(SuppressionFile.defaultName) in the working directory, if it exists.
      """,
      valueName: "file"
    ),
    completion: .file()
  )
  var suppressionFiles: [String] = []

  @Flag(help: "Read no suppressions, not even \(SuppressionFile.defaultName).")
  var noSuppressions = false

  @Option(
    help: ArgumentHelp(
      "The day for the expiry of suppressions, such as 2027-01-31; by default, today (UTC).",
      valueName: "day"
    )
  )
  var today: CalendarDay?

  func validate() throws {
    if noSuppressions, let file = suppressionFiles.first {
      throw ValidationError("--no-suppressions and --suppressions \(file) contradict each other")
    }
  }

  /// The files to be read.
  var paths: [String] {
    suppressionFiles.isEmpty && !noSuppressions && access(SuppressionFile.defaultName, F_OK) == 0
      ? [SuppressionFile.defaultName] : suppressionFiles
  }

  /// The day for their expiry.
  var day: CalendarDay { today ?? CalendarDay(secondsSince1970: time(nil)) }

  /// Reads the files; those that cannot be used have messages.
  func read() -> (suppressions: [Suppression], messages: [String]) {
    var suppressions: [Suppression] = []
    var messages: [String] = []
    for path in paths {
      do throws(SuppressionFile.Failure) {
        suppressions += try SuppressionFile(path: path).suppressions
      } catch {
        messages += error.messages
      }
    }
    return (suppressions, messages)
  }

  /// Reads the files, before any other work.
  ///
  /// - Throws: ``ExitStatus/unreadable`` if one cannot be used, after printing the error.
  func load() throws -> [Suppression] {
    let (suppressions, messages) = read()
    try ExitStatus.check(messages)
    return suppressions
  }
}

extension CalendarDay: ExpressibleByArgument {
  /// The day in an argument, or nil.
  public init?(argument: String) { self.init(argument) }
}
