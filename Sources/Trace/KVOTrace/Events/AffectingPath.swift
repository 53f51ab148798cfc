/// A key path that a class declares to affect one of its keys.
@usableFromInline
package struct AffectingPath: Hashable, Sendable {
  package var text: StringID
  /// The keys of the path, from the declaring class's own on; one if the path is a key.
  ///
  /// The rules compare ids and have no texts, so they cannot split the path.
  package var keys: [StringID]

  /// The path that is spelled `path`, with ids from `id`.
  ///
  /// Complexity: O(length).
  package init(_ path: String, id: (String) -> StringID) {
    text = id(path)
    keys =
      path.contains(".")
      ? path.split(separator: ".", omittingEmptySubsequences: false).map { id(String($0)) } : [text]
  }
}

extension TraceNames {
  /// The affecting path that is spelled `path`, interned with its keys.
  package mutating func affectingPath(_ path: String) -> AffectingPath {
    AffectingPath(path) { id(of: $0) }
  }
}
