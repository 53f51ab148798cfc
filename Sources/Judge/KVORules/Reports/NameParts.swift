extension String {
  /// The name of the type without its module, the types around it and generic arguments: `MyApp.Box<Int>` as `Box`,
  /// and `MyApp.Box<Int>.Row` as `Row`.
  package var plainTypeName: String {
    var plain = ""
    var depth = 0
    var last: Character?
    for character in self {
      switch character {
      case "<": depth += 1
      // The arrow of a function's type closes nothing.
      case ">" where last != "-" && depth > 0: depth -= 1
      default: if depth == 0 { plain.append(character) }
      }
      last = character
    }
    return plain.split(separator: ".").last.map(String.init) ?? self
  }
}

extension Substring {
  /// Whether it consists of letters, digits and underscores, and does not begin with a digit.
  var isWord: Bool {
    let digits: ClosedRange<Unicode.Scalar> = "0"..."9"
    guard let first = unicodeScalars.first, !digits.contains(first) else { return false }
    return unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || $0 == "_" || digits.contains($0)
    }
  }

  /// Where `text` first occurs; the standard library's own search needs a newer system.
  ///
  /// Complexity: O(length · length of `text`).
  package func firstRange(of text: String) -> Range<Index>? {
    guard let start = indices.first(where: { self[$0...].hasPrefix(text) }) else { return nil }
    return start..<index(start, offsetBy: text.count)
  }
}
