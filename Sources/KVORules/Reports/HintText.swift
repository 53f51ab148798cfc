/// The hint of a rule with the names of the case at hand.
enum HintText {
  /// Puts names in place of `{keyPath}`, `{observer}`, `{subject}` and `{context}`.
  ///
  /// Hints are lines of code: an object is named as a variable of its class would be, and what is not
  /// known becomes a word for it.
  static func fill(
    _ hint: String,
    keyPath: String?,
    observer: String?,
    subject: String?,
    context: String?
  ) -> String {
    let names = [
      "keyPath": keyPath ?? "keyPath",
      "observer": variable(of: observer) ?? "observer",
      "subject": variable(of: subject) ?? "object",
      "context": context ?? "context",
    ]
    var text = ""
    var rest = hint[...]
    while let open = rest.firstIndex(of: "{") {
      text += rest[..<open]
      rest = rest[open...]
      guard let close = rest.firstIndex(of: "}"),
        let name = names[String(rest[rest.index(after: open)..<close])]
      else {
        text.append("{")
        rest = rest.dropFirst()
        continue
      }
      text += name
      rest = rest[rest.index(after: close)...]
    }
    return text + rest
  }

  private static func variable(of className: String?) -> String? {
    guard let className, let first = className.first else { return nil }
    // A generic or nested class has a name that no variable has.
    let name = className.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    return first.lowercased() + name.dropFirst()
  }
}
