/// Values that are open under keys, in the order in which they were opened.
///
/// Memory is bounded by those that are open.
struct OpenValues<Key: Hashable, Value> {
  private struct Entry {
    var key: Key
    var value: Value
    /// The position of the one that is open under the same key, and was opened before it; nil: there is none.
    var previous: Int?
    var isClosed = false
  }

  /// The last one is open; others may be closed, fewer than are open.
  private var entries: [Entry] = []
  private var newest: [Key: Int] = [:]
  private var closedCount = 0
  private let limit: Int

  /// - Parameter limit: how many are kept: if there are more, the older half is forgotten.
  init(limit: Int = .max) { self.limit = limit }

  var isEmpty: Bool { entries.isEmpty }

  /// The one that was opened last; nil: none is open.
  var last: Value? { entries.last?.value }

  /// All that are open.
  var values: [Value] { entries.lazy.filter { !$0.isClosed }.map(\.value) }

  /// Opens one.
  ///
  /// Complexity: O(1) amortized.
  mutating func open(_ key: Key, _ value: Value) {
    if entries.count - closedCount >= limit { rebuild(forgetting: limit / 2 + 1) }
    add(key, value)
  }

  /// Closes the one that was opened last under `key`.
  ///
  /// Complexity: O(1) amortized.
  ///
  /// - Returns: its value; nil: none is open under the key.
  @discardableResult
  mutating func close(_ key: Key) -> Value? {
    guard let position = newest[key] else { return nil }
    let entry = entries[position]
    newest[key] = entry.previous
    entries[position].isClosed = true
    closedCount += 1
    while let last = entries.last, last.isClosed {
      entries.removeLast()
      closedCount -= 1
    }
    if closedCount > entries.count / 2 { rebuild(forgetting: 0) }
    return entry.value
  }

  private mutating func add(_ key: Key, _ value: Value) {
    entries.append(Entry(key: key, value: value, previous: newest[key]))
    newest[key] = entries.count - 1
  }

  /// Removes those that are closed, and the first `count` of the others.
  private mutating func rebuild(forgetting count: Int) {
    let kept = entries.filter { !$0.isClosed }.dropFirst(count)
    (entries, newest, closedCount) = ([], [:], 0)
    for entry in kept { add(entry.key, entry.value) }
  }
}
