package import KVORules

/// Reads crash reports and console text as findings.
///
/// The module that knows what runtimes print and the module that audits do not depend on each other; this protocol
/// connects them.
package protocol TextImporter: Sendable {
  /// A reader of one input, for one thread.
  ///
  /// - Parameters:
  ///   - profile: the runtime to judge as; nil: the one that each report is from.
  ///   - appModules: the user's own images; empty: all but the system's.
  /// - Returns: the reader.
  func reader(profile: Profile?, appModules: [String]) -> any TextFaultReader
}

/// Reads one input, piece by piece.
package protocol TextFaultReader: AnyObject {
  /// Takes the next bytes of the input.
  ///
  /// - Complexity: O(length), with memory that is bounded by the longest report and the findings.
  func read(_ bytes: ArraySlice<UInt8>)

  /// Whether the input is refused, whatever follows.
  var isRefused: Bool { get }

  /// The input has ended.
  ///
  /// - Returns: the content.
  func finish() -> ImportedText
}

/// The content of an input of crash reports or console text.
package struct ImportedText: Sendable {
  /// Why a report of kvo-audit is neither read as text nor as a log.
  package static let reportReason =
    "a report of kvo-audit, not a log; `kvo-audit merge` reads it"

  /// The format of the input.
  package enum Form: String, Sendable {
    /// Apple's crash reports as text.
    case crash
    /// Apple's crash reports as JSON, and the exports of crash services.
    case ips
    /// Everything else: console output and pasted text.
    case console
  }

  /// A location with malformed content.
  package struct Problem: Hashable, Sendable {
    /// The 1-based line.
    package var line: Int
    package var message: String

    package init(line: Int, message: String) {
      self.line = line
      self.message = message
    }
  }

  package var form: Form
  /// Whether it reports a crash, regardless of the cause: a report of a hang does not.
  package var isCrash: Bool
  /// How many reports, or passages of a console with a fault, it has.
  package var reportCount: Int
  /// Whether it has a report of kvo-audit, which was skipped.
  package var hasOwnReport: Bool
  /// Folded by signature, in the order of the input.
  package var findings: [Finding]
  package var problems: [Problem]
  /// The reasons why frames are not symbolicated, a sentence each.
  package var unnamed: [String]
  /// The reason why none of it is text, or nil.
  package var refusal: String?

  package init(
    form: Form,
    isCrash: Bool = false,
    reportCount: Int = 0,
    hasOwnReport: Bool = false,
    findings: [Finding] = [],
    problems: [Problem] = [],
    unnamed: [String] = [],
    refusal: String? = nil
  ) {
    self.form = form
    self.isCrash = isCrash
    self.reportCount = reportCount
    self.hasOwnReport = hasOwnReport
    self.findings = findings
    self.problems = problems
    self.unnamed = unnamed
    self.refusal = refusal
  }
}
