import KVOAudit
import KVORules
import KVOText

/// The missing parts of an input, which no command may take for complete.
enum IncompleteInput {
  /// Prints each missing part to standard error.
  ///
  /// - Parameter parts: the parts, as `AuditReport.incompleteness` has them.
  static func complain(_ parts: [String]) {
    for part in parts { StandardStreams.complain("kvo-audit: \(ShownText.escaped(part))") }
  }

  /// Reports the number of damaged regions of a log, which no copy and no figure has.
  ///
  /// - Returns: whether there are any.
  static func reportDamage(in reading: LogReading?, of log: String) -> Bool {
    guard let reading, reading.problemCount > 0 else { return false }
    let count = Wording.count(reading.problemCount, "part")
    let path = Wording.shellWord(log)
    StandardStreams.complain(
      "kvo-audit: \(count) of \(log) could not be read; `kvo-audit validate \(path)` lists them"
    )
    return true
  }
}
