/// A typed key path with a part that has no name, as logs spell it: `title → a member of String`.
///
/// No key path by name has such a text. The library writes it, and reports say what it means.
package struct UnnamedKeyPath: Hashable, Sendable {
  /// The names of the parts before that one.
  package var names: [String]
  /// The type that the part belongs to.
  package var type: String

  private static let words = "a member of "
  private static let separator = " → "

  package init(names: [String], type: String) {
    self.names = names
    self.type = type
  }

  /// Reads the text of a key path; nil: its parts have names.
  package init?(_ text: String) {
    var parts = text.split(separator: Self.separator, omittingEmptySubsequences: false)
    guard let end = parts.popLast(), end.hasPrefix(Self.words) else { return nil }
    names = parts.map(String.init)
    type = String(end.dropFirst(Self.words.count))
  }

  /// The text in logs.
  package var text: String { (names + [Self.words + type]).joined(separator: Self.separator) }
}
