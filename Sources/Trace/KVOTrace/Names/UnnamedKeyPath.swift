/// A typed key path with a part that has no name, as logs spell it: `title → a member of String`, or
/// `a member of Savings, which has only inherited keys`.
///
/// No key path by name has such a text. The library writes it, and reports say what it means.
package struct UnnamedKeyPath: Hashable, Sendable {
  /// The names of the parts before that one.
  package var names: [String]
  /// The type that the part belongs to.
  package var type: String
  /// Whether that is a class that has only the keys of its superclass, because it lists none itself.
  package var hasOnlyInheritedKeys: Bool

  private static let words = "a member of "
  private static let separator = " → "
  private static let inherited = ", which has only inherited keys"

  package init(names: [String], type: String, hasOnlyInheritedKeys: Bool = false) {
    self.names = names
    self.type = type
    self.hasOnlyInheritedKeys = hasOnlyInheritedKeys
  }

  /// Reads the text of a key path; nil: its parts have names.
  package init?(_ text: String) {
    var parts = text.split(separator: Self.separator, omittingEmptySubsequences: false)
    guard let end = parts.popLast(), end.hasPrefix(Self.words) else { return nil }
    names = parts.map(String.init)
    hasOnlyInheritedKeys = end.hasSuffix(Self.inherited)
    type = String(
      end.dropFirst(Self.words.count).dropLast(hasOnlyInheritedKeys ? Self.inherited.count : 0)
    )
  }

  /// The text in logs.
  package var text: String {
    let end = Self.words + type + (hasOnlyInheritedKeys ? Self.inherited : "")
    return (names + [end]).joined(separator: Self.separator)
  }
}
