import KVOTrace

/// Which keys a line may have, so that the others can be counted.
enum Grammar {
  private static let common: Set = ["event", "t", "thread", "order", "stack", "scope"]
  /// The keys of an object.
  static let object: Set = ["class", "id", "address", "kind"]
  /// The keys of a frame.
  static let frame: Set = ["address", "symbol", "module", "file", "line"]

  private static let all = own.mapValues { $0.union(common) }

  /// Whether the name of a class is that of a subclass that a runtime creates for observing: Apple's, and GNUstep's.
  static func isKVOSubclass(_ name: String) -> Bool {
    TraceNames.notifyingPrefixes.contains(where: name.hasPrefix)
  }

  /// Whether there are events of that name.
  static func isEvent(_ name: String) -> Bool { own[name] != nil }

  /// Calls `found` with every key of `line` that the grammar does not have, as `subject.color` if
  /// it is inside another value.
  ///
  /// Complexity: O(keys).
  static func unknownKeys(
    of line: [String: JSONValue],
    in event: String,
    _ found: (String) -> Void
  ) {
    let known = all[event] ?? []
    for (key, value) in line {
      guard known.contains(key) else {
        found(key)
        continue
      }
      let inner = key == "stack" ? frame : object
      switch value {
      case .object(let values): unknownKeys(of: values, known: inner, under: key, found)
      case .list(let elements):
        for case .object(let values) in elements {
          unknownKeys(of: values, known: inner, under: key, found)
        }
      default: break
      }
    }
  }

  private static func unknownKeys(
    of values: [String: JSONValue],
    known: Set<String>,
    under parent: String,
    _ found: (String) -> Void
  ) {
    for key in values.keys where !known.contains(key) { found("\(parent).\(key)") }
  }
}
