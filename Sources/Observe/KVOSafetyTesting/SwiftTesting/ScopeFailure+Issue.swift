internal import Testing

extension ScopeFailure {
  /// Records an issue, and attaches to the current test what failed: the report, and the log for `kvo-audit`.
  ///
  /// `swift test --attachments-path FOLDER` saves them.
  func record(at sourceLocation: SourceLocation) {
    Issue.record("\(text)", sourceLocation: sourceLocation)
    Attachment.record(text + "\n", named: "kvo-report.txt", sourceLocation: sourceLocation)
    Attachment.record(log, named: "kvo-log.jsonl", sourceLocation: sourceLocation)
  }
}
