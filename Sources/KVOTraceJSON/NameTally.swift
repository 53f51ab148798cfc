/// How often each of some names came up, bounded: a hostile log may make up any number of names.
package struct NameTally: Hashable, Sendable {
  /// Names that came up, up to ``limit`` of them.
  package private(set) var counts: [String: Int] = [:]
  /// How often names came up that are not in ``counts``.
  package private(set) var otherCount = 0

  /// How many names are told apart.
  package static let limit = 1000

  package init() {}

  package var isEmpty: Bool { counts.isEmpty }

  /// How often any name came up.
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
