import KVORules

/// A report's information about its process.
struct ReportFacts: Sendable {
  var process: String?
  /// The identifier of the process that printed the line; other processes may print it again.
  var processID: Int?
  var version: String?
  /// The operating system and its version: `iOS 13.3`.
  var system: String?
  /// The system that a simulator has, in which the process ran: `system` is that of the computer.
  var simulatedSystem: String?
  /// `2026-11-21 14:30:38`, as spelled.
  var date: String?
  /// The exception or signal: `NSRangeException`, `EXC_BAD_ACCESS (SIGSEGV)`.
  var exception: String?

  /// The system whose frameworks the process used.
  var ownSystem: String? { simulatedSystem ?? system }

  /// The runtime of the system, as far as it is known.
  var profile: Profile? {
    guard let system = ownSystem else { return nil }
    let words = system.split { !$0.isNumber && $0 != "." }
    guard let version = words.first(where: { $0.contains(where: \.isNumber) }) else { return nil }
    let parts = version.split(separator: ".").compactMap { Int($0) }
    guard let major = parts.first else { return nil }
    let minor = parts.count > 1 ? parts[1] : 0
    let name = system.lowercased()
    if name.contains("mac") || name.contains("os x") {
      return (major, minor) >= (10, 13) ? .appleModern : .appleLegacy
    }
    // The first of it is newer than the change.
    if name.contains("visionos") || name.contains("xros") { return .appleModern }
    if name.contains("watch") { return major >= 4 ? .appleModern : .appleLegacy }
    if name.contains("ios") || name.contains("iphone") || name.contains("ipad")
      || name.contains("tvos")
    {
      return major >= 11 ? .appleModern : .appleLegacy
    }
    return nil
  }

  /// Whether the facts are of two processes of one program: an address in one is not that of the other.
  func isOfOther(_ other: ReportFacts) -> Bool {
    guard let processID, let otherID = other.processID else { return false }
    return processID != otherID && process == other.process
  }

  mutating func complete(from other: ReportFacts) {
    process = process ?? other.process
    version = version ?? other.version
    system = system ?? other.system
    simulatedSystem = simulatedSystem ?? other.simulatedSystem
    date = date ?? other.date
    exception = exception ?? other.exception
  }
}
