extension String {
  /// The name of the type without its module and generic arguments: `MyApp.Box<Int>` as `Box`.
  package var plainTypeName: String {
    prefix { $0 != "<" }.split(separator: ".").last.map(String.init) ?? self
  }
}

extension Substring {
  /// Where `text` first occurs; the standard library's own search needs a newer system.
  ///
  /// Complexity: O(length · length of `text`).
  package func firstRange(of text: String) -> Range<Index>? {
    guard let start = indices.first(where: { self[$0...].hasPrefix(text) }) else { return nil }
    return start..<index(start, offsetBy: text.count)
  }
}
