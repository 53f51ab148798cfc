/// A pattern for whole texts: `*` stands for any characters, also none, `?` for one, and `\` escapes the next.
package struct GlobPattern: Hashable, Sendable {
  private enum Part: Hashable, Sendable {
    case character(Character)
    case any
    case anyRun
  }

  /// The text as written.
  package let text: String
  private let parts: [Part]

  package init(_ text: some StringProtocol) {
    self.text = String(text)
    var parts: [Part] = []
    var isEscaped = false
    for character in text {
      if isEscaped {
        parts.append(.character(character))
        isEscaped = false
        continue
      }
      switch character {
      case "\\": isEscaped = true
      case "?": parts.append(.any)
      // A second star in a row is redundant.
      case "*": if parts.last != .anyRun { parts.append(.anyRun) }
      default: parts.append(.character(character))
      }
    }
    if isEscaped { parts.append(.character("\\")) }
    self.parts = parts
  }

  /// Whether every text matches it, apart from texts that are too short.
  package var matchesAll: Bool {
    parts.contains(.anyRun) && parts.allSatisfy { $0 == .anyRun || $0 == .any }
  }

  /// Whether the whole of `text` matches the pattern, case-sensitively.
  ///
  /// Complexity: O(length of the text × stars).
  package func matches(_ text: some StringProtocol) -> Bool {
    var part = 0
    var position = text.startIndex
    // Where to continue if the rest after the last star does not match: with one more character for the star.
    var retry: (part: Int, position: String.Index)?
    while position < text.endIndex {
      if part < parts.count {
        switch parts[part] {
        case .anyRun:
          retry = (part, position)
          part += 1
          continue
        case .any:
          part += 1
          position = text.index(after: position)
          continue
        case .character(let character) where character == text[position]:
          part += 1
          position = text.index(after: position)
          continue
        case .character: break
        }
      }
      guard let last = retry else { return false }
      position = text.index(after: last.position)
      retry = (last.part, position)
      part = last.part + 1
    }
    return parts[part...].allSatisfy { $0 == .anyRun }
  }
}
