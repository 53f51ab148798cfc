/// What crash reports and console texts say of a finding beside the fault itself.
///
/// Findings of one signature add theirs up: a group of a thousand reports has one of these.
package struct CrashFacts: Hashable, Sendable {
  /// The exception or signal that ended the process, as the first report names it.
  package var exception: String?
  /// The options of the registration, as the runtime lists them.
  package var options: String?
  /// The registrations that a runtime listed, one a line, without addresses.
  package var observances: [String]
  /// What somebody hid in the text, of `observer`, `subject` and `keyPath`: what stands there is a mask.
  package var masked: [String]
  /// How many reports have it.
  package var reportCount: Int
  /// How many reports name each process, version of it, and system.
  package var processes: [String: Int]
  package var versions: [String: Int]
  package var systems: [String: Int]
  /// The earliest and the latest time, `2026-11-21 14:30:38`, as the reports spell it.
  package var firstSeen: String?
  package var lastSeen: String?

  package init(
    exception: String? = nil,
    options: String? = nil,
    observances: [String] = [],
    masked: [String] = [],
    reportCount: Int = 1,
    process: String? = nil,
    version: String? = nil,
    system: String? = nil,
    date: String? = nil
  ) {
    self.exception = exception
    self.options = options
    self.observances = observances
    self.masked = masked
    self.reportCount = reportCount
    processes = Self.one(process)
    versions = Self.one(version)
    systems = Self.one(system)
    firstSeen = date
    lastSeen = date
  }

  /// Takes in what another report with the same finding says.
  package mutating func add(_ other: CrashFacts) {
    exception = exception ?? other.exception
    options = options ?? other.options
    masked = masked.filter(other.masked.contains)
    reportCount += other.reportCount
    processes.merge(other.processes, uniquingKeysWith: +)
    versions.merge(other.versions, uniquingKeysWith: +)
    systems.merge(other.systems, uniquingKeysWith: +)
    if let date = other.firstSeen { firstSeen = firstSeen.map { min($0, date) } ?? date }
    if let date = other.lastSeen { lastSeen = lastSeen.map { max($0, date) } ?? date }
  }

  private static func one(_ name: String?) -> [String: Int] {
    name.map { [$0: 1] } ?? [:]
  }
}
