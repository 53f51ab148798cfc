import KVORules
import KVOTrace

/// A map from identifiers that evicts its oldest key when it is full.
///
/// Complexity: O(1).
struct BoundedMap<Tag, Value: Sendable>: Sendable {
  private let capacity: Int
  private var indices = WordTable()
  private var keys: [UInt64] = []
  private var values: [Value] = []
  private var oldest = 0

  init(capacity: Int) { self.capacity = max(1, capacity) }

  var isEmpty: Bool { keys.isEmpty }
  var count: Int { keys.count }

  subscript(key: Identifier<Tag>) -> Value? {
    let at = indices.find(key.rawValue)
    return at < 0 ? nil : values[at]
  }

  /// Sets the value of `key`; an existing key keeps its age.
  ///
  /// - Returns: the value that is no longer in the map: that of `key`, or that of the evicted key.
  @discardableResult
  mutating func set(_ key: Identifier<Tag>, _ value: Value) -> Value? {
    let at = indices.find(key.rawValue)
    if at >= 0 {
      let former = values[at]
      values[at] = value
      return former
    }
    if keys.count < capacity {
      indices.set(key.rawValue, keys.count)
      keys.append(key.rawValue)
      values.append(value)
      return nil
    }
    let evicted = values[oldest]
    indices.remove(keys[oldest])
    indices.set(key.rawValue, oldest)
    keys[oldest] = key.rawValue
    values[oldest] = value
    oldest = oldest + 1 == capacity ? 0 : oldest + 1
    return evicted
  }
}
