import KVOTrace

/// The program and the system that a log is of, and the day of its recording, as far as they are known.
package struct Origin: Hashable, Sendable {
  /// The version of the program (`2.4.1`).
  package var version: String?
  /// The system's name and version (`iOS 16.4`).
  package var system: String?
  /// The day on which the recording started, as `2027-01-31`.
  package var day: String?

  package init(version: String? = nil, system: String? = nil, day: String? = nil) {
    self.version = version
    self.system = system
    self.day = day
  }
}

extension Origin: Comparable {
  /// By day, then version, then system, as texts; unknown ones come first.
  package static func < (left: Origin, right: Origin) -> Bool {
    if left.day != right.day { return isBefore(left.day, right.day) }
    if left.version != right.version { return isBefore(left.version, right.version) }
    return isBefore(left.system, right.system)
  }

  private static func isBefore(_ left: String?, _ right: String?) -> Bool {
    guard let right else { return false }
    return left.map { $0 < right } ?? true
  }
}

extension Finding {
  /// How often a finding was seen in the logs of one ``Origin``.
  package struct Sighting: Hashable, Sendable {
    package var origin: Origin
    /// How often it happened.
    package var count: Int
    package var processCount: Int
    package var runCount: Int

    package init(origin: Origin, count: Int, processCount: Int, runCount: Int) {
      self.origin = origin
      self.count = count
      self.processCount = processCount
      self.runCount = runCount
    }
  }

  /// Adds the numbers of `others` to those of equal origins; the sightings remain in the order of their origins.
  ///
  /// Complexity: O(others × (log n + n)) for the n known sightings, O(others × log n) if their origins are known.
  package mutating func add(sightings others: [Sighting]) {
    for other in others {
      var (low, high) = (0, sightings.count)
      while low < high {
        let middle = (low + high) / 2
        if sightings[middle].origin < other.origin { low = middle + 1 } else { high = middle }
      }
      guard low < sightings.count, sightings[low].origin == other.origin else {
        sightings.insert(other, at: low)
        continue
      }
      sightings[low].count = sightings[low].count.addingCount(other.count)
      sightings[low].processCount = sightings[low].processCount.addingCount(other.processCount)
      sightings[low].runCount = sightings[low].runCount.addingCount(other.runCount)
    }
  }

  /// The first and the last day on which it was seen; nil: no day is known.
  package var days: ClosedRange<String>? {
    let days = sightings.compactMap(\.origin.day)
    // Origins are ordered by day.
    guard let first = days.first, let last = days.last else { return nil }
    return first...last
  }
}
