/// Reads crash reports and console text as findings.
///
/// The room that knows what runtimes print and the room that audits do not know each other: they meet
/// in this protocol.
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

  /// The input is over.
  ///
  /// - Returns: what was in it.
  func finish() -> ImportedText
}

/// What an input of crash reports or console text holds.
package struct ImportedText: Sendable {
  /// What form it has.
  package enum Form: String, Sendable {
    /// Apple's crash reports as text.
    case crash
    /// Apple's crash reports as JSON, and the exports of crash services.
    case ips
    /// Everything else: what consoles print and people paste.
    case console
  }

  /// A place that could not be read as what it seems to be.
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
  /// Whether it tells of a crash, whatever that is of: a report of a hang does not.
  package var isCrash: Bool
  /// How many reports, or passages of a console with a fault, it has.
  package var reportCount: Int
  /// Folded by signature, in the order in which they stand in the input.
  package var findings: [Finding]
  package var problems: [Problem]
  /// Why frames stay addresses, a sentence each.
  package var unnamed: [String]
  /// Why nothing of it is text, or nil.
  package var refusal: String?

  package init(
    form: Form,
    isCrash: Bool = false,
    reportCount: Int = 0,
    findings: [Finding] = [],
    problems: [Problem] = [],
    unnamed: [String] = [],
    refusal: String? = nil
  ) {
    self.form = form
    self.isCrash = isCrash
    self.reportCount = reportCount
    self.findings = findings
    self.problems = problems
    self.unnamed = unnamed
    self.refusal = refusal
  }
}
