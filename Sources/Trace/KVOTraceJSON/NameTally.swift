/// How often each of some names occurred, bounded: a hostile log may contain any number of names.
package struct NameTally: Hashable, Sendable {
  /// Names that occurred, up to ``limit`` of them.
  package private(set) var counts: [String: Int] = [:]
  /// How often names occurred that are not in ``counts``.
  package private(set) var otherCount = 0

  /// How many names are distinguished.
  package static let limit = 1000

  package init() {}

  package var isEmpty: Bool { counts.isEmpty }

  /// How often any name occurred.
  package var total: Int { counts.values.reduce(otherCount, +) }

  /// The names, alphabetically, with their counts.
  ///
  /// Complexity: O(n log n).
  package var sorted: [(name: String, count: Int)] {
    counts.sorted { $0.key < $1.key }.map { (name: $0.key, count: $0.value) }
  }

  mutating func add(_ name: String) {
    if counts[name] != nil || counts.count < Self.limit {
      counts[name, default: 0] += 1
    } else {
      otherCount += 1
    }
  }
}
