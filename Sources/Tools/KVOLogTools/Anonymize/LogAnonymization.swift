package import KVOAudit
import KVORules
package import KVOTrace

/// Logs with other names in them, which are judged as the logs themselves are.
///
/// Rules compare names, and never look into them; what a report reads in them stays as it is. So rules,
/// order, counts and what belongs together are the same, and signatures are those of the other names.
package struct LogAnonymization {
  private var names: NameAnonymizer
  private let key: AnonymizationKey
  private let resolver: (any FrameResolver)?

  /// Makes an anonymization.
  ///
  /// - Parameters:
  ///   - key: what names are replaced under.
  ///   - resolver: gives names to addresses, which say nothing if the images are not.
  package init(key: AnonymizationKey, resolver: (any FrameResolver)? = nil) {
    names = NameAnonymizer(key: key)
    self.key = key
    self.resolver = resolver
  }

  /// The names of all logs so far, also of refused ones, with their pseudonyms.
  package var map: PseudonymMap { PseudonymMap(names: names.pseudonyms.originals) }

  /// Reads a log to its end, and gives the bytes of one with other names, in the same form, to `output`.
  ///
  /// - Parameters:
  ///   - input: the log.
  ///   - progress: called with how far it is.
  ///   - output: takes the bytes.
  /// - Returns: what was read.
  /// - Throws: ``InputFailure`` if the input is not a log. Some of it may have been written.
  /// - Complexity: O(bytes); memory is bounded by the distinct names and stacks.
  package mutating func run(
    _ input: AuditInput,
    progress: LogSource.Progress? = nil,
    _ output: LogConversion.Output
  ) throws(InputFailure) -> LogReading? {
    var conversion = LogConversion(
      of: input,
      rewriting: EventRewriter(names, resolver: resolver)
    )
    // Only the rewriter has the names meanwhile: otherwise the first new one would copy those of all logs before.
    names = NameAnonymizer(key: key)
    // Also if the log is refused in the end: what was written has its names.
    defer {
      if let rewriter = conversion.rewriter as? EventRewriter<NameAnonymizer> {
        names = rewriter.mapping
      }
    }
    try conversion.run(progress: progress, output)
    return conversion.reading
  }
}
