import KVOTrace

/// Information of crash reports and console texts about a finding, in addition to the fault itself.
///
/// Findings with the same signature combine theirs: a group of a thousand reports has one of these.
package struct CrashFacts: Hashable, Sendable {
  /// The exception or signal that ended the process, as the first report names it.
  package var exception: String?
  /// The options of the registration, as the runtime lists them.
  package var options: String?
  /// The registrations that a runtime listed, one per line, without addresses.
  package var observances: [String]
  /// Which of `observer`, `subject` and `keyPath` were redacted in the text, which contains a mask there.
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

  /// Merges the facts of another report with the same finding.
  package mutating func add(_ other: CrashFacts) {
    exception = exception ?? other.exception
    options = options ?? other.options
    masked = masked.filter(other.masked.contains)
    reportCount = reportCount.addingCount(other.reportCount)
    processes.merge(other.processes) { $0.addingCount($1) }
    versions.merge(other.versions) { $0.addingCount($1) }
    systems.merge(other.systems) { $0.addingCount($1) }
    if let date = other.firstSeen { firstSeen = firstSeen.map { min($0, date) } ?? date }
    if let date = other.lastSeen { lastSeen = lastSeen.map { max($0, date) } ?? date }
  }

  private static func one(_ name: String?) -> [String: Int] {
    name.map { [$0: 1] } ?? [:]
  }
}
