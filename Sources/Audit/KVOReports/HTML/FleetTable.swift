import KVOAudit
import KVORules

/// In which versions and on which days each finding was seen: a row for each finding of a fleet's report.
struct FleetTable: Hashable {
  /// How many versions have a column; older ones share one.
  static let versionLimit = 6
  /// How many days, up to the last one, the trend shows.
  static let dayLimit = 60

  struct Row: Hashable {
    /// The index of the finding in the report.
    var finding: Int
    /// How often it was seen in each of the versions.
    var versionCounts: [Int]
    /// How often in older versions, and where no version is known.
    var olderCount = 0
    var unknownCount = 0
    /// How often on each of the days.
    var dayCounts: [Int]
    /// The first and the last day.
    var seen: ClosedRange<String>?
    /// The share of the processes of the report in which it was seen, from 0 to 1; nil: unknown.
    var share: Double?
    var processCount: Int
  }

  /// The newest versions, the newest last.
  let versions: [String]
  /// The calendar days of the trend, without a gap.
  let days: [String]
  let rows: [Row]

  /// The table of the findings of a report; it has no rows if no version and no day is known.
  ///
  /// - Complexity: O(n log n) in the sightings of all findings.
  init(_ report: AuditReport) {
    let origins = report.findings.flatMap { $0.sightings.map(\.origin) }
    let known = Set(
      origins.compactMap(\.version) + (report.registrations ?? []).compactMap(\.key.origin.version)
    )
    versions = known.sorted(by: Self.isOlder).suffix(Self.versionLimit)
    days = Self.days(
      origins.compactMap(\.day) + (report.registrations ?? []).compactMap(\.key.origin.day)
    )
    let versionIndices = Dictionary(uniqueKeysWithValues: versions.enumerated().map { ($1, $0) })
    let dayIndices = Dictionary(uniqueKeysWithValues: days.enumerated().map { ($1, $0) })
    guard !versionIndices.isEmpty || !dayIndices.isEmpty else {
      rows = []
      return
    }
    let (versionCount, dayCount) = (versions.count, days.count)
    let processCount = report.summary.processCount
    rows = report.findings.enumerated().compactMap { index, finding in
      guard !finding.sightings.isEmpty else { return nil }
      var row = Row(
        finding: index,
        versionCounts: Array(repeating: 0, count: versionCount),
        dayCounts: Array(repeating: 0, count: dayCount),
        seen: finding.days,
        processCount: finding.processCount
      )
      // A finding from crash reports is not one of recorded processes.
      if finding.crashFacts == nil, processCount >= finding.processCount, processCount > 0 {
        row.share = Double(finding.processCount) / Double(processCount)
      }
      for sighting in finding.sightings {
        if let version = sighting.origin.version {
          if let column = versionIndices[version] {
            row.versionCounts[column] += sighting.count
          } else {
            row.olderCount += sighting.count
          }
        } else {
          row.unknownCount += sighting.count
        }
        if let day = sighting.origin.day.flatMap({ dayIndices[$0] }) {
          row.dayCounts[day] += sighting.count
        }
      }
      return row
    }
  }

  /// Orders versions by their numbers: `1.9` is older than `1.10`, and `2.0-beta` than `2.0`.
  static func isOlder(_ left: String, _ right: String) -> Bool {
    let (one, other) = (parts(left), parts(right))
    for (part, otherPart) in zip(one, other) where part != otherPart {
      switch (Int(part), Int(otherPart)) {
      case (let number?, let otherNumber?) where number != otherNumber: return number < otherNumber
      // A word is a version before the release.
      case (nil, _?): return true
      case (_?, nil): return false
      default: if part != otherPart { return part < otherPart }
      }
    }
    if one.count == other.count { return left < right }
    let (isShorter, longer) = one.count < other.count ? (true, other) : (false, one)
    let isNumber = Int(longer[min(one.count, other.count)]) != nil
    return isShorter == isNumber
  }

  /// The numbers and words of a version.
  private static func parts(_ version: String) -> [Substring] {
    var parts: [Substring] = []
    var start = version.startIndex
    var isNumber: Bool?
    func end(at index: String.Index) {
      if isNumber != nil, start < index { parts.append(version[start..<index]) }
    }
    for index in version.indices {
      let character = version[index]
      let kind: Bool? = character.isNumber ? true : character.isLetter ? false : nil
      if kind != isNumber {
        end(at: index)
        (start, isNumber) = (index, kind)
      }
    }
    end(at: version.endIndex)
    return parts
  }

  /// The days from the first to the last one, or the last ones of them.
  private static func days(_ texts: [String]) -> [String] {
    let numbers = Set(texts).compactMap { CalendarDay($0)?.daysSince1970 }
    guard let first = numbers.min(), let last = numbers.max() else { return [] }
    return (max(first, last - dayLimit + 1)...last).map {
      CalendarDay(secondsSince1970: $0 * 86_400).description
    }
  }
}
