import ArgumentParser
import KVOAudit

/// What a report says about the machines that its logs are from.
struct FleetOptions: ParsableArguments {
  @Flag(
    help: """
      Count findings and registrations by the app version, the system and the day of their logs, in json.
      """
  )
  var byOrigin = false

  @Option(
    name: .customLong("path-pattern"),
    help: ArgumentHelp(
      """
      Where the path of a log states what the log itself does not: {version}, {os}, {day} (2027-01-31) and {device} \
      in the last components, as in '{version}/{day}/{device}-*.kvolog'. Implies --by-origin.
      """,
      valueName: "pattern"
    ),
    transform: Self.pattern
  )
  var pathPattern: PathPattern?

  /// Whether findings and registrations are counted by origin.
  var countsByOrigin: Bool { byOrigin || pathPattern != nil }

  @Option(
    help: ArgumentHelp(
      "Replay at most this many logs at a time; without it, one for each processor.",
      valueName: "count"
    )
  )
  var jobs: Int?

  func validate() throws {
    if let jobs, jobs < 1 { throw ValidationError("--jobs \(jobs): a number from 1") }
  }

  private static func pattern(_ text: String) throws -> PathPattern {
    do throws(PathPattern.Refusal) {
      return try PathPattern(text)
    } catch {
      throw ValidationError(error.reason)
    }
  }
}
