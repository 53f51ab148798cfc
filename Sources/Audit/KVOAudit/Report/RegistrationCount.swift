package import KVORules
import KVOTrace

/// How many registrations the logs of one origin made at one call site.
package struct RegistrationCount: Hashable, Sendable {
  package struct Key: Hashable, Sendable {
    package var origin: Origin
    /// The class of the observed objects.
    package var subject: String
    /// The class of the observers, or nil in the token form without one.
    package var observer: String?
    package var keyPath: String
    /// `Screen.swift:12`, a function or an address; nil: not recorded.
    package var location: String?

    package init(
      origin: Origin,
      subject: String,
      observer: String?,
      keyPath: String,
      location: String?
    ) {
      self.origin = origin
      self.subject = subject
      self.observer = observer
      self.keyPath = keyPath
      self.location = location
    }
  }

  package var key: Key
  /// How many were made.
  package var madeCount: Int
  /// How many are live at the ends of the processes.
  package var liveCount: Int

  package init(key: Key, madeCount: Int, liveCount: Int) {
    self.key = key
    self.madeCount = madeCount
    self.liveCount = liveCount
  }
}

/// Registrations added up by call site and origin.
package struct RegistrationSums {
  private var counts: [RegistrationCount.Key: (made: Int, live: Int)] = [:]

  package init() {}

  /// Adds `others`.
  ///
  /// Complexity: O(others).
  package mutating func add(_ others: [RegistrationCount]) {
    for other in others {
      let (made, live) = counts[other.key] ?? (0, 0)
      counts[other.key] = (made.addingCount(other.madeCount), live.addingCount(other.liveCount))
    }
  }

  /// By origin, then by class, key path, observer and call site.
  ///
  /// Complexity: O(n log n).
  package var sorted: [RegistrationCount] {
    counts.map { RegistrationCount(key: $0, madeCount: $1.made, liveCount: $1.live) }
      .sorted { Self.isBefore($0.key, $1.key) }
  }

  private static func isBefore(
    _ left: RegistrationCount.Key,
    _ right: RegistrationCount.Key
  ) -> Bool {
    if left.origin != right.origin { return left.origin < right.origin }
    if left.subject != right.subject { return left.subject < right.subject }
    if left.keyPath != right.keyPath { return left.keyPath < right.keyPath }
    let observers = (left.observer ?? "", right.observer ?? "")
    if observers.0 != observers.1 { return observers.0 < observers.1 }
    return (left.location ?? "") < (right.location ?? "")
  }
}
