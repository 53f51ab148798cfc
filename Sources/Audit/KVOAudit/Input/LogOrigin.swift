import KVOFindings
package import KVORules
internal import KVOTrace

/// The origin of an input, with the device that recorded it.
package struct LogOrigin: Hashable, Sendable {
  package var origin: Origin
  /// The name or model of the device, which only a path states.
  package var device: String?

  package init(origin: Origin = Origin(), device: String? = nil) {
    self.origin = origin
    self.device = device
  }

  /// The origin of the log at `path` whose first process is `process`.
  ///
  /// The log is believed before its path.
  init(_ process: ProcessInfo?, path: String, pattern: PathPattern?) {
    let values = pattern?.values(in: path) ?? [:]
    self.init(
      origin: Origin(
        version: process?.appVersion ?? values[.version],
        system: process?.os ?? values[.os],
        day: Self.day(process?.started) ?? Self.day(values[.day])
      ),
      device: values[.device]
    )
  }

  /// The origin of the findings of a text, as far as all of its reports share it.
  init(_ findings: [Finding], path: String, pattern: PathPattern?) {
    let facts = findings.compactMap(\.crashFacts)
    let values = pattern?.values(in: path) ?? [:]
    let days = Set(facts.flatMap { [$0.firstSeen, $0.lastSeen] }.map { Self.day($0) })
    self.init(
      origin: Origin(
        version: Self.shared(facts.map(\.versions)) ?? values[.version],
        system: Self.shared(facts.map(\.systems)) ?? values[.os],
        day: (days.count == 1 ? days.first ?? nil : nil) ?? Self.day(values[.day])
      ),
      device: values[.device]
    )
  }

  /// The only name in all of `counts`; nil: there are several, or none.
  private static func shared(_ counts: [[String: Int]]) -> String? {
    let names = Set(counts.flatMap(\.keys))
    return names.count == 1 && counts.allSatisfy { !$0.isEmpty } ? names.first : nil
  }

  /// The day that a moment begins with, as the log spells it.
  private static func day(_ moment: String?) -> String? {
    moment.flatMap { CalendarDay($0.prefix(10)) }?.description
  }
}
