/// A dictionary that compares the keys of few entries, and hashes those of many.
///
/// In no particular order. Complexity: O(1) amortized for looking up, adding and removing.
struct SmallMap<Key: Hashable, Value> {
  private static var fewCount: Int { 16 }

  private(set) var entries: [(key: Key, value: Value)] = []
  /// The positions of the keys; empty while there are few.
  private var positions: [Key: Int] = [:]

  init() {}

  func position(of key: Key) -> Int? {
    guard positions.isEmpty else { return positions[key] }
    return entries.firstIndex { $0.key == key }
  }

  subscript(key: Key) -> Value? { position(of: key).map { entries[$0].value } }

  /// Adds a value under a key that is not in the map.
  mutating func insert(_ value: Value, forKey key: Key) {
    entries.append((key, value))
    if !positions.isEmpty {
      positions[key] = entries.count - 1
    } else if entries.count > Self.fewCount {
      for (position, entry) in entries.enumerated() { positions[entry.key] = position }
    }
  }

  mutating func update(at position: Int, _ body: (inout Value) -> Void) {
    body(&entries[position].value)
  }

  mutating func removeValue(forKey key: Key) -> Value? {
    guard let position = position(of: key) else { return nil }
    let removed = entries[position].value
    let last = entries.removeLast()
    if position < entries.count { entries[position] = last }
    if !positions.isEmpty {
      positions[key] = nil
      if position < entries.count { positions[last.key] = position }
    }
    return removed
  }
}

extension SmallMap: Sendable where Key: Sendable, Value: Sendable {}
