import Testing

/// A log as somebody writes it who has read Documentation/LogFormat.md and nothing else, and what is wrong
/// with the program in it, decided before it was ever judged.
///
/// The lines say all that the grammar lets them say; the tests leave keys out. In them `$account`, `$screen`,
/// `$page` and `$token` stand for objects, `$pair` for the account's balance as the screen observes it, and
/// `$in` for a stack.
struct HandWrittenLog: Sendable, CustomTestStringConvertible {
  let name: String
  /// The codes of all findings.
  let expected: Set<String>
  private let lines: String

  init(_ name: String, _ expected: Set<String> = [], _ lines: String) {
    self.name = name
    self.expected = expected
    self.lines = lines
  }

  var testDescription: String { name }

  /// The log with all its keys.
  var text: String {
    var text = lines
    for (short, long) in Self.words { text = text.replacing(short, with: long) }
    return text + "\n"
  }

  private static let words = [
    ("$pair", #""subject":$account,"observer":$screen,"keyPath":"balance","context":null"#),
    ("$change", #""subject":$account,"key":"balance""#),
    ("$account", #"{"class":"Account","id":"12","kind":"object"}"#),
    ("$screen", #"{"class":"Screen","id":"3","kind":"object"}"#),
    ("$page", #"{"class":"Page","id":"4","kind":"object"}"#),
    ("$person", #"{"class":"Person","id":"5","kind":"object"}"#),
    ("$token", #"{"class":"ObservationToken","id":"9","kind":"token"}"#),
    ("$in", #""stack":["Screen.work() (Screen.swift:20)","main (main.swift:3)"]"#),
    ("$made", #""site":"Screen.swift:12","stack":["Screen.init() (Screen.swift:12)"]"#),
  ]

  static let all =
    removals + registrations + lives + changes + getters + threads + scopes + graphs
}
