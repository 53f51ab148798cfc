/// A dictionary that forgets its oldest key when it is full.
struct BoundedMap<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let capacity: Int
  private var values: [Key: Value] = [:]
  private var keys: [Key] = []
  private var oldest = 0

  init(capacity: Int) { self.capacity = max(1, capacity) }

  /// Setting nil is ignored: a key is forgotten by its age alone.
  ///
  /// Complexity: O(1).
  subscript(key: Key) -> Value? {
    get { values[key] }
    set {
      guard let newValue, values.updateValue(newValue, forKey: key) == nil else { return }
      if keys.count < capacity {
        keys.append(key)
      } else {
        values[keys[oldest]] = nil
        keys[oldest] = key
        oldest = (oldest + 1) % capacity
      }
    }
  }
}
