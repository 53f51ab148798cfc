import KVORules

/// The missing parts of an input, which no command may take for complete.
enum IncompleteInput {
  /// Prints each missing part to standard error.
  ///
  /// - Parameter parts: the parts, as `AuditReport.incompleteness` has them.
  static func complain(_ parts: [String]) {
    for part in parts { StandardStreams.complain("kvo-audit: \(ShownText.escaped(part))") }
  }
}
