internal import KVORecorder
internal import KVOTrace

/// A key path by name, split into its parts: once for each path that a thread uses often, not at every registration.
final class ObservedPath: Sendable {
  /// As the caller passed it, or the name of a typed key path.
  let text: String
  let parts: [String]
  /// The type of the values of a typed key path, if it is an optional.
  let optional: OptionalLayout?
  private let foundNames = LazyReference<Names>()

  init(_ text: String, valueType: Any.Type? = nil) {
    self.text = text
    parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    optional = (valueType as? any OptionalType.Type)?.layout
  }

  /// The names of a path as events have them.
  final class Names: Sendable {
    let path: StringID
    let keys: [StringID]

    fileprivate init(_ path: ObservedPath) {
      self.path = Recorder.id(of: path.text)
      keys = path.parts.map { Recorder.id(of: $0) }
    }
  }

  /// The names; request them only if the path is known to consist of keys, because an interned name is never freed.
  var names: Names { foundNames.object { Names(self) } }

  /// The names, if they were requested before.
  var knownNames: Names? { foundNames.known }

  /// The key of a class that part `index` names; nil if the class has none.
  func key(_ index: Int, in keys: ObservableKeyTable) -> ResolvedKey? {
    // Comparing numbers costs less than hashing a text.
    knownNames.flatMap { keys.key($0.keys[index]) } ?? keys.key(named: parts[index])
  }
}
