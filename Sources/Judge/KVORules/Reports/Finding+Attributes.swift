extension Finding {
  /// A property by the key that log records of other tools have for it; nil: not known.
  package typealias Attribute = (key: String, value: AttributeValue?)

  /// The value of an attribute, by the types that OpenTelemetry distinguishes.
  package enum AttributeValue: Hashable, Sendable, CustomStringConvertible {
    case text(String)
    case integer(Int)
    case flag(Bool)

    /// A text, or nil if there is none.
    package init?(_ text: String?) {
      guard let text else { return nil }
      self = .text(text)
    }

    package var description: String {
      switch self {
      case .text(let text): text
      case .integer(let number): "\(number)"
      case .flag(let isSet): "\(isSet)"
      }
    }
  }

  /// What the finding is about.
  ///
  /// The keys are a public contract: people filter by them.
  package var attributes: [Attribute] {
    [
      ("kvo.rule", .text(code.rawValue)), ("kvo.rule.name", .text(code.slug)),
      ("kvo.signature", .text(signature)),
      ("kvo.observed.class", AttributeValue(subject?.className)),
      ("kvo.observer.class", AttributeValue(observer?.className)),
      ("kvo.key_path", AttributeValue(keyPath)),
      ("kvo.consequence", .text(consequence.rawValue)),
    ]
  }

  /// The advice, by the same keys.
  package var adviceAttribute: Attribute { ("kvo.advice", .text(hint)) }
}

extension Finding.Stack {
  /// The stack and its first own frame, by the names of OpenTelemetry's semantic conventions.
  package var attributes: [Finding.Attribute] {
    guard !frames.isEmpty else { return [("code.stacktrace", Finding.AttributeValue(site))] }
    let own = frames.first(where: \.isFirstOwn)
    let lines = frames.map { "\($0.shownFunction) \(FindingText.location(of: $0))" }
    return [
      ("code.function.name", Finding.AttributeValue(own?.symbol)),
      ("code.file.path", Finding.AttributeValue(own?.file)),
      ("code.line.number", own.flatMap { $0.line > 0 ? .integer($0.line) : nil }),
      ("code.stacktrace", .text(lines.joined(separator: "\n"))),
    ]
  }
}
