import KVOTrace

/// When keys were last changed, on any object.
///
/// A key that depends on a path to another object gets a new value by changes of objects that the log need not name.
/// Memory is bounded by the keys.
///
/// Complexity: O(1) for a change.
struct KeyChanges: Sendable {
  /// How many halves of changes there were: now.
  private(set) var moment = 0
  /// The last half of a change of each key.
  private var last: [StringID: Int] = [:]

  /// A half of a change of `key`, on any object.
  mutating func note(_ key: StringID) {
    moment += 1
    last[key] = moment
  }

  /// Whether a change of one of `keys` began or ended after `moment`.
  func contains(anyOf keys: Set<StringID>, after moment: Int) -> Bool {
    keys.contains { key in last[key].map { $0 > moment } ?? false }
  }
}
