import KVORules
import KVOText

/// Reads files of suppressions, one a line.
///
///     # comment
///     KVO001 class=Account path=owner.* frame=*/Legacy/* until=2027-01-31 because #412 rewrites it
///
/// The grammar is `Documentation/Suppressions.md`.
struct SuppressionParser {
  /// The error in a line, and what would be correct.
  struct Problem: Error {
    var message: String
    init(_ message: String) { self.message = message }
  }

  private static let keys = ["class", "path", "frame", "signature", "until"]
  private static let example =
    "KVO001 class=Account path=balance until=2027-01-31 because the rewrite removes it once"

  /// The content of `line`, without its end; nil if it is blank or a comment.
  static func parse(
    _ line: Substring,
    file: String,
    number: Int
  ) throws(Problem) -> Suppression? {
    var words = Words(line)
    if words.rest.first == "#" { return nil }
    guard let rule = try words.next() else { return nil }
    try check(rule: rule)
    var values: [String: String] = [:]
    var reason: Substring?
    while let word = try words.next() {
      if word == "because" {
        reason = words.rest
        break
      }
      let (key, value) = try split(word)
      if values.updateValue(value, forKey: key) != nil {
        throw Problem("\"\(key)\" is said twice; one line is one suppression")
      }
    }
    guard let until = values["until"] else {
      throw Problem("no day on which it ends; say until when, as until=2027-01-31")
    }
    guard let day = CalendarDay(until) else {
      throw Problem("\"\(until)\" is not a day; write year, month and day, as until=2027-01-31")
    }
    guard let reason, !reason.isEmpty else {
      throw Problem("no reason; end the line with why, as in: \(example)")
    }
    let signature = try values["signature"].map(signature)
    let suppression = Suppression(
      file: file,
      line: number,
      rule: GlobPattern(rule),
      className: values["class"].map(GlobPattern.init),
      keyPath: values["path"].map(GlobPattern.init),
      frame: values["frame"].map(GlobPattern.init),
      signature: signature,
      until: day,
      reason: String(reason)
    )
    if suppression.meansAll {
      throw Problem("it would suppress everything; name a rule, class, path or frame")
    }
    return suppression
  }

  private static func check(rule: String) throws(Problem) {
    let pattern = GlobPattern(rule)
    if RuleCode.allCases.contains(where: {
      pattern.matches($0.rawValue) || pattern.matches($0.slug)
    }) {
      return
    }
    if keys.contains(where: { rule.hasPrefix("\($0)=") }) || rule == "because" {
      throw Problem(
        "no rule at its start; a line begins with a code, a slug or *, as in: \(example)"
      )
    }
    let known = RuleCatalogue.entries.flatMap { [$0.code.rawValue, $0.slug] }
    let near = Wording.near(rule, in: known).map { "\"\($0)\"" }
    throw Problem(
      "\"\(rule)\" is not a rule; "
        + (near.isEmpty
          ? "`kvo-audit explain` lists them" : "did you mean \(near.joined(separator: " or "))?")
    )
  }

  private static func signature(_ text: String) throws(Problem) -> SignaturePattern {
    let pattern = SignaturePattern(text)
    if pattern.isName { return pattern }
    throw Problem(
      "\"\(text)\" is not a signature; reports have 2: and at least eight of 0-9 and a-f, as "
        + "signature=2:5f0c2a91d3"
    )
  }

  private static func split(_ word: String) throws(Problem) -> (key: String, value: String) {
    guard let equals = word.firstIndex(of: "=") else {
      throw Problem(
        "\"\(word)\" is not understood; here comes class=, path=, frame=, signature=, until= or "
          + "\"because\" with the reason"
      )
    }
    let key = String(word[..<equals])
    guard keys.contains(key) else {
      let near = Wording.near(key, in: keys).first
      throw Problem(
        "\"\(key)\" is not a key; "
          + (near.map { "did you mean \"\($0)\"?" } ?? "there are \(keys.joined(separator: ", "))")
      )
    }
    let value = String(word[word.index(after: equals)...])
    if value.isEmpty { throw Problem("\"\(key)=\" has no value; leave it out to match anything") }
    return (key, value)
  }
}

extension Suppression {
  /// Whether its criteria leave nothing out.
  fileprivate var meansAll: Bool {
    let isForAllRules = RuleCode.allCases.allSatisfy {
      rule.matches($0.rawValue) || rule.matches($0.slug)
    }
    return isForAllRules && (signature?.matchesAll ?? true)
      && [className, keyPath, frame].allSatisfy { $0?.matchesAll ?? true }
  }
}

/// The words of a line, separated by blanks; a value may be in quotes.
private struct Words {
  private(set) var rest: Substring

  init(_ line: Substring) {
    rest = line
    skipBlanks()
    while let last = rest.last, last.isBlank { rest.removeLast() }
  }

  /// The next word without its quotes; a backslash is kept for the pattern.
  mutating func next() throws(SuppressionParser.Problem) -> String? {
    if rest.isEmpty { return nil }
    var text = ""
    var isQuoted = false
    while let character = rest.first, isQuoted || !character.isBlank {
      rest.removeFirst()
      if character == "\\", let next = rest.first {
        text += "\\\(next)"
        rest.removeFirst()
      } else if character == "\"" {
        isQuoted.toggle()
      } else {
        text.append(character)
      }
    }
    if isQuoted {
      throw SuppressionParser.Problem(
        "a quote is not closed; a \" that belongs to a name is written \\\""
      )
    }
    skipBlanks()
    return text
  }

  private mutating func skipBlanks() {
    while let first = rest.first, first.isBlank { rest.removeFirst() }
  }
}

extension Character {
  fileprivate var isBlank: Bool { self == " " || self == "\t" }
}
