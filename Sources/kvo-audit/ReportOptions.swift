import ArgumentParser
import KVOAudit
import KVOReports
import KVORules

/// The forms of a report, and its effect on the exit status.
struct ReportOptions: ParsableArguments {
  /// The lowest severity for which the exit status is 1.
  enum FailOn: String, CaseIterable, ExpressibleByArgument {
    case error
    case warning
    case note
    case never

    var severity: Severity? {
      switch self {
      case .error: .error
      case .warning: .warning
      case .note: .note
      case .never: nil
      }
    }
  }

  enum Coloring: String, CaseIterable, ExpressibleByArgument {
    case auto
    case always
    case never

    /// Whether standard output is colored; `auto` respects NO_COLOR.
    var isOn: Bool {
      switch self {
      case .auto: StandardStreams.isOutputTerminal && !StandardStreams.isSet("NO_COLOR")
      case .always: true
      case .never: false
      }
    }
  }

  @Option(
    name: .customLong("format"),
    help: ArgumentHelp(
      """
      The form of the report: text, json, markdown, sarif, junit, html (a self-contained page for a \
      browser), gitlab (Code Quality) or github (annotations); =FILE writes it to a file (repeatable; by default, \
      text on standard output).
      """,
      valueName: "form[=file]"
    )
  )
  var formats: [ReportOutput] = []

  @Option(
    help: ArgumentHelp(
      "Write a partial result for `kvo-audit merge`: the JSON report, in addition to other forms.",
      valueName: "file"
    ),
    completion: .file(extensions: ["json"])
  )
  var summary: String?

  @Flag(
    help: """
      Omit no finding from json, markdown, sarif, junit and gitlab. By default, they stay within the limits of \
      their readers (100 MB; 65,536 bytes; 10 MB compressed and 25,000 results; 10 MB; 10 MB), and have the number \
      of omitted findings.
      """
  )
  var noLimits = false

  @Flag(
    help: """
      List every input. By default, a report on more than 1,000 inputs lists those that are damaged, cut or \
      unreadable and those with findings, and counts the others by state.
      """
  )
  var allInputs = false

  @Flag(
    help: """
      Group the findings of the text report by the image (program, library or bundle) that registered \
      the observer.
      """
  )
  var byImage = false

  @Flag(
    help: """
      In a step of GitHub Actions (GITHUB_ACTIONS=true), write neither annotations to standard error nor the \
      summary of the job ($GITHUB_STEP_SUMMARY). Elsewhere neither is written.
      """
  )
  var noAnnotations = false

  @Flag(
    help: """
      Open the page of the audit in the browser (BROWSER, or that of the system): the file of --format html=FILE, or a \
      temporary one.
      """
  )
  var open = false

  @Flag(
    help: """
      Do not show a report that is longer than the terminal in a pager (PAGER, or less).
      """
  )
  var noPager = false

  // Not in groups of their own: each level of groups makes the parser's checks in a debug build four times as slow.
  @Option(
    help: ArgumentHelp(
      """
      Write paths of source files in sarif, gitlab and github relative to this folder; by default, relative to \
      the repository of the current folder, or to that folder.
      """,
      valueName: "folder"
    ),
    completion: .directory
  )
  var sourceRoot: String?

  @Option(
    help: ArgumentHelp(
      "The category that distinguishes this sarif report from others of the same commit, such as a platform.",
      valueName: "name"
    )
  )
  var category = Repository().category

  @Option(help: "The lowest severity that makes the exit status 1.")
  var failOn: FailOn = .error

  @Option(help: "Color severities; auto: on a terminal, unless NO_COLOR is set.")
  var color: Coloring = .auto

  /// All outputs to write.
  var outputs: [ReportOutput] {
    var named = formats.isEmpty && !open ? [ReportOutput(format: .text)] : formats
    if open, page == nil { named.append(ReportOutput(format: .html, path: OpenedPage.path)) }
    for index in named.indices {
      named[index].isUnlimited = noLimits
      named[index].repository = repository
    }
    // A report that will be merged must be complete.
    var partial = summary.map { ReportOutput(format: .json, path: $0) }
    partial?.isUnlimited = true
    return named + (partial.map { [$0] } ?? [])
  }

  /// Whether a page is to be written.
  var hasPage: Bool { open || formats.contains { $0.format == .html } }

  /// The file of the page, if one is named.
  private var page: String? { formats.lazy.filter { $0.format == .html }.compactMap(\.path).first }

  /// The repository of the source files.
  private var repository: Repository { Repository(sourceRoot: sourceRoot, category: category) }

  func validate() throws {
    try repository.validate()
    let printed = formats.filter { $0.path == nil }
    guard printed.count <= 1 else {
      let names = printed.map { "\"\($0.format.rawValue)\"" }.joined(separator: " and ")
      throw ValidationError(
        "\(names) cannot both go to standard output; name a file: --format \(printed[1].format.rawValue)=FILE"
      )
    }
    if byImage, !outputs.contains(where: { $0.format == .text }) {
      throw ValidationError("--by-image is for the text report; add --format text=FILE.")
    }
    let paths = outputs.compactMap(\.path)
    if let twice = paths.indices.first(where: { paths[..<$0].contains(paths[$0]) }) {
      throw ValidationError("two reports cannot both go to \"\(paths[twice])\"; name another file")
    }
  }

  /// Ensures that the outputs can be written, before any other work.
  ///
  /// - Parameters:
  ///   - inputs: the logs to be read.
  ///   - files: the other files to be read.
  /// - Throws: ``ExitStatus/unwritable`` if one cannot, after printing the error.
  func check(reading inputs: [AuditInput], and files: [String]) throws {
    try OutputFile.check(outputs.compactMap(\.path), reading: inputs, and: files)
  }

  /// Prints what is missing to standard error, writes the report in all forms, and exits with its status.
  ///
  /// - Parameters:
  ///   - report: the report.
  ///   - showsSuppressed: whether suppressed findings are reported.
  /// - Throws: the status, if it is not 0.
  func deliver(_ report: AuditReport, showsSuppressed: Bool) throws {
    var report = report
    if !allInputs { report.collapseInputs() }
    IncompleteInput.complain(report.incompleteness)
    for output in outputs {
      // Standard error has the reason. A file is written, so that none of an earlier run stays in its place.
      let isForPeople = output.format == .text || output.format == .markdown
      if report.inputs.isEmpty, isForPeople, output.path == nil { continue }
      try output.write(
        report,
        isColored: color.isOn,
        showsSuppressed: showsSuppressed,
        groupsByImage: byImage,
        failingFrom: failOn.severity,
        pages: !noPager
      )
    }
    if open { OpenedPage.open(page ?? OpenedPage.path) }
    if GitHubActions.isRunning, !noAnnotations {
      // GitHub reads standard output, too, and no file.
      if !formats.contains(where: { $0.format == .github && $0.path == nil }) {
        GitHubActions.annotate(report, root: repository.root)
      }
      if !report.inputs.isEmpty {
        GitHubActions.summarize(report, showsSuppressed: showsSuppressed)
      }
    }
    try end(report.failures, isIncomplete: report.isIncomplete, hasFindings: report.hasFindings)
  }

  /// Exits with the status of the report.
  func end(
    _ failures: [InputFailure],
    isIncomplete: Bool,
    hasFindings: (Severity) -> Bool
  ) throws {
    if !failures.isEmpty || isIncomplete { throw ExitStatus.unreadable }
    if let severity = failOn.severity, hasFindings(severity) { throw ExitStatus.findings }
  }
}
