/// Text from a log, escaped for a terminal.
///
/// A log may come from an untrusted source. Characters that would move the cursor, change colours, end the line or
/// change the writing direction are escaped: `\u{1b}`. So is the first character of text that a CI server would
/// interpret as a command at the start of a line: `::error::`, `##[error]`.
package enum ShownText {
  /// `text` with control and direction characters escaped as in Swift.
  ///
  /// Complexity: O(length); text without such characters is not copied.
  package static func escaped(_ text: String) -> String {
    if isCommand(text) {
      let first = text.unicodeScalars.first.map { String($0.value, radix: 16) } ?? ""
      return "\\u{\(first)}" + escapedCharacters(of: String(text.unicodeScalars.dropFirst()))
    }
    return escapedCharacters(of: text)
  }

  /// Whether a CI server runs a line that begins with `text`, ignoring leading blanks.
  private static func isCommand(_ text: String) -> Bool {
    text.hasPrefix("::") || text.hasPrefix("##[")
  }

  private static func escapedCharacters(of text: String) -> String {
    guard text.unicodeScalars.contains(where: isActive) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": result += #"\n"#
      case "\r": result += #"\r"#
      case "\t": result += #"\t"#
      case _ where isActive(scalar): result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Whether a terminal or a text view acts on the character instead of showing it.
  package static func isActive(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // Control characters; the second block holds the one-byte form of the escape sequences.
    case 0..<0x20, 0x7f..<0xa0: true
    // Marks, embeddings, overrides and isolates of direction.
    case 0x061c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069: true
    // Separators of lines and paragraphs.
    case 0x2028, 0x2029: true
    default: false
    }
  }
}

extension Finding {
  /// The finding with every text in it escaped for a terminal.
  package var shown: Finding {
    var copy = self
    copy.message = ShownText.escaped(message)
    copy.hint = ShownText.escaped(hint)
    copy.stacks = stacks.map(\.shown)
    copy.consequences = consequences.map(\.shown)
    for index in lines.indices {
      copy.lines[index].location = lines[index].location.map(ShownText.escaped)
    }
    copy.suppression?.reason = ShownText.escaped(suppression?.reason ?? "")
    copy.suppression?.location = ShownText.escaped(suppression?.location ?? "")
    copy.cycle = cycle.map { edge in
      var copy = edge
      copy.from = edge.from.shown
      copy.to = edge.to.shown
      copy.label = ShownText.escaped(edge.label)
      copy.strength = ShownText.escaped(edge.strength)
      return copy
    }
    return copy
  }
}

extension Finding.Object {
  fileprivate var shown: Finding.Object {
    Finding.Object(className: ShownText.escaped(className), id: ShownText.escaped(id))
  }
}

extension Finding.Stack {
  /// The stack with every text in it escaped for a terminal.
  package var shown: Finding.Stack {
    var copy = self
    copy.thread = thread.map(ShownText.escaped)
    copy.threadName = threadName.map(ShownText.escaped)
    copy.site = site.map(ShownText.escaped)
    copy.function = function.map(ShownText.escaped)
    copy.frames = frames.map { frame in
      var copy = frame
      copy.symbol = frame.symbol.map(ShownText.escaped)
      copy.module = frame.module.map(ShownText.escaped)
      copy.file = frame.file.map(ShownText.escaped)
      return copy
    }
    return copy
  }
}
