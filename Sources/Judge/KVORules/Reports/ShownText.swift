private import KVOTrace

/// Text from a log, escaped for a terminal.
///
/// A log may come from an untrusted source. Characters that would move the cursor, change colors, end the line or
/// change the writing direction are escaped: `\u{1b}`. So is the first character of each command that a CI server
/// would run: `::error::` at the start of a line, after any blanks, and `##[error]`, `##vso[…]` or `##teamcity[…]`
/// anywhere in it.
///
/// Source: `ActionCommand` of <https://github.com/actions/runner>: `TryParseV2` trims white space and expects `::`,
/// `TryParse` finds `##[` anywhere.
package enum ShownText {
  /// `text` with control and direction characters, and commands of CI servers, escaped as in Swift.
  ///
  /// Complexity: O(length); text without them is not copied.
  package static func escaped(_ text: String) -> String {
    let scalars = text.unicodeScalars
    let colons = leadingColons(scalars)
    guard colons != nil || text.utf8.contains(0x23) || scalars.contains(where: \.actsOnTerminals)
    else {
      return text
    }
    var result = ""
    for index in scalars.indices {
      let scalar = scalars[index]
      switch scalar {
      case "\n": result += #"\n"#
      case "\r": result += #"\r"#
      case "\t": result += #"\t"#
      case _ where scalar.actsOnTerminals, _ where index == colons,
        "#" where isCommand(scalars[index...]):
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Where `::` is, if only blanks are before it.
  private static func leadingColons(_ text: String.UnicodeScalarView) -> String.Index? {
    let start = text.firstIndex { !isBlank($0) }
    guard let start, text[start...].starts(with: "::".unicodeScalars) else { return nil }
    return start
  }

  /// Whether a reader may trim the character: white space, and the two invisible ones that some count as such.
  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar == "\u{200b}" || scalar == "\u{feff}"
  }

  /// Whether `text` begins with `##`, a word or none, and `[`.
  private static func isCommand(_ text: Substring.UnicodeScalarView) -> Bool {
    guard text.starts(with: "##".unicodeScalars) else { return false }
    return text.dropFirst(2).first { !$0.properties.isAlphabetic } == "["
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
    // They are written with a number sign between them, which must not begin or end a `##`.
    var (className, id) = (ShownText.escaped(className), ShownText.escaped(id))
    if className.last == "#" { className = className.dropLast() + #"\u{23}"# }
    if id.first == "#" { id = #"\u{23}"# + id.dropFirst() }
    return Finding.Object(className: className, id: id)
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
