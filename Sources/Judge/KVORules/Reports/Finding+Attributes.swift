extension Finding {
  /// What the finding is about, by the keys that log records of other tools have for it; nil: not known.
  ///
  /// The keys are a public contract: people filter by them.
  package var attributes: [(key: String, value: String?)] {
    [
      ("kvo.rule", code.rawValue), ("kvo.rule.name", code.slug), ("kvo.signature", signature),
      ("kvo.observed.class", subject?.className), ("kvo.observer.class", observer?.className),
      ("kvo.key_path", keyPath), ("kvo.consequence", consequence.rawValue),
    ]
  }

  /// The advice, by the same keys.
  package var adviceAttribute: (key: String, value: String?) { ("kvo.advice", hint) }
}

extension Finding.Stack {
  /// The stack and its first own frame, by the names of OpenTelemetry's semantic conventions.
  package var attributes: [(key: String, value: String?)] {
    guard !frames.isEmpty else { return [("code.stacktrace", site)] }
    let own = frames.first(where: \.isFirstOwn)
    let lines = frames.map { "\($0.shownFunction) \(FindingText.location(of: $0))" }
    return [
      ("code.function.name", own?.symbol), ("code.file.path", own?.file),
      ("code.line.number", own.flatMap { $0.line > 0 ? "\($0.line)" : nil }),
      ("code.stacktrace", lines.joined(separator: "\n")),
    ]
  }
}
